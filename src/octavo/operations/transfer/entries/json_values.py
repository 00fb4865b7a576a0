"""Convert plain values to the JSON of archives and back."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from octavo.core.errors import ValidationError
from octavo.operations.transfer.rows.plain_values import plain
from octavo.query.dates import read_date
from octavo.query.numbers import MAX_SAFE_INTEGER
from octavo.schema.scalar_types import ValueKind

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def to_json(kind: ValueKind, value: Any) -> Any:
    """Convert a plain value to JSON as v4 writes it. Raises ValueError."""
    write = _WRITTEN.get(kind)
    return value if value is None or write is None else write(value)


def iso_instant(milliseconds: int) -> str:
    """Format an instant, such as `2023-01-06T11:59:00.037Z`. Raises ValueError."""
    try:
        moment = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError as error:
        raise ValueError("is after the year 9999") from error
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def shortest(number: float) -> float | int:
    """Return a number as JavaScript writes it: an integer if it has no fraction."""
    return int(number) if number.is_integer() and abs(number) <= MAX_SAFE_INTEGER else number


def _fragment(text: str) -> orjson.Fragment:
    """Return JSON text as a part of a line. Raises ValueError for JSON that `octavo import` could not read."""
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"cannot be stored in an archive: {error}") from error
    return orjson.Fragment(text)


_WRITTEN: Final[Mapping[ValueKind, Callable[[Any], Any]]] = {
    ValueKind.BIG_INTEGER: str,
    ValueKind.FLOAT: shortest,
    ValueKind.DECIMAL: lambda digits: shortest(float(digits)),
    ValueKind.DATETIME: iso_instant,
    ValueKind.TIMESTAMP: str,
    ValueKind.JSON: _fragment,
}


def from_json(kind: ValueKind, value: Any) -> Any:
    """Convert a JSON value of an archive to a plain value. Raises ValueError."""
    if value is None:
        return None
    if kind is ValueKind.JSON:
        return orjson.dumps(value).decode()
    if isinstance(value, list | dict):
        raise ValueError("is not a single value")
    if isinstance(value, bool) and kind is not ValueKind.BOOLEAN:
        raise ValueError(f"is not of type {kind.value}")
    if kind is ValueKind.DATE:
        return _read_day(value)
    return plain(kind, value)


def _read_day(value: Any) -> str:
    try:
        return read_date(value)
    except ValidationError as error:
        raise ValueError(str(error)) from error
