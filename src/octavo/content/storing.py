"""Checked values to values as they are stored: dates read, JSON written, numbers held to what the database can take.

Refuses with ValidationError. Neutral between databases as far as they agree: `sql/change_dialect` does the rest.
"""

import re
from collections.abc import Callable
from typing import Any

import orjson

from octavo.content.instants import read_date, read_instant, read_time
from octavo.content.passwords import HashedPassword, hash_now
from octavo.content.printing import type_message
from octavo.content.trail import Trail
from octavo.errors import ValidationError
from octavo.schema.attributes import Scalar
from octavo.schema.values import SCALAR_TYPES, ValueKind

_DIGITS = re.compile(r"[+-]?\d+", re.ASCII)
_BIG, _SMALL = 2**63, 2**31
_MOST_DECIMAL = 10**8  # numeric(10, 2)
_MOST_STRING = 255
_STRICT = "postgresql"
"""The database whose columns take nothing but their own type."""


def store(attribute: Scalar, value: Any, trail: Trail, dialect: str) -> Any:
    """A checked value as it is stored in the column of its attribute."""
    if value is None:
        return None
    if attribute.type == "password":
        return value.hash if isinstance(value, HashedPassword) else hash_now(value)  # a default
    return _STORERS[SCALAR_TYPES[attribute.type].kind](value, trail, dialect)


def _refuse(trail: Trail, message: str) -> ValidationError:
    return ValidationError.from_problems([trail.problem(message)])


def _store_string(value: Any, trail: Trail, dialect: str) -> Any:
    if dialect == _STRICT and len(value) > _MOST_STRING:
        raise _refuse(trail, f"{trail.label} must be at most {_MOST_STRING} characters")
    return value


def _store_integer(value: Any, trail: Trail, dialect: str) -> Any:
    limit = _SMALL if dialect == _STRICT else None
    if limit is not None and not -limit <= value < limit:
        raise _refuse(trail, f"{trail.label} must be an integer from {-limit} to {limit - 1}")
    return value


def _store_big_integer(value: Any, trail: Trail, dialect: str) -> Any:
    """Whole numbers in full precision. SQLite stores other texts and numbers too, as the reference lets it."""
    if isinstance(value, bool | list | dict):
        raise _refuse(trail, type_message(trail.label, "biginteger", value))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str):
        value = value.strip()
        value = int(value) if _DIGITS.fullmatch(value) and len(value) <= 20 else value
    if isinstance(value, int) and not -_BIG <= value < _BIG:
        raise _refuse(trail, f"{trail.label} must be an integer from {-_BIG} to {_BIG - 1}")
    if not isinstance(value, int) and (dialect == _STRICT or "\0" in str(value)):
        raise _refuse(trail, type_message(trail.label, "biginteger", value))
    return value


def _store_decimal(value: Any, trail: Trail, dialect: str) -> Any:
    if dialect == _STRICT and abs(value) >= _MOST_DECIMAL:
        raise _refuse(trail, f"{trail.label} must be less than {_MOST_DECIMAL}")
    return value


def _store_json(value: Any, trail: Trail, dialect: str) -> Any:
    try:
        text = orjson.dumps(value).decode()
    except (TypeError, orjson.JSONEncodeError):
        raise _refuse(trail, f"{trail.label} must be JSON") from None
    if dialect == _STRICT and "\\u0000" in text and "\0" in _texts(value):
        raise _refuse(trail, f"{trail.label} must not contain NUL characters")
    return text


def _texts(value: Any) -> str:
    """All texts inside a JSON value, one after another."""
    if isinstance(value, dict):
        return "".join(map(_texts, (*value, *value.values())))
    if isinstance(value, list):
        return "".join(map(_texts, value))
    return value if isinstance(value, str) else ""


def _store_as_is(value: Any, trail: Trail, dialect: str) -> Any:
    return value


def _store_date(value: Any, trail: Trail, dialect: str) -> Any:
    day = read_date(value)
    if dialect == _STRICT and day.startswith("0000"):
        raise _refuse(trail, f"{trail.label} must be after the year 0")
    return day


def _store_time(value: Any, trail: Trail, dialect: str) -> Any:
    return read_time(value)


def _store_instant(value: Any, trail: Trail, dialect: str) -> Any:
    return read_instant(value)


_STORERS: dict[ValueKind, Callable[[Any, Trail, str], Any]] = {
    ValueKind.STRING: _store_string,
    ValueKind.TEXT: _store_as_is,
    ValueKind.INTEGER: _store_integer,
    ValueKind.BIG_INTEGER: _store_big_integer,
    ValueKind.FLOAT: _store_as_is,
    ValueKind.DECIMAL: _store_decimal,
    ValueKind.BOOLEAN: _store_as_is,
    ValueKind.DATE: _store_date,
    ValueKind.TIME: _store_time,
    ValueKind.DATETIME: _store_instant,
    ValueKind.TIMESTAMP: _store_instant,
    ValueKind.JSON: _store_json,
}
