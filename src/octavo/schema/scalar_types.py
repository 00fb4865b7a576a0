"""Scalar types: one row for each type in definitions, with the behavior of its values.

The query compiler and validators use `ValueKind`; several types share one kind.
"""

from enum import Enum
from typing import Final

from octavo.core.values import dataclass

LARGEST_ID: Final = 2**31 - 1
"""The largest id of a row."""


class ValueKind(Enum):
    """How values of a type are stored, compared and written to JSON."""

    STRING = "string"
    TEXT = "text"
    INTEGER = "integer"
    BIG_INTEGER = "biginteger"
    FLOAT = "float"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    DATETIME = "datetime"
    TIMESTAMP = "timestamp"
    JSON = "json"

    __hash__ = object.__hash__  # kinds are in cache keys; Enum's hash is slower, because it is written in Python


@dataclass(frozen=True, slots=True)
class ScalarType:
    """One type. `searchable`: `_q` searches it; `secret` values are never returned or compared."""

    word: str
    kind: ValueKind
    searchable: bool = False
    secret: bool = False


def _table(*rows: ScalarType) -> dict[str, ScalarType]:
    return {row.word: row for row in rows}


SCALAR_TYPES = _table(
    ScalarType("string", ValueKind.STRING, searchable=True),
    ScalarType("text", ValueKind.TEXT, searchable=True),
    ScalarType("richtext", ValueKind.TEXT, searchable=True),
    ScalarType("enumeration", ValueKind.STRING, searchable=True),
    ScalarType("email", ValueKind.STRING, searchable=True),
    ScalarType("password", ValueKind.STRING, secret=True),
    ScalarType("uid", ValueKind.STRING, searchable=True),
    ScalarType("date", ValueKind.DATE),
    ScalarType("time", ValueKind.TIME),
    ScalarType("datetime", ValueKind.DATETIME),
    ScalarType("timestamp", ValueKind.TIMESTAMP),
    ScalarType("integer", ValueKind.INTEGER),
    ScalarType("biginteger", ValueKind.BIG_INTEGER),
    ScalarType("float", ValueKind.FLOAT),
    ScalarType("decimal", ValueKind.DECIMAL),
    ScalarType("boolean", ValueKind.BOOLEAN),
    ScalarType("json", ValueKind.JSON),
    ScalarType("array", ValueKind.JSON),
    ScalarType("blocks", ValueKind.JSON),
)
NUMBER_KINDS = frozenset({ValueKind.INTEGER, ValueKind.BIG_INTEGER, ValueKind.FLOAT, ValueKind.DECIMAL})
TEXT_KINDS = frozenset({ValueKind.STRING, ValueKind.TEXT})
