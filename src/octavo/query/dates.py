"""Parse dates, times and instants of bodies and filters in the same way as Strapi v4.

Invalid values raise ValidationError.
"""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from octavo.core.errors import ValidationError

DATE_MESSAGE: Final = "Invalid format, expected yyyy-MM-dd"
DAY_MESSAGE: Final = "Invalid date"
TIME_MESSAGE: Final = "Invalid time format, expected HH:mm:ss.SSS"
INSTANT_MESSAGE: Final = "Invalid format, expected a timestamp or an ISO date"
LATEST_INSTANT: Final = 8_640_000_000_000_000
"""The range of JavaScript's dates: milliseconds since 1970, in both directions."""

_DATE = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", re.ASCII)
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,17}", re.ASCII)
_DAY = re.compile(
    r"(?P<year>\d{4}|[+-]\d{6})(?:-?(?:W(?P<week>\d{2})(?:-?(?P<weekday>[1-7]))?|(?P<month>\d{2})-?(?P<day>\d{2})|(?P<ordinal>\d{3})))?"
    r"|(?P<month_year>\d{4}|[+-]\d{6})-(?P<only_month>\d{2})|(?P<century>\d{2}|[+-]\d{4})",
    re.ASCII,
)
_CLOCK = re.compile(r"(\d{2}(?:[.,]\d+)?)(?::?(\d{2}(?:[.,]\d+)?)(?::?(\d{2}(?:[.,]\d+)?))?)?", re.ASCII)
_ZONE = re.compile(r"(?:Z|([+-])(\d{2})(?::?(\d{2}))?)\Z", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LEAST, _MOST = -62135596800000, 253402300799999  # years 1 to 9999
_DAY_LENGTH: Final = 86_400_000
_FIRST_YEAR: Final = 1600
_DAYS_OF_400_YEARS: Final = 146_097


def read_date(value: Any) -> str:
    """Return a day as `yyyy-MM-dd`. Text after the day is ignored."""
    match = _DATE.match(value) if isinstance(value, str) else None
    if match is None:
        raise ValidationError(DATE_MESSAGE)
    year, month, day = map(int, match.groups())
    try:
        date(year or 4, month, day)  # the year 0 is a leap year, and none that Python knows
    except ValueError:
        raise ValidationError(DAY_MESSAGE) from None
    return match[0]


_NAMES_OF_TYPES = {bool: "boolean", int: "number", float: "number"}


def read_time(value: Any) -> str:
    """Return a time as `HH:mm:ss.SSS`."""
    if not isinstance(value, str):
        raise ValidationError(f"Expected a string, got a {_NAMES_OF_TYPES.get(type(value), 'object')}")
    match = _TIME.fullmatch(value)
    if match is None:
        raise ValidationError(TIME_MESSAGE)
    return f"{match[1]}:{match[2]}:{match[3]}.{(match[4] or '').ljust(3, '0')}"


def read_instant(value: Any, least: int = _LEAST, most: int = _MOST) -> int:
    """Return the milliseconds since 1970 of an ISO 8601 date or instant (UTC without an offset), or of such a number.

    Raises ValidationError for other values, and for instants before `least` or after `most`.
    """
    milliseconds: int | None = None
    if isinstance(value, str):
        milliseconds = _read_iso(value)
        if milliseconds is None and _WHOLE.fullmatch(value):
            milliseconds = int(value)
    elif isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1:
        milliseconds = int(value)
    if milliseconds is None or not least <= milliseconds <= most:
        raise ValidationError(INSTANT_MESSAGE)
    return milliseconds


def _read_iso(text: str) -> int | None:
    day_text, separator, rest = text.partition("T")
    if not separator:
        day_text, separator, rest = text.partition(" ")
    days = _read_days(day_text)
    if days is None or (separator and not rest):
        return None
    if not rest:
        return days * _DAY_LENGTH
    zone = _ZONE.search(rest)
    clock = _read_clock(rest[: zone.start()] if zone else rest)
    offset = _read_offset(zone) if zone else 0
    if clock is None or offset is None:
        return None
    return days * _DAY_LENGTH + clock - offset


def _read_days(text: str) -> int | None:
    """Return the days from 1970 to a day of any year. Python supports years 1 to 9999; calendars repeat every 400."""
    match = _DAY.fullmatch(text)
    if match is None:
        return None
    parts = {name: int(value) for name, value in match.groupdict().items() if value is not None}
    given = parts.get("year", parts.get("month_year", parts.get("century", 0) * 100))
    cycles, year = divmod(given - _FIRST_YEAR, 400)
    day = _read_day(parts, year + _FIRST_YEAR)
    return None if day is None else (day - _EPOCH.date()).days + cycles * _DAYS_OF_400_YEARS


def _read_day(parts: dict[str, int], year: int) -> date | None:
    try:
        if "week" in parts:
            return date.fromisocalendar(year, parts["week"], parts.get("weekday", 1))
        if "ordinal" in parts:
            start = date(year, 1, 1)
            day = start + timedelta(days=parts["ordinal"] - 1)
            return day if day.year == start.year and parts["ordinal"] else None
        return date(year, parts.get("month", parts.get("only_month", 1)), parts.get("day", 1))
    except ValueError:
        return None


def _read_clock(text: str) -> int | None:
    """Return the milliseconds since midnight. Only the smallest unit may have a fraction; 24 is the next midnight."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    given = [part.replace(",", ".") for part in match.groups() if part is not None]
    if any("." in part for part in given[:-1]):
        return None
    hours, minutes, seconds = (*map(float, given), 0.0, 0.0)[:3]
    if minutes >= 60 or seconds >= 60 or hours > 24 or (hours == 24 and (minutes or seconds)):
        return None
    return int(hours * 3_600_000 + minutes * 60_000) + int(round(seconds * 1_000_000) // 1000)


def _read_offset(zone: re.Match[str]) -> int | None:
    sign, hours, minutes = zone.groups()
    if sign is None:
        return 0
    if int(minutes or 0) > 59:
        return None
    return (int(hours) * 60 + int(minutes or 0)) * 60_000 * (-1 if sign == "-" else 1)
