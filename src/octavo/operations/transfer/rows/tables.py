"""Tables whose columns are known by the kind of what they hold: read in batches, filled again."""

from collections.abc import AsyncIterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.database.connection import Connection, IntegrityViolation, UnsuitableValue
from octavo.operations.transfer.problems import Problems, TransferError
from octavo.operations.transfer.rows.plain_values import KIND_OF_WORD, plain, reading
from octavo.query.sql.ddl.tables import Table
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.scalar_types import ValueKind

ID: Final = "id"

_LEAST_ID: Final = -(2**31)
_FIRST_ROWS: Final = 50
_MOST_ROWS: Final = 1000
_BATCH_BYTES: Final = 4_000_000
"""What a batch of rows should hold: about the memory that moving them takes."""

PlainRow = list[Any]


@dataclass(frozen=True, slots=True)
class RowTable:
    """A table, and its columns by name with the kinds of what they hold."""

    name: str
    columns: Mapping[str, ValueKind]

    def with_columns(self, names: Sequence[str]) -> "RowTable":
        """The same table with only these columns."""
        return RowTable(self.name, {name: self.columns[name] for name in names})

    def place(self, column: str, row_id: Any) -> str:
        """Where a value is, for people."""
        return f"{self.name}.{column}, id {row_id}"


def row_table(table: Table) -> RowTable:
    """A wanted table; `tables.Column.type` are words of our own."""
    return RowTable(table.name, {column.name: KIND_OF_WORD[column.type] for column in table.columns})


async def read_batches(
    connection: Connection,
    dialect: Dialect,
    table: RowTable,
    where: str = "1 = 1",
    expressions: Mapping[str, str] = MappingProxyType({}),
    invalid: Problems | None = None,
) -> AsyncIterator[list[PlainRow]]:
    """All rows that meet a condition, in the order of their ids, as plain values in the order of the columns.

    `expressions` are read in the place of columns. A batch has as many rows as make a few megabytes. Values that their
    column cannot hold are added to `invalid`, and read as null. Without it, raises TransferError.
    """
    names = list(table.columns)
    columns = ", ".join(
        reading(dialect, kind, expressions.get(name, dialect.quote(name))) for name, kind in table.columns.items()
    )
    text = (
        f"SELECT {columns} FROM {dialect.quote(table.name)} "
        f"WHERE {dialect.quote(ID)} > {dialect.mark(1)} AND {where} ORDER BY {dialect.quote(ID)} LIMIT "
    )
    id_at, last, count = names.index(ID), _LEAST_ID, _FIRST_ROWS
    while True:
        found = await connection.fetch_all(f"{text}{count}", (last,))
        rows = [_plain_row(table, names, id_at, row, invalid) for row in found]
        if rows:
            yield rows
        if len(rows) < count:
            return
        last, count = rows[-1][id_at], _next_count(rows)


def _next_count(rows: Sequence[PlainRow]) -> int:
    """Powers of two, so that there are few texts."""
    size = sum(len(value) for row in rows for value in row if isinstance(value, str)) + 100 * len(rows)
    fitting = max(min(_BATCH_BYTES * len(rows) // size, _MOST_ROWS), 1)
    return int(2 ** (fitting.bit_length() - 1))


def _plain_row(
    table: RowTable, names: Sequence[str], id_at: int, row: Sequence[Any], invalid: Problems | None
) -> PlainRow:
    values: PlainRow = []
    for name, stored in zip(names, row, strict=True):
        try:
            values.append(plain(table.columns[name], stored))
        except ValueError as error:
            problem = f"{table.place(name, row[id_at])}: {error}"
            if invalid is None or name == ID:
                raise TransferError(problem) from error
            invalid.add(problem)
            values.append(None)
    return values


async def insert_rows(connection: Connection, dialect: Dialect, table: RowTable, rows: Sequence[PlainRow]) -> None:
    """Insert plain rows, whose values stand in the order of the columns. Raises TransferError."""
    step = max(dialect.most_values // len(table.columns), 1)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        kinds = list(table.columns.values())
        values = [dialect.bind(kind, value) for row in part for kind, value in zip(kinds, row, strict=True)]
        try:
            await connection.execute(_insert_text(dialect, table, len(part)), values)
        except (IntegrityViolation, UnsuitableValue) as error:
            raise TransferError(f"{table.name}{_extent(table, part)}: {error}") from error


def _insert_text(dialect: Dialect, table: RowTable, count: int) -> str:
    kinds, width = list(table.columns.values()), len(table.columns)
    marks = (
        ", ".join(dialect.placeholder(row * width + at + 1, kind) for at, kind in enumerate(kinds))
        for row in range(count)
    )
    names = ", ".join(map(dialect.quote, table.columns))
    return f"INSERT INTO {dialect.quote(table.name)} ({names}) VALUES ({'), ('.join(marks)})"


def _extent(table: RowTable, rows: Sequence[PlainRow]) -> str:
    """Which rows, for people."""
    if ID not in table.columns:
        return ""
    at = list(table.columns).index(ID)
    return f", ids {rows[0][at]} to {rows[-1][at]}"


async def ids_among(connection: Connection, dialect: Dialect, table: str, ids: Sequence[int]) -> set[int]:
    """Which of these ids a table has."""
    found: set[int] = set()
    for start in range(0, len(ids), dialect.most_values):
        part = ids[start : start + dialect.most_values]
        marks = ", ".join(dialect.mark(number + 1) for number in range(len(part)))
        text = f"SELECT {dialect.quote(ID)} FROM {dialect.quote(table)} WHERE {dialect.quote(ID)} IN ({marks})"
        found.update(row[0] for row in await connection.fetch_all(text, part))
    return found
