"""The points where databases differ in how a change is said: placeholders, and values as the driver takes them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from octavo.schema.values import ValueKind

MOST_VALUES = 30_000  # what one statement may carry on every database
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_INTEGER = 2**63


@dataclass(frozen=True, slots=True)
class Statement:
    """A finished statement: text with the dialect's placeholders, and the values in order."""

    text: str
    values: tuple[Any, ...] = ()


class ChangeDialect(ABC):
    """How one database takes values."""

    name: str

    @abstractmethod
    def placeholder(self, number: int, kind: ValueKind) -> str:
        """The placeholder of the value with that number, as a value of its kind."""

    @abstractmethod
    def bind(self, kind: ValueKind, value: Any) -> Any:
        """A value as the driver takes it. Instants are milliseconds since 1970, days, times and JSON are text."""


class SQLiteChanges(ChangeDialect):
    """SQLite stores instants as milliseconds and truth as 0 and 1."""

    name = "sqlite"

    def placeholder(self, number: int, kind: ValueKind) -> str:
        return f"?{number}"

    def bind(self, kind: ValueKind, value: Any) -> Any:
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, int) and not -_MOST_INTEGER <= value < _MOST_INTEGER:
            return float(value)
        return value


_CASTS = {
    ValueKind.INTEGER: "::integer",
    ValueKind.BIG_INTEGER: "::bigint",
    ValueKind.FLOAT: "::double precision",
    ValueKind.DECIMAL: "::numeric",
    ValueKind.BOOLEAN: "::boolean",
    ValueKind.DATE: "::date",
    ValueKind.TIME: "::time",
    ValueKind.DATETIME: "::timestamp",
    ValueKind.TIMESTAMP: "::timestamp",
    ValueKind.JSON: "::jsonb",
}


class PostgreSQLChanges(ChangeDialect):
    """PostgreSQL is told the type of every value."""

    name = "postgresql"

    def placeholder(self, number: int, kind: ValueKind) -> str:
        return f"${number}{_CASTS.get(kind, '::text')}"

    def bind(self, kind: ValueKind, value: Any) -> Any:
        if value is not None and kind in (ValueKind.DATETIME, ValueKind.TIMESTAMP):
            moment = _EPOCH + timedelta(milliseconds=value)
            return moment.replace(tzinfo=None).isoformat(timespec="milliseconds")
        return value


CHANGE_DIALECTS: dict[str, ChangeDialect] = {
    dialect.name: dialect for dialect in (SQLiteChanges(), PostgreSQLChanges())
}
