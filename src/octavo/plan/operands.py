"""Filter operands, texts or JSON values, to typed values. Rules and messages are the reference's (observed.md, 4)."""

import json
import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from octavo.errors import ValidationError
from octavo.plan.nodes import ParameterKind
from octavo.query.ast import Path, Value
from octavo.query.numbers import js_number
from octavo.schema.scalar_types import ValueKind

Typed = tuple[ParameterKind, str | int | float | bool]

_DATE = re.compile(r"^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", re.ASCII)
_TIME = re.compile(r"^(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))?$", re.ASCII)
_INSTANT = re.compile(
    r"^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?"
    r"(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?)?)?"
    r"(Z|[+-]\d{2}(?::?\d{2})?)?$",
    re.ASCII,
)
_WHOLE = re.compile(r"^\s*[+-]?\d{1,30}\s*$", re.ASCII)
_DECIMAL = re.compile(r"^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$", re.ASCII | re.IGNORECASE)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_INTEGER = 2**63 - 1
_MAX_INSTANT = 253402300799999
NUL = "\0"
"""No database stores it in a text, so a text with it equals none."""
DATE_MESSAGE = "Invalid format, expected yyyy-MM-dd"
DAY_MESSAGE = "Invalid date"
TIME_MESSAGE = "Invalid time format, expected HH:mm:ss.SSS"
INSTANT_MESSAGE = "Invalid format, expected a timestamp or an ISO date"


class Incomparable(Exception):
    """The operand can equal no value of the attribute (an id that is no number)."""


def read_operand(kind: ValueKind, value: Value, path: Path) -> Typed:
    """One operand of a comparison, typed for attributes of `kind`.

    Raises ValidationError when the value cannot be read, Incomparable when it reads but equals nothing.
    """
    return _READERS[kind](value, path)


def _text(value: Value, path: Path) -> Typed:
    text = "null" if value is None else str(value)  # patterns with a null look for the word
    if isinstance(value, bool):
        text = text.lower()
    if NUL in text:
        raise Incomparable
    return ParameterKind.TEXT, text


def _json(value: Value, path: Path) -> Typed:
    if isinstance(value, str):
        _text(value, path)
    return ParameterKind.JSON, json.dumps(value, ensure_ascii=False)


def _number(value: Value, path: Path) -> Typed:
    number = js_number(value)
    if math.isnan(number):
        raise ValidationError(f"Invalid value: expected a number at {'.'.join(path)}")
    if math.isinf(number):
        raise Incomparable
    if abs(number) > _MAX_INTEGER:
        return ParameterKind.NUMBER, number
    if isinstance(value, str) and _WHOLE.match(value):
        return _integer(value, path)
    return (ParameterKind.INTEGER, int(number)) if number == int(number) else (ParameterKind.NUMBER, number)


def _integer(value: Value, path: Path) -> Typed:
    if isinstance(value, str) and _WHOLE.match(value) and abs(int(value)) <= _MAX_INTEGER:
        return ParameterKind.INTEGER, int(value)
    number = js_number(value)
    if math.isnan(number) or math.isinf(number) or (isinstance(value, str) and not _DECIMAL.match(value)):
        raise Incomparable
    if abs(number) > _MAX_INTEGER:
        return ParameterKind.NUMBER, number
    return (ParameterKind.INTEGER, int(number)) if number == int(number) else (ParameterKind.NUMBER, number)


def _boolean(value: Value, path: Path) -> Typed:
    return ParameterKind.BOOLEAN, value if isinstance(value, bool) else str(value) not in ("false", "f", "0", "")


def _date(value: Value, path: Path) -> Typed:
    found = _DATE.match(str(value))
    if not found:
        raise ValidationError(DATE_MESSAGE)
    try:
        return ParameterKind.DATE, date(int(found[1]), int(found[2]), int(found[3])).isoformat()
    except ValueError:
        raise ValidationError(DAY_MESSAGE) from None


def _time(value: Value, path: Path) -> Typed:
    found = _TIME.match(str(value))
    if not found or int(found[1]) > 23 or int(found[2]) > 59 or int(found[3]) > 59:
        raise ValidationError(TIME_MESSAGE)
    return ParameterKind.TIME, f"{found[1]}:{found[2]}:{found[3]}.{(found[4] or '').ljust(3, '0')}"


def _at(milliseconds: int) -> datetime:
    if abs(milliseconds) > _MAX_INSTANT:
        raise ValidationError(INSTANT_MESSAGE)
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise ValidationError(INSTANT_MESSAGE) from None


def _instant(value: Value, path: Path) -> Typed:
    return ParameterKind.INSTANT, parse_instant(str(value))


def parse_instant(text: str) -> int:
    """Milliseconds since 1970 of an ISO date, an ISO instant (UTC when no offset is given) or epoch milliseconds.

    Raises ValidationError with the reference's message.
    """
    found = _INSTANT.match(text)
    if found is None or (len(text) > 4 and text.isdigit()):
        if _WHOLE.match(text) and text.strip():
            _at(int(text))
            return int(text)
        raise ValidationError(INSTANT_MESSAGE)
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        moment = datetime(
            int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC
        )
        offset = _offset(zone)
    except ValueError:
        raise ValidationError(INSTANT_MESSAGE) from None
    milliseconds = int((fraction or "").ljust(3, "0")[:3])
    return int((moment - _EPOCH).total_seconds()) * 1000 + milliseconds - offset * 60_000


def _offset(zone: str | None) -> int:
    if zone is None or zone == "Z":
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours > 23 or minutes > 59:
        raise ValueError(zone)
    return (hours * 60 + minutes) * (-1 if zone[0] == "-" else 1)


_READERS: dict[ValueKind, Callable[[Value, Path], Typed]] = {
    ValueKind.STRING: _text,
    ValueKind.TEXT: _text,
    ValueKind.JSON: _json,
    ValueKind.INTEGER: _number,
    ValueKind.FLOAT: _number,
    ValueKind.DECIMAL: _number,
    ValueKind.BIG_INTEGER: _integer,
    ValueKind.BOOLEAN: _boolean,
    ValueKind.DATE: _date,
    ValueKind.TIME: _time,
    ValueKind.DATETIME: _instant,
    ValueKind.TIMESTAMP: _instant,
}
