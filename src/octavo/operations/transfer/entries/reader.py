"""EntryReader: read entries in the form of archives, with their components, and the links between them."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from octavo.database.connection import Connection
from octavo.operations.transfer.entries.json_values import shortest, to_json
from octavo.operations.transfer.entries.tables import EntryTable, EntryTables
from octavo.operations.transfer.problems import Problems, TransferError
from octavo.operations.transfer.rows.tables import ID, PlainRow, RowTable, read_batches
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import MORPH_ONE_COLUMNS, link_table, morph_table
from octavo.schema.attributes import ComponentField, DynamicZone, Relation
from octavo.schema.scalar_types import ValueKind

_PAGE_BITS: Final = 16


class KnownIds:
    """A compact set of positive integers: a bit for each number of a dense range."""

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def add(self, number: int) -> None:
        page = self._pages.setdefault(number >> _PAGE_BITS, bytearray(1 << (_PAGE_BITS - 3)))
        page[(number >> 3) & 0x1FFF] |= 1 << (number & 7)

    def __contains__(self, number: int) -> bool:
        page = self._pages.get(number >> _PAGE_BITS)
        return page is not None and bool(page[(number >> 3) & 0x1FFF] >> (number & 7) & 1)


Json = dict[str, Any]


class EntryReader:
    """Reads all entries for an archive. Links are read after the entries, whose ids are known then.

    `dangling` counts the links by table whose target was not read; they are left out. `invalid` lists values that are
    invalid for their attribute; they are read as null. Without it, they raise TransferError.
    """

    def __init__(
        self, connection: Connection, dialect: Dialect, tables: EntryTables, invalid: Problems | None = None
    ) -> None:
        self._invalid = invalid
        self._connection = connection
        self._dialect = dialect
        self._tables = tables
        self._known: defaultdict[str, KnownIds] = defaultdict(KnownIds)
        self.dangling: defaultdict[str, int] = defaultdict(int)

    async def entries(self, table: EntryTable) -> AsyncIterator[tuple[int, Json]]:
        """Yield the entries of a content type as (id, data), ordered by id."""
        async for rows in read_batches(self._connection, self._dialect, table.rows, invalid=self._invalid):
            for entry_id, data in (await self._whole(table, rows)).items():
                yield entry_id, data

    async def know(self, table: EntryTable) -> None:
        """Read only the ids of a type's entries, so that links to them are valid."""
        async for rows in read_batches(self._connection, self._dialect, table.rows.with_columns([ID])):
            for (entry_id,) in rows:
                self._known[table.uid].add(entry_id)

    async def _whole(self, table: EntryTable, rows: Sequence[PlainRow]) -> dict[int, Json]:
        known = self._known[table.uid]
        entries: dict[int, Json] = {}
        for row in rows:
            known.add(row[0])
            entries[row[0]] = self._scalars(table, row)
        if table.joining is not None and entries:
            await self._add_components(table, entries)
        return entries

    def _scalars(self, table: EntryTable, row: PlainRow) -> Json:
        data: Json = {}
        for scalar, value in zip(table.scalars, row[1:], strict=True):
            try:
                data[scalar.attribute] = to_json(scalar.kind, value)
            except ValueError as error:
                problem = f"{table.rows.place(scalar.column, row[0])}: {error}"
                if self._invalid is None:
                    raise TransferError(problem) from error
                self._invalid.add(problem)
                data[scalar.attribute] = None
        return data

    async def _add_components(self, table: EntryTable, entries: Mapping[int, Json]) -> None:
        joined = await self._joined(table, list(entries))
        ids: defaultdict[str, list[int]] = defaultdict(list)
        for _, component_id, uid, _ in joined:
            ids[uid].append(component_id)
        components = {
            uid: await self._components(uid, component_ids)
            for uid, component_ids in ids.items()
            if uid in self._tables.of
        }
        for data in entries.values():
            data.update((name, _nothing(attribute)) for name, attribute in table.components.items())
        for entry_id, component_id, uid, name in joined:
            attribute, component = table.components.get(name), components.get(uid, {}).get(component_id)
            if attribute is None or component is None or not _holds(attribute, uid):
                self.dangling[table.names.name] += 1
            else:
                _put(entries[entry_id], attribute, uid, component)

    async def _joined(self, table: EntryTable, ids: Sequence[int]) -> list[tuple[int, int, str, str]]:
        """Return entry, component, its UID and the attribute, in order, without duplicates under a former name."""
        names, quote = table.names, self._dialect.quote
        chosen = (names.entity_column, names.component_column, names.type_column, names.field_column)
        columns = ", ".join(map(quote, chosen))
        order = ", ".join(map(quote, (names.entity_column, names.field_column, names.order_column, ID)))
        text = (
            f"SELECT {columns} FROM {quote(names.name)} WHERE {quote(names.entity_column)} IN ({{}}) ORDER BY {order}"
        )
        uid_of = partial(self._tables.registry.component_held, table.definition)
        rows = [(row[0], row[1], uid_of(row[3], row[2]), row[3]) async for row in self._fetch_by(text, ids)]
        return list(dict.fromkeys(rows))

    async def _components(self, uid: str, ids: Sequence[int]) -> dict[int, Json]:
        table = self._tables.of[uid]
        components: dict[int, Json] = {}
        most = self._dialect.most_values
        for start in range(0, len(ids), most):
            where = f"{self._dialect.quote(ID)} IN ({', '.join(map(str, map(int, ids[start : start + most])))})"
            async for rows in read_batches(self._connection, self._dialect, table.rows, where, invalid=self._invalid):
                whole = await self._whole(table, rows)
                components.update((number, {ID: number, **data}) for number, data in whole.items())
        return components

    async def _fetch_by(self, text: str, ids: Sequence[int]) -> AsyncIterator[Sequence[Any]]:
        most = self._dialect.most_values
        for start in range(0, len(ids), most):
            part = ids[start : start + most]
            marks = ", ".join(self._dialect.mark(number + 1) for number in range(len(part)))
            for row in await self._connection.fetch_all(text.format(marks), part):
                yield row

    async def links(self, table: EntryTable) -> AsyncIterator[Json]:
        """Yield the links that a definition stores."""
        for relation in self._tables.relations(table.definition):
            match relation.kind:
                case "morphToMany":
                    links = self._morphs(table, relation)
                case "morphToOne":
                    links = self._morph_ones(table, relation)
                case _:
                    links = self._links(table, relation)
            async for link in links:
                yield link

    async def _links(self, table: EntryTable, relation: Relation) -> AsyncIterator[Json]:
        link, target = link_table(self._tables.registry, table.definition, relation), str(relation.target)
        kind = "relation.circular" if target == table.uid else "relation.basic"
        inverse = {"field": relation.inversed_by} if relation.inversed_by else {}
        rows = self._tables.link_rows(link)
        async for row in self._rows(rows):
            values = dict(zip(rows.columns, row, strict=True))
            left, right = values[link.source_column], values[link.target_column]
            if not self._has(link.name, (table.uid, left), (target, right)):
                continue
            yield {
                "kind": kind,
                "relation": relation.kind,
                "left": {"type": table.uid, "field": relation.name, "ref": left, **_at(values, link.order_column)},
                "right": {"type": target, **inverse, "ref": right, **_at(values, link.inverse_order_column)},
            }

    async def _morphs(self, table: EntryTable, relation: Relation) -> AsyncIterator[Json]:
        morph = morph_table(table.definition, relation.name)
        async for owner, number, uid, field, order in self._rows(self._tables.morph_rows(morph)):
            if self._has(morph.name, (table.uid, owner), (uid, number)):
                left = {"type": table.uid, "field": relation.name, "ref": owner}
                position = None if order is None else shortest(order)
                right = {"ref": number, "pos": position, "type": uid, "field": field}
                yield {"kind": "relation.morph", "relation": relation.kind, "left": left, "right": right}

    async def _morph_ones(self, table: EntryTable, relation: Relation) -> AsyncIterator[Json]:
        id_column, type_column = MORPH_ONE_COLUMNS
        columns = {ID: ValueKind.INTEGER, id_column: ValueKind.INTEGER, type_column: ValueKind.STRING}
        rows = RowTable(table.rows.name, columns)
        filled = f"{self._dialect.quote(id_column)} IS NOT NULL AND {self._dialect.quote(type_column)} IS NOT NULL"
        async for batch in read_batches(self._connection, self._dialect, rows, filled):
            for owner, number, uid in batch:
                if self._has(rows.name, (table.uid, owner), (uid, number)):
                    left = {"type": table.uid, "ref": owner, "field": relation.name}
                    right = {"type": uid, "ref": number}
                    yield {"kind": "relation.morph", "relation": relation.kind, "left": left, "right": right}

    async def _rows(self, table: RowTable) -> AsyncIterator[PlainRow]:
        with_ids = RowTable(table.name, {ID: ValueKind.INTEGER, **table.columns})
        async for batch in read_batches(self._connection, self._dialect, with_ids):
            for row in batch:
                yield row[1:]

    def _has(self, table: str, *ends: tuple[str, int | None]) -> bool:
        """Return whether both ends were read. Other links are left from deleted entries or belong to administrators."""
        if all(number is not None and uid in self._known and number in self._known[uid] for uid, number in ends):
            return True
        self.dangling[table] += 1
        return False


def _nothing(attribute: ComponentField | DynamicZone) -> Any:
    return [] if attribute.to_many else None


def _holds(attribute: ComponentField | DynamicZone, uid: str) -> bool:
    """Return whether a component can be the value of an attribute. Dynamic zones accept any."""
    return isinstance(attribute, DynamicZone) or attribute.component == uid


def _put(data: Json, attribute: ComponentField | DynamicZone, uid: str, component: Json) -> None:
    if isinstance(attribute, DynamicZone):
        data[attribute.name].append({"__component": uid, **component})
    elif attribute.to_many:
        data[attribute.name].append(component)
    else:
        data[attribute.name] = component


def _at(values: Mapping[str, Any], column: str | None) -> Json:
    position = None if column is None else values[column]
    return {} if position is None else {"pos": shortest(position)}
