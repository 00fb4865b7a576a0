"""LinkLoader: convert an archive's links to rows of link tables, with their positions in both directions."""

from collections import Counter, defaultdict
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.database.connection import Connection
from octavo.operations.transfer.archive.reader import Place
from octavo.operations.transfer.archive.records import LinkEnd, LinkRecord
from octavo.operations.transfer.entries.tables import EntryTable, EntryTables
from octavo.operations.transfer.importing.entries import PendingRows
from octavo.operations.transfer.rows.tables import ids_among
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import MORPH_ONE_COLUMNS, link_table, morph_table
from octavo.schema.attributes import Relation
from octavo.schema.content_types import Component

_MOST_LINKS: Final = 1000


@dataclass(frozen=True, slots=True)
class _Link:
    place: Place
    record: LinkRecord
    table: EntryTable
    relation: Relation


class LinkLoader:
    """Collects links, and writes them in batches after the entries.

    A link without one of its ends is an error, except for two kinds that v4 exports: links of components without an
    entry, and morph links to deleted entries. They are left out and counted, like links that this project does not
    have.
    """

    def __init__(self, connection: Connection, dialect: Dialect, tables: EntryTables) -> None:
        self._connection = connection
        self._dialect = dialect
        self._tables = tables
        self._waiting: list[_Link] = []
        self._pending = PendingRows(connection, dialect)
        self.links = 0
        self.left_out: Counter[str] = Counter()

    async def add(self, place: Place, record: LinkRecord) -> None:
        """Add one link. Raises TransferError."""
        table = self._tables.of.get(record.left.type)
        relation = table.definition.attributes.get(record.left.field or "") if table else None
        known = record.right.type in self._tables.of
        if table is None or not known or not isinstance(relation, Relation) or not _fits(relation, record):
            self.left_out[f"{record.left.type}.{record.left.field}"] += 1
            return
        self._waiting.append(_Link(place, record, table, relation))
        if len(self._waiting) >= _MOST_LINKS:
            await self.write()

    async def write(self) -> None:
        """Write the collected links."""
        present = await self._present()
        for link in self._waiting:
            if self._is_whole(link, present):
                await self._put(link)
                self.links += 1
        self._waiting.clear()
        await self._pending.write()

    async def _present(self) -> set[tuple[str, int]]:
        """Return the existing ends, as UID and id."""
        wanted: defaultdict[str, set[int]] = defaultdict(set)
        for link in self._waiting:
            for end in (link.record.left, link.record.right):
                wanted[end.type].add(end.id)
        found: set[tuple[str, int]] = set()
        for uid, ids in wanted.items():
            table = self._tables.of[uid].rows.name
            present = await ids_among(self._connection, self._dialect, table, sorted(ids))
            found.update((uid, number) for number in present)
        return found

    def _is_whole(self, link: _Link, present: set[tuple[str, int]]) -> bool:
        left, right = link.record.left, link.record.right
        missing = [end for end in (left, right) if (end.type, end.id) not in present]
        if not missing:
            return True
        for end in missing:
            if not self._may_be_missing(link, end):
                raise link.place.refusal(f"no {end.type} has the ID {end.id}")
        self.left_out[f"{left.type}.{left.field}"] += 1
        return False

    def _may_be_missing(self, link: _Link, end: LinkEnd) -> bool:
        is_component = isinstance(self._tables.of[end.type].definition, Component)
        return is_component or (link.relation.is_morph and end is link.record.right)

    async def _put(self, link: _Link) -> None:
        record, definition = link.record, link.table.definition
        if link.relation.kind == "morphToOne":
            await self._point(link)
        elif link.relation.kind == "morphToMany":
            morph = morph_table(definition, link.relation.name)
            right = record.right
            row = [record.left.id, right.id, right.type, right.field, right.position]
            self._pending.add(self._tables.morph_rows(morph), row, link.place)
        else:
            names = link_table(self._tables.registry, definition, link.relation)
            values: dict[str, Any] = {names.source_column: record.left.id, names.target_column: record.right.id}
            if names.order_column is not None:
                values[names.order_column] = record.left.position
            if names.inverse_order_column is not None:
                values[names.inverse_order_column] = record.right.position
            rows = self._tables.link_rows(names)
            self._pending.add(rows, [values[column] for column in rows.columns], link.place)

    async def _point(self, link: _Link) -> None:
        """Store a morphToOne link, which is in the entry's own row."""
        names = [self._dialect.quote(column) for column in MORPH_ONE_COLUMNS]
        marks = [self._dialect.mark(number) for number in (2, 3, 1)]
        text = (
            f"UPDATE {self._dialect.quote(link.table.rows.name)} SET {names[0]} = {marks[0]}, {names[1]} = {marks[1]} "
            f"WHERE id = {marks[2]}"
        )
        right = link.record.right
        await self._connection.execute(text, (link.record.left.id, right.id, right.type))


def _fits(relation: Relation, record: LinkRecord) -> bool:
    """Return whether the project's relation stores links to the same type."""
    if relation.kind in ("morphOne", "morphMany"):
        return False
    return relation.target is None or relation.target == record.right.type
