"""Convert values of v4's configuration to settings: sizes, durations, numbers and lists, parsed as in v4.

A converter takes a plain value and returns it as in TOML. Raises ValueError with a message that says what was expected.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

Converter = Callable[[Any], Any]

_BYTES: Final = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40, "pb": 1 << 50}
_SIZE: Final = re.compile(r"([+-]?\d{1,15}(?:\.\d{1,9})?) ?(kb|mb|gb|tb|pb|b|)", re.IGNORECASE)
_TIME: Final = re.compile(r"(-?\d{0,12}\.?\d{1,9}) ?([a-z]*)", re.IGNORECASE)
_SECONDS: Final[Mapping[str, float]] = {
    **dict.fromkeys(("", "ms", "msec", "msecs", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), 86_400),
    **dict.fromkeys(("w", "week", "weeks"), 604_800),
    **dict.fromkeys(("y", "yr", "yrs", "year", "years"), 31_557_600),
}
_INTERVALS: Final = {
    "sec": 1,
    "min": 60,
    "hour": 3600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_592_000,
    "year": 31_536_000,
}
_MOST: Final = 1 << 53


def same(value: Any) -> Any:
    """Return the value unchanged; the setting validates it."""
    return value


def text(value: Any) -> str:
    """Return a text; numbers are converted."""
    if isinstance(value, str):
        return value
    if type(value) is int:
        return str(value)
    raise ValueError("a string")


def flag(value: Any) -> bool:
    """Return a boolean; other values are converted by JavaScript's rules."""
    if isinstance(value, list | Mapping):
        raise ValueError("true or false")
    return value not in (None, 0, "", False)


def whole(value: Any) -> int:
    """Return an integer, which may be given as a text."""
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,15}\s*", value):
        return int(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MOST and value == int(value):
        return int(value)
    raise ValueError("a whole number")


def limit(value: Any) -> int:
    """Return a limit; values below 1, and null, mean no limit."""
    return -1 if value is None else max(whole(value), 0) or -1


def bound_or(none: int) -> Converter:
    """Return a converter for a limit where v4 takes values below 1, and null, as no limit."""

    def bound(value: Any) -> int:
        asked = limit(value)
        return none if asked < 0 else asked

    return bound


def size(value: Any) -> int:
    """Return bytes, given as a number or like `256mb`."""
    if isinstance(value, str) and (match := _SIZE.fullmatch(value.strip())):
        return int(float(match[1]) * _BYTES[match[2].lower()])
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST:
        return int(value)
    raise ValueError('a size such as "256mb"')


def lifetime(value: Any) -> int:
    """Return a token's lifetime in seconds: given in seconds, or like `7d`, `2 days`, `10h`; without unit, in
    milliseconds."""
    if isinstance(value, str) and (match := _TIME.fullmatch(value.strip())) and match[2].lower() in _SECONDS:
        return max(round(float(match[1]) * _SECONDS[match[2].lower()]), 1)
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _MOST:
        return int(value)
    raise ValueError('a time such as "7d"')


def interval(value: Any) -> int:
    """Return a period in seconds: given in milliseconds, or like `{min: 5}`."""
    if isinstance(value, Mapping):
        if not value or not set(value) <= set(_INTERVALS):
            raise ValueError("a period such as { min: 5 }")
        return max(sum(whole(amount) * _INTERVALS[unit] for unit, amount in value.items()), 1)
    return max(milliseconds(value), 1)


def milliseconds(value: Any) -> int:
    """Return whole seconds for milliseconds."""
    return whole(value) // 1000


def texts(value: Any) -> list[str]:
    """Return a list of texts without unset ones; a text is split at commas."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, list) and all(isinstance(item, str | None) for item in value):
        return [item for item in value if item is not None]
    raise ValueError("a list of strings")


def path(value: Any) -> str:
    """Return a URL path with a leading slash."""
    given = text(value).strip("/")
    return f"/{given}" if given else ""
