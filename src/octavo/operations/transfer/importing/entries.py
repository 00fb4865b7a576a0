"""EntryLoader: convert an archive's entries with their components to rows, inserted in batches. Ids stay the same."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.operations.transfer.archive.reader import Place
from octavo.operations.transfer.archive.records import EntityRecord, read_id
from octavo.operations.transfer.archive.schemas import moves
from octavo.operations.transfer.entries.json_values import from_json
from octavo.operations.transfer.entries.tables import EntryTable, EntryTables
from octavo.operations.transfer.problems import TransferError
from octavo.operations.transfer.rows.plain_values import obstacle
from octavo.operations.transfer.rows.tables import ID, PlainRow, RowTable, ids_among, insert_rows
from octavo.query.sql.dialects.base import Dialect
from octavo.schema.attributes import ComponentField, DynamicZone

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


_KIND: Final = "__component"
_DEEPEST: Final = 50

Change = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class EntryLoader:
    """Converts entries to rows. `changes` modify the data of some types first.

    `entries` counts loaded entries by type, `left_out` those without a type in this project.
    """

    def __init__(self, tables: EntryTables, pending: PendingRows, changes: Mapping[str, Change]) -> None:
        self._tables = tables
        self._pending = pending
        self._changes = changes
        self.entries: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()

    def add(self, place: Place, record: EntityRecord) -> bool:
        """Load one entry. Return False if the project does not have its type. Raises TransferError."""
        table = self._tables.of.get(record.type) if moves(record.type) else None
        if table is None:
            self.left_out[record.type] += 1
            return False
        change = self._changes.get(record.type)
        self._add(table, record.id, change(record.data) if change else record.data, place, 0)
        self.entries[record.type] += 1
        return True

    def _add(self, table: EntryTable, number: int, data: Mapping[str, Any], place: Place, depth: int) -> None:
        if depth > _DEEPEST:
            raise place.refusal(f"components are nested more than {_DEEPEST} levels deep")
        self._pending.add(table.rows, [number, *self._values(table, data, place)], place)
        known = {ID, _KIND, *table.definition.attributes}
        self.left_out.update(f"{table.uid}.{name}" for name in data if name not in known)
        for name, attribute in table.components.items():
            self._add_components(table, number, attribute, data.get(name), place, depth)

    def _values(self, table: EntryTable, data: Mapping[str, Any], place: Place) -> Iterator[Any]:
        for scalar in table.scalars:
            try:
                yield from_json(scalar.kind, data.get(scalar.attribute))
            except ValueError as error:
                raise place.refusal(f"{table.uid}.{scalar.attribute} {error}") from error

    def _add_components(
        self,
        owner: EntryTable,
        number: int,
        attribute: ComponentField | DynamicZone,
        value: Any,
        place: Place,
        depth: int,
    ) -> None:
        where = f"{owner.uid}.{attribute.name}"
        if attribute.to_many and not isinstance(value, list | None):
            raise place.refusal(f"{where} is not a list")
        items = (value or []) if attribute.to_many else [] if value is None else [value]
        for position, item in enumerate(items, 1):
            if not isinstance(item, dict):
                raise place.refusal(f"{where} contains a value that is not a component")
            uid = item.get(_KIND) if isinstance(attribute, DynamicZone) else attribute.component
            table = self._tables.of.get(str(uid))
            if table is None:
                self.left_out[f"{where}: {uid}"] += 1
                continue
            component_id = read_id(place, item, ID)
            self._add(table, component_id, item, place, depth + 1)
            self._join(
                owner, [number, component_id, uid, attribute.name, position if attribute.to_many else None], place
            )

    def _join(self, owner: EntryTable, values: PlainRow, place: Place) -> None:
        names = owner.names
        assert owner.joining is not None
        columns = (
            names.entity_column,
            names.component_column,
            names.type_column,
            names.field_column,
            names.order_column,
        )
        self._pending.add(owner.joining.with_columns(columns), values, place, joining=True)
