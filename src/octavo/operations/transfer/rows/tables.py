"""Tables with columns of known kinds: read them in batches and insert rows."""

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.database.connection import Connection, IntegrityViolation, RowReader, UniqueViolation, UnsuitableValue
from octavo.operations.transfer.problems import Problems, TransferError
from octavo.operations.transfer.rows.plain_values import KIND_OF_WORD, plain, reading
from octavo.query.sql.ddl.tables import Table
from octavo.query.sql.dialects.base import BasicDialect, Dialect
from octavo.schema.scalar_types import ValueKind

ID: Final = "id"

_LEAST_ID: Final = -(2**31)
_FIRST_ROWS: Final = 50
_MOST_ROWS: Final = 1000
_BATCH_BYTES: Final = 4_000_000
"""Target size of a batch of rows, which is about the memory that it takes."""

_STATEMENT_BYTES: Final = 1_000_000
"""Target size of an INSERT, where the database limits it."""
_NUMBER_BYTES: Final = 32
_ROW_NUMBER: Final = re.compile(r" at row (\d+)$")
"""The end of an error message of MySQL."""
_EQUAL_TEXTS: Final = (
    "The collation of the target's columns decides which texts are equal. To tell them apart, create the target with "
    "the collation utf8mb4_nopad_bin (MariaDB) or utf8mb4_0900_bin (MySQL)"
)

PlainRow = list[Any]


@dataclass(frozen=True, slots=True)
class RowTable:
    """A table, and its columns by name with their kinds."""

    name: str
    columns: Mapping[str, ValueKind]

    def with_columns(self, names: Sequence[str]) -> "RowTable":
        """Return the table with only these columns."""
        return RowTable(self.name, {name: self.columns[name] for name in names})

    def place(self, column: str, row_id: Any) -> str:
        """Return a value's location, for display."""
        return f"{self.name}.{column}, id {row_id}"


def row_table(table: Table) -> RowTable:
    """Convert the table of a definition. Its `tables.Column.type` are Octavo's type names."""
    return RowTable(table.name, {column.name: KIND_OF_WORD[column.type] for column in table.columns})


async def read_batches(
    connection: RowReader,
    dialect: BasicDialect,
    table: RowTable,
    where: str = "1 = 1",
    expressions: Mapping[str, str] = MappingProxyType({}),
    invalid: Problems | None = None,
) -> AsyncIterator[list[PlainRow]]:
    """Yield all rows that match a condition in batches, ordered by id, as plain values in the columns' order.

    `expressions` replace columns. A batch is a few megabytes. Values that are invalid for their column are added to
    `invalid` and read as null. Without it, they raise TransferError.
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
    """Return the next batch size, a power of two, so that there are few different statements."""
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
    """Insert plain rows with values in the columns' order. Raises TransferError."""
    kinds = list(table.columns.values())
    for part in _statement_rows(dialect, table, rows):
        values = [dialect.bind(kind, value) for row in part for kind, value in zip(kinds, row, strict=True)]
        try:
            await connection.execute(_insert_text(dialect, table, len(part)), values)
        except (IntegrityViolation, UnsuitableValue) as error:
            raise TransferError(_refusal(dialect, table, part, error)) from error


def _statement_rows(dialect: Dialect, table: RowTable, rows: Sequence[PlainRow]) -> Iterator[Sequence[PlainRow]]:
    """Yield the rows of each INSERT."""
    step = max(dialect.most_values // len(table.columns), 1)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        yield from (part,) if dialect.largest_statement is None else _small_parts(part, dialect.largest_statement)


def _small_parts(rows: Sequence[PlainRow], largest: int) -> Iterator[Sequence[PlainRow]]:
    """Cut rows into parts with a limited number of bytes. A part has one row at least."""
    start, size, most = 0, 0, min(_STATEMENT_BYTES, largest // 2)
    for end, row in enumerate(rows):
        added = row_bytes(row)
        if size + added > most and end > start:
            yield rows[start:end]
            start, size = end, 0
        size += added
    if rows:
        yield rows[start:]


def row_bytes(row: PlainRow) -> int:
    """Return about how many bytes a row takes in a statement of literals, which is never less than the real number."""
    return sum(_text_bytes(value) if isinstance(value, str) else _NUMBER_BYTES for value in row)


def _text_bytes(text: str) -> int:
    """Return the bytes of a quoted text, in which quotes and backslashes are doubled."""
    encoded = len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
    return encoded + text.count("'") + text.count("\\") + _NUMBER_BYTES


def _refusal(dialect: Dialect, table: RowTable, rows: Sequence[PlainRow], error: Exception) -> str:
    """Return why the database did not accept rows, in its own words."""
    cause = error.__cause__
    reason = str(cause.args[-1]) if cause is not None and cause.args else str(error)
    number = _ROW_NUMBER.search(reason)
    if number is not None and int(number[1]) <= len(rows):
        rows, reason = rows[int(number[1]) - 1 :][:1], reason[: number.start()]
    told = f"{table.name}{_extent(table, rows)}: {reason}"
    is_text = isinstance(error, UniqueViolation) and dialect.texts_by_collation
    return f"{told}. {_EQUAL_TEXTS}" if is_text else told


def _insert_text(dialect: Dialect, table: RowTable, count: int) -> str:
    kinds, width = list(table.columns.values()), len(table.columns)
    marks = (
        ", ".join(dialect.placeholder(row * width + at + 1, kind) for at, kind in enumerate(kinds))
        for row in range(count)
    )
    names = ", ".join(map(dialect.quote, table.columns))
    return f"INSERT INTO {dialect.quote(table.name)} ({names}) VALUES ({'), ('.join(marks)})"


def _extent(table: RowTable, rows: Sequence[PlainRow]) -> str:
    """Format the range of rows, for display."""
    if ID not in table.columns:
        return ""
    at = list(table.columns).index(ID)
    first, last = rows[0][at], rows[-1][at]
    return f", id {first}" if first == last else f", ids {first} to {last}"


async def ids_among(connection: Connection, dialect: Dialect, table: str, ids: Sequence[int]) -> set[int]:
    """Return which of the ids exist in a table."""
    existing: set[int] = set()
    for start in range(0, len(ids), dialect.most_values):
        part = ids[start : start + dialect.most_values]
        marks = ", ".join(dialect.mark(number + 1) for number in range(len(part)))
        text = f"SELECT {dialect.quote(ID)} FROM {dialect.quote(table)} WHERE {dialect.quote(ID)} IN ({marks})"
        existing.update(row[0] for row in await connection.fetch_all(text, part))
    return existing
