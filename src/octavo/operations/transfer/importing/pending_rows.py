"""PendingRows: rows to insert in batches, each with the archive line it comes from."""

from collections.abc import Sequence
from dataclasses import field
from typing import Final

from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.operations.transfer.archive.reader import Place
from octavo.operations.transfer.problems import TransferError
from octavo.operations.transfer.rows.plain_values import obstacle
from octavo.operations.transfer.rows.tables import ID, PlainRow, RowTable, ids_among, insert_rows
from octavo.query.sql.dialects.base import Dialect

_MOST_ROWS: Final = 2000
_MOST_BYTES: Final = 4_000_000


@dataclass(slots=True)
class _Pending:
    table: RowTable
    rows: list[PlainRow] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)


class PendingRows:
    """Rows by table. Tables are written in the order of their first row, those of `joining` last."""

    def __init__(self, connection: Connection, dialect: Dialect) -> None:
        self._connection = connection
        self._dialect = dialect
        self._tables: dict[tuple[bool, str], _Pending] = {}
        self._rows = 0
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether the batch is full."""
        return self._rows >= _MOST_ROWS or self._bytes >= _MOST_BYTES

    def add(self, table: RowTable, row: PlainRow, place: Place, *, joining: bool = False) -> None:
        """Add a row. Raises TransferError for a value that the database cannot store."""
        for (name, kind), value in zip(table.columns.items(), row, strict=True):
            problem = obstacle(kind, value, self._dialect.column_limits, rounded=True)
            if problem is not None:
                raise place.refusal(f"{table.name}.{name} {problem}")
            self._bytes += len(value) if isinstance(value, str) else 0
        pending = self._tables.setdefault((joining, table.name), _Pending(table))
        pending.rows.append(row)
        pending.places.append(place)
        self._rows += 1

    async def write(self) -> None:
        """Write all rows, those of referenced tables first."""
        for key in sorted(self._tables, key=lambda key: key[0]):
            await self._write(self._tables[key])
        self._tables.clear()
        self._rows = self._bytes = 0

    async def _write(self, pending: _Pending) -> None:
        if ID in pending.table.columns:
            await self._refuse_doubles(pending)
        try:
            await insert_rows(self._connection, self._dialect, pending.table, pending.rows)
        except TransferError as error:
            raise TransferError(f"{_extent(pending.places)}: {error}") from error

    async def _refuse_doubles(self, pending: _Pending) -> None:
        at = list(pending.table.columns).index(ID)
        ids = [row[at] for row in pending.rows]
        seen = await ids_among(self._connection, self._dialect, pending.table.name, ids)
        for number, place in zip(ids, pending.places, strict=True):
            if number in seen:
                raise place.refusal(f"duplicate ID {number} of {pending.table.name}")
            seen.add(number)


def _extent(places: Sequence[Place]) -> str:
    first, last = places[0], places[-1]
    return str(first) if first == last else f"{first} to {last.line if first.file == last.file else last}"
