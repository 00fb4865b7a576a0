"""Convert filter operands, texts or JSON values, to typed values with Strapi v4's rules (observed.md, 4)."""

import json
import math
import re
from collections.abc import Callable

from octavo.core.errors import ValidationError
from octavo.query.ast import Path, Value
from octavo.query.dates import DAY_MESSAGE, LATEST_INSTANT, read_date, read_instant, read_time
from octavo.query.numbers import js_number
from octavo.query.plan.nodes import ParameterKind
from octavo.schema.scalar_types import ValueKind

Typed = tuple[ParameterKind, str | int | float | bool]

_WHOLE = re.compile(r"^\s*[+-]?\d{1,30}\s*$", re.ASCII)
_DECIMAL = re.compile(r"^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$", re.ASCII | re.IGNORECASE)
_MAX_INTEGER = 2**63 - 1
_LEAST_INSTANT = -210_000_000_000_000
"""Milliseconds since 1970, in the year -4684: PostgreSQL supports no earlier instants."""
NUL = "\0"
"""No database stores NUL in a text, so a text with it matches nothing."""


class Incomparable(Exception):
    """The operand cannot equal any value of the attribute, for example an id that is not a number."""


def read_operand(kind: ValueKind, value: Value, path: Path) -> Typed:
    """Return one operand of a comparison, typed for attributes of `kind`.

    Raises ValidationError if the value cannot be parsed, Incomparable if it can but equals no stored value.
    """
    return _READERS[kind](value, path)


def _text(value: Value, path: Path) -> Typed:
    text = "null" if value is None else str(value)  # in patterns, null is the word "null"
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
    if abs(number) > _MAX_INTEGER:
        return ParameterKind.NUMBER, number  # including infinity: every other number is less, or greater
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
    day = read_date(str(value))
    if day.startswith("0000"):
        raise ValidationError(DAY_MESSAGE)  # PostgreSQL does not support the year
    return ParameterKind.DATE, day


def _time(value: Value, path: Path) -> Typed:
    return ParameterKind.TIME, read_time(str(value))


def _instant(value: Value, path: Path) -> Typed:
    moment = read_instant(str(value), -LATEST_INSTANT, LATEST_INSTANT)
    return ParameterKind.INSTANT, max(moment, _LEAST_INSTANT)


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
