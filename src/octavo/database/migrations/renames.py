"""Renames in migrations: tables and everything that belongs to them, and field names in stored rows.

Each does nothing if the old name does not exist, as on a new database, so that a migration works on every database of a
project. An existing target is replaced if it is empty, because a start may have created it in the meantime.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from octavo.database.migrations.transaction import MigrationTransaction
from octavo.database.synchronize import found_tables
from octavo.query.sql.ddl.changes import CreateIndex, DropColumn, DropTable
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.ddl.tables import Table
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.scalar_types import ValueKind

_PERMISSIONS: Final = "admin_permissions"
SETTINGS: Final = "strapi_core_store_settings"
_LAYOUT: Final = "plugin_content_manager_configuration_"
COMPONENT_LAYOUT: Final = f"{_LAYOUT}components::"
_LAYOUTS: Final = RawStatement("SELECT id, value FROM strapi_core_store_settings WHERE {key:name} IN ({one}, {other})")
_SORTS: Final = ("mainField", "defaultSortBy")

Change = Callable[[Any], Any]


class RenamingTransaction(MigrationTransaction):
    """The transaction of a migration, with methods for renaming."""

    async def rename_table(self, old: str, new: str) -> None:
        """Rename a table. Raises ValueError if a table with the new name has rows."""
        tables = await found_tables(self.connection, self.dialect)
        old, new = self._name(old), self._name(new)
        if old not in tables or old == new:
            return
        if new in tables:
            if await self._any(f"SELECT 1 FROM {self.dialect.quote(new)} LIMIT 1"):
                raise ValueError(f"both {old} and {new} exist, and {new} has rows")
            await self._release(tables, new)
            await self.run_all(DropTable(new).statements(self.dialect))
        await self.run_all([self.dialect.rename_table(old, new)])

    async def _release(self, tables: Mapping[str, Table], target: str) -> None:
        """Drop the foreign keys that reference a table; the next synchronization adds them again."""
        for table in tables.values():
            for key in table.foreign_keys:
                if key.target == target and key.name and table.name != target:
                    await self.run_all([self.dialect.drop_foreign_key(table.name, key.name)])

    async def rename_column(self, table: str, old: str, new: str) -> None:
        """Rename a column. Raises ValueError if a column with the new name has values."""
        current = await self._find(table)
        old, new = self._name(old), self._name(new)
        columns = {column.name: column for column in current.columns} if current else {}
        if current is None or old not in columns or old == new:
            return
        if new in columns:
            name = self.dialect.quote(new)
            if await self._any(f"SELECT 1 FROM {self.dialect.quote(current.name)} WHERE {name} IS NOT NULL LIMIT 1"):
                raise ValueError(f"{current.name} has both {old} and {new}, and {new} has values")
            indexes = tuple(index for index in current.indexes if new in index.columns)
            keys = tuple(key for key in current.foreign_keys if key.column == new)
            await self.run_all(DropColumn(current.name, columns[new], indexes, keys).statements(self.dialect))
        await self.run_all([self.dialect.rename_column(current.name, old, new)])

    async def rename_index(self, table: str, old: str, new: str) -> None:
        """Rename an index."""
        current = await self._find(table)
        indexes = {index.name: index for index in current.indexes} if current else {}
        index, name = indexes.get(self._name(old)), self._name(new)
        if current is None or index is None or name in indexes:
            return
        renamed = self.dialect.rename_index(current.name, index.name, name)
        created = CreateIndex(current.name, replace(index, name=name))
        made = (*self.dialect.drop_index(current.name, index), *created.statements(self.dialect))
        await self.run_all([renamed] if renamed else made)

    async def rename_foreign_key(self, table: str, old: str, new: str) -> None:
        """Rename a foreign key, if its database has named ones."""
        current = await self._find(table)
        names = {key.name for key in current.foreign_keys} if current else set()
        text = self.dialect.rename_foreign_key(self._name(table), self._name(old), self._name(new))
        if text is not None and self._name(old) in names and self._name(new) not in names:
            await self.run_all([text])

    async def rename_rows(self, table: str, column: str, old: str, new: str, *, only: tuple[str, str] | None) -> None:
        """Replace a value of a column, in all rows or `only` in those where another column has a given value."""
        if await self._find(table) is None:
            return
        quote = self.dialect.quote
        text = f"UPDATE {quote(self._name(table))} SET {quote(column)} = {{new}} WHERE {quote(column)} = {{old}}"
        if only is None:
            await self.execute(text, old=old, new=new)
        else:
            await self.execute(f"{text} AND {quote(self._name(only[0]))} = {{only}}", old=old, new=new, only=only[1])

    async def rename_field(self, uid: str, old: str, new: str) -> None:
        """Rename a field in administrators' permissions, and in the layouts of v4's admin panel.

        `old` and `new` may be paths into components: `seo.title`.
        """
        if await self._find(_PERMISSIONS) is not None:
            await self._rename_permissions(uid, old, new)
        if "." not in old:
            await self._change_layout(uid, lambda layout: _renamed_layout(layout, old, new))

    async def rename_main_field(self, uid: str, attribute: str, old: str, new: str) -> None:
        """Rename the main field of an attribute's related entries, in the layouts of v4's admin panel."""

        def change(layout: Any) -> Any:
            for place in _members(layout, "metadatas", attribute):
                if isinstance(place, dict) and place.get("mainField") == old:
                    place["mainField"] = new
            return layout

        await self._change_layout(uid, change)

    async def _rename_permissions(self, uid: str, old: str, new: str) -> None:
        text = f"SELECT id, {self.dialect.as_text('properties')} FROM {_PERMISSIONS} WHERE subject = {{uid}}"
        for row_id, properties in await self.fetch_all(text, uid=uid):
            await self._save(_PERMISSIONS, "properties", ValueKind.JSON, row_id, properties, _renaming_fields(old, new))

    async def _change_layout(self, uid: str, change: Change) -> None:
        if await self._find(SETTINGS) is None:
            return
        keys = {"one": f"{_LAYOUT}content_types::{uid}", "other": f"{_LAYOUT}components::{uid}"}
        for row_id, value in await self.fetch_all(_LAYOUTS.text, **keys):
            await self._save(SETTINGS, "value", ValueKind.TEXT, row_id, value, change)

    async def _save(
        self, table: str, column: str, kind: ValueKind, row_id: int, text: str | None, change: Change
    ) -> None:
        """Update the JSON of one row, if it is valid and the function changes it."""
        try:
            before = json.loads(text or "null")
        except ValueError:
            return  # neither v4 nor Octavo can read it
        after = change(json.loads(text or "null"))
        if after == before:
            return
        value = self.dialect.placeholder(1, kind)
        said = f"UPDATE {table} SET {column} = {value} WHERE id = {self.dialect.mark(2)}"
        values = (json.dumps(after, ensure_ascii=False, separators=(",", ":")), row_id)
        self.said.append(f"{said}  -- {', '.join(map(repr, values))}")
        await self.connection.execute(said, values)

    async def _find(self, table: str) -> Table | None:
        return (await found_tables(self.connection, self.dialect)).get(self._name(table))

    async def _any(self, text: str) -> bool:
        return await self.connection.fetch_value(text) is not None

    def _name(self, name: str) -> str:
        return physical_name(name, self.dialect)


def _renaming_fields(old: str, new: str) -> Change:
    def renamed(field: Any) -> Any:
        if isinstance(field, str) and (field == old or field.startswith(f"{old}.")):
            return new + field[len(old) :]
        return field

    def change(properties: Any) -> Any:
        fields = properties.get("fields") if isinstance(properties, dict) else None
        if isinstance(fields, list):
            properties["fields"] = [renamed(field) for field in fields]
        return properties

    return change


def _renamed_layout(layout: Any, old: str, new: str) -> Any:
    """Return a layout of v4's admin panel with an attribute renamed everywhere, in the same order."""
    if not isinstance(layout, dict):
        return layout
    for settings in (layout.get("settings"), layout.get("options")):
        if isinstance(settings, dict):
            settings.update({key: new for key in _SORTS if settings.get(key) == old})
    metadatas = layout.get("metadatas")
    if isinstance(metadatas, dict):
        layout["metadatas"] = {new if key == old else key: value for key, value in metadatas.items()}
        for place in _members(layout, "metadatas", new):
            if isinstance(place, dict) and place.get("label") == old:
                place["label"] = new
    layouts = layout.get("layouts")
    if isinstance(layouts, dict):
        layout["layouts"] = {name: _renamed_places(places, old, new) for name, places in layouts.items()}
    return layout


def _renamed_places(places: Any, old: str, new: str) -> Any:
    """Rename in a list of names, or in layout rows with names."""
    if isinstance(places, list):
        return [_renamed_places(place, old, new) for place in places]
    if isinstance(places, dict):
        return {**places, "name": new} if places.get("name") == old else places
    return new if places == old else places


def _members(value: Any, *path: str) -> Iterator[Any]:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, dict):
        yield from value.values()
