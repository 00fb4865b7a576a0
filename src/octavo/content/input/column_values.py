"""Convert validated values to stored ones: parse dates, serialize JSON, check the database's number limits.

Raises ValidationError. The dialect defines the column types and binds the stored values.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any, Final
from uuid import UUID

import orjson

from octavo.access.authentication.passwords import HashedPassword, hash_of_default
from octavo.content.input_path import InputPath
from octavo.core.errors import ValidationError
from octavo.core.forms.printing import type_message
from octavo.query.dates import read_date, read_instant, read_time
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.column_limits import ColumnLimits
from octavo.schema.attributes import Scalar
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind


def plain(value: Any) -> Any:
    """Return a value in its JSON form: times as text, sequences as lists. A time without a zone is taken as UTC."""
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal | UUID) else value


_DIGITS = re.compile(r"[+-]?\d+", re.ASCII)
_BIG = 2**63
_MOST_DIGITS = 100
_HALF_A_DIGIT: Final = Decimal("0.005")


def store(attribute: Scalar, value: Any, trail: InputPath, dialect: Dialect) -> Any:
    """Return a checked value as it is stored in the column of its attribute."""
    if value is None:
        return None
    storer = STORERS[attribute.type]
    return value if storer is None else storer(value, trail, dialect.column_limits)


def _refuse(trail: InputPath, message: str) -> ValidationError:
    return ValidationError.from_problems([trail.problem(message)])


def _store_string(value: Any, trail: InputPath, limits: ColumnLimits) -> Any:
    if limits.longest_string is not None and len(value) > limits.longest_string:
        raise _refuse(trail, f"{trail.label} must be at most {limits.longest_string} characters")
    return value


def _store_integer(value: Any, trail: InputPath, limits: ColumnLimits) -> Any:
    largest = limits.largest_integer
    if largest is not None and not -largest - 1 <= value <= largest:
        raise _refuse(trail, f"{trail.label} must be an integer from {-largest - 1} to {largest}")
    return value


def _store_big_integer(value: Any, trail: InputPath, limits: ColumnLimits) -> Any:
    """Convert a whole number, given as number or text, in full precision. SQLite would store any text."""
    is_digits = isinstance(value, str) and len(value) <= _MOST_DIGITS and _DIGITS.fullmatch(value.strip())
    if is_digits or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refuse(trail, type_message(trail.label, "biginteger", value))
    if not -_BIG <= value < _BIG:
        raise _refuse(trail, f"{trail.label} must be an integer from {-_BIG} to {_BIG - 1}")
    return value


def is_too_large(value: float, limit: int) -> bool:
    """Return whether a number reaches a limit after rounding to a decimal's digits."""
    return abs(value) >= limit - 1 and abs(Decimal(str(value))) >= limit - _HALF_A_DIGIT


def _store_decimal(value: Any, trail: InputPath, limits: ColumnLimits) -> Any:
    if limits.most_decimal is not None and is_too_large(value, limits.most_decimal):
        raise _refuse(trail, f"{trail.label} must be less than {limits.most_decimal}")
    return value


def _store_json(value: Any, trail: InputPath, limits: ColumnLimits) -> Any:
    try:
        text = orjson.dumps(value).decode()
    except (TypeError, orjson.JSONEncodeError):
        raise _refuse(trail, f"{trail.label} must be JSON") from None
    if not limits.nul_in_json and "\\u0000" in text and has_nul(value):
        raise _refuse(trail, f"{trail.label} must not contain NUL characters")
    return text


def has_nul(value: Any) -> bool:
    """Return whether a text inside a JSON value contains a NUL character."""
    try:
        written = orjson.dumps(value)
    except TypeError:  # not JSON
        return False
    return b"\\u0000" in written and "\0" in _texts(value)


def _texts(value: Any) -> str:
    """Return all texts inside a JSON value, concatenated."""
    if isinstance(value, dict):
        return "".join(map(_texts, (*value, *value.values())))
    if isinstance(value, list):
        return "".join(map(_texts, value))
    return value if isinstance(value, str) else ""


def _store_password(value: Any, trail: InputPath, limits: ColumnLimits) -> Any:
    return value.hash if isinstance(value, HashedPassword) else hash_of_default(value)


def _store_date(value: Any, trail: InputPath, limits: ColumnLimits) -> Any:
    day = read_date(value)
    if day.startswith("0000"):  # not supported by PostgreSQL
        raise _refuse(trail, f"{trail.label} must be after the year 0")
    return day


def _store_time(value: Any, trail: InputPath, limits: ColumnLimits) -> Any:
    return read_time(value)


def _store_instant(value: Any, trail: InputPath, limits: ColumnLimits) -> Any:
    return read_instant(value)


Storer = Callable[[Any, InputPath, ColumnLimits], Any]
_BY_KIND: Final[dict[ValueKind, Storer]] = {
    ValueKind.STRING: _store_string,
    ValueKind.INTEGER: _store_integer,
    ValueKind.BIG_INTEGER: _store_big_integer,
    ValueKind.DECIMAL: _store_decimal,
    ValueKind.DATE: _store_date,
    ValueKind.TIME: _store_time,
    ValueKind.DATETIME: _store_instant,
    ValueKind.TIMESTAMP: _store_instant,
    ValueKind.JSON: _store_json,
}
STORERS: Final[dict[str, Storer | None]] = {
    **{name: _BY_KIND.get(described.kind) for name, described in SCALAR_TYPES.items()},
    "password": _store_password,
}
"""The function that converts a validated value for storage, by attribute type; None if it is stored unchanged."""
