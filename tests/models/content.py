"""Write content into v4's tables row by row, so that tests of reads do not depend on Octavo's writer.

Ids are counted here, so the same content has the same ids on every database.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from octavo.database.connection import Connection
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import (
    CREATOR_COLUMNS,
    column_name,
    component_table,
    link_table,
    morph_table,
    table_name,
)
from octavo.schema.attributes import ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import SCALAR_TYPES, ValueKind

Row = dict[str, Any]

_CASTS = {
    ValueKind.DECIMAL: "{}::text::numeric",
    ValueKind.DATE: "{}::text::date",
    ValueKind.TIME: "{}::text::time",
    ValueKind.JSON: "{}::text::jsonb",
}


class ContentWriter:
    """Adds entries of a registry's content types. Times are in milliseconds, JSON is the value itself."""

    def __init__(self, connection: Connection, registry: Registry, dialect: Dialect) -> None:
        self._connection = connection
        self._registry = registry
        self._dialect = dialect
        self._ids: Counter[str] = Counter()

    async def add(self, uid: str, **values: Any) -> int:
        """Add an entry or component with nested values and return its id. Relations take ids, or (UID, id) pairs."""
        definition = self._registry.definition(uid)
        row, kinds = self._own_row(definition, values)
        entry_id = await self._insert(table_name(definition), row, kinds)
        for name, value in values.items():
            if name in definition.attributes and value is not None:
                await self._attach(definition, entry_id, name, value)
        return entry_id

    async def insert(self, table: str, **row: Any) -> int:
        """Insert a row of a table without a definition."""
        return await self._insert(table, row, {})

    def _own_row(self, definition: Definition, values: Mapping[str, Any]) -> tuple[Row, dict[str, ValueKind]]:
        row: Row = {}
        kinds: dict[str, ValueKind] = {}
        for name, value in values.items():
            attribute = definition.attributes[name]
            if isinstance(attribute, Scalar):
                column = column_name(attribute)
                row[column], kinds[column] = value, SCALAR_TYPES[attribute.type].kind
            elif name in CREATOR_COLUMNS:
                row[CREATOR_COLUMNS[name]] = value
            elif isinstance(attribute, Relation) and attribute.kind == "morphToOne" and value:
                row["target_type"], row["target_id"] = value
        return row, kinds

    async def _insert(self, table: str, row: Mapping[str, Any], kinds: Mapping[str, ValueKind]) -> int:
        self._ids[table] += 1
        columns, places, given = ["id"], [self._dialect.mark(1)], [self._ids[table]]
        for position, (column, value) in enumerate(row.items(), 2):
            columns.append(column)
            places.append(self._place(position, kinds.get(column)))
            given.append(self._value(value, kinds.get(column)))
        names, target = ", ".join(map(self._dialect.quote, columns)), self._dialect.quote(table)
        await self._connection.execute(f"INSERT INTO {target} ({names}) VALUES ({', '.join(places)})", given)
        return self._ids[table]

    def _place(self, position: int, kind: ValueKind | None) -> str:
        mark = self._dialect.mark(position)
        if kind in (ValueKind.DATETIME, ValueKind.TIMESTAMP):
            return self._dialect.instant(mark)
        return _CASTS.get(kind, "{}").format(mark) if kind and self._dialect.name == "postgresql" else mark

    def _value(self, value: Any, kind: ValueKind | None) -> Any:
        if value is None:
            return None
        if kind is ValueKind.JSON:
            return json.dumps(value, ensure_ascii=False)
        if kind is ValueKind.DECIMAL and self._dialect.name == "postgresql":
            return str(value)
        return value

    async def _attach(self, definition: Definition, entry_id: int, name: str, value: Any) -> None:
        match definition.attributes[name]:
            case Media() as media:
                await self._attach_files(definition, entry_id, media.name, _listed(value))
            case ComponentField(component=uid):
                parts = [{"__component": uid, **part} for part in _listed(value)]
                await self._attach_components(definition, entry_id, name, parts)
            case DynamicZone():
                await self._attach_components(definition, entry_id, name, _listed(value))
            case Relation(kind="morphToMany") as relation:
                await self._attach_morphs(definition, entry_id, relation, _listed(value))
            case Relation() as relation if not relation.is_morph and name not in CREATOR_COLUMNS:
                await self._attach_links(definition, entry_id, relation, _listed(value))

    async def _attach_files(self, definition: Definition, entry_id: int, name: str, files: list[int]) -> None:
        for order, file_id in enumerate(files, 1):
            row = {"file_id": file_id, "related_id": entry_id, "related_type": definition.uid, "field": name}
            await self.insert("files_related_morphs", **row, order=float(order))

    async def _attach_components(self, owner: Definition, entry_id: int, name: str, parts: Iterable[Row]) -> None:
        for order, part in enumerate(parts, 1):
            values = dict(part)
            uid = values.pop("__component")
            component_id = await self.add(uid, **values)
            row = {"entity_id": entry_id, "component_id": component_id, "component_type": uid, "field": name}
            await self.insert(component_table(owner).name, **row, order=float(order))

    async def _attach_morphs(
        self, definition: Definition, entry_id: int, relation: Relation, targets: list[tuple[str, int, str]]
    ) -> None:
        morph = morph_table(definition, relation.name)
        for order, (uid, target_id, field) in enumerate(targets, 1):
            row = {morph.owner_column: entry_id, morph.id_column: target_id, morph.type_column: uid, "field": field}
            await self.insert(morph.name, **row, order=float(order))

    async def _attach_links(self, definition: Definition, entry_id: int, relation: Relation, ids: list[int]) -> None:
        link = link_table(self._registry, definition, relation)
        for order, target_id in enumerate(ids, 1):
            row: Row = {link.source_column: entry_id, link.target_column: target_id}
            if link.order_column:
                row[link.order_column] = float(order)
            if link.inverse_order_column:
                row[link.inverse_order_column] = float(entry_id)
            await self.insert(link.name, **row)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
