"""EntryLoader: convert an archive's entries with their components to rows. Ids stay the same."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from octavo.operations.transfer.archive.reader import Place
from octavo.operations.transfer.archive.records import EntityRecord, read_id
from octavo.operations.transfer.archive.schemas import moves
from octavo.operations.transfer.entries.json_values import from_json
from octavo.operations.transfer.entries.tables import EntryTable, EntryTables
from octavo.operations.transfer.importing.pending_rows import PendingRows
from octavo.operations.transfer.rows.tables import ID, PlainRow
from octavo.schema.attributes import ComponentField, DynamicZone

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
