"""Component names in stored rows that no definition has: find them, and rename them in the rows.

v4 reads a component attribute regardless of the name in its rows, but a dynamic zone by the names. Octavo does the
same, except for rows that refer to components of other entries: there the attribute got a different component, and the
ids belong to the former component's table.

v4 renames components in definitions only.
"""

from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from functools import partial
from typing import Final

from octavo.core.errors import OctavoError
from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.database.connection import Connection, Database, Transaction
from octavo.database.migrations.renames import COMPONENT_LAYOUT
from octavo.database.table_lock_retries import retry_locked
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import MorphTable, component_table, morph_tables
from octavo.query.sql.raw_statement import RawStatement, escape_braces
from octavo.schema.attributes import ComponentField, DynamicZone
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

_TOGETHER: Final = 50
"""Number of tables in one statement."""
_MOST_PLACES: Final = 4
_KINDS: Final = """
SELECT {number}, kind FROM (
  WITH RECURSIVE kinds (kind) AS (
    SELECT min(component_type) FROM {table}
    UNION ALL
    SELECT (SELECT min(component_type) FROM {table} WHERE component_type > kinds.kind) FROM kinds
    WHERE kinds.kind IS NOT NULL)
  SELECT kind FROM kinds WHERE kind IS NOT NULL) AS found"""
"""Skips from name to name along the index, so a large table takes no longer than a small one."""
_PLACES: Final = "SELECT field, count(*) FROM {table} WHERE component_type = {{name}} GROUP BY field ORDER BY field"
_ALL_PLACES: Final = "SELECT field, component_type, count(*) FROM {table} GROUP BY field, component_type ORDER BY 1, 2"
_OF_OTHERS: Final = """
SELECT count(*) FROM {table} held WHERE held.component_type = {{old}} AND held.field = {{field}}
AND held.component_id IN (SELECT other.component_id FROM {other} other WHERE other.component_type = {{new}})
AND NOT EXISTS (SELECT 1 FROM {table} twice WHERE twice.entity_id = held.entity_id AND twice.field = held.field
  AND twice.component_id = held.component_id AND twice.component_type = {{new}})"""
"""Rows that refer to components of other entries, except those that v4 has duplicated under the current name."""


class Meaning(StrEnum):
    """What rows with a name other than the definition's are."""

    FORMER = "former"  # the attribute's component under a former name: shown
    FOREIGN = "foreign"  # an unknown name, with ids that belong to other entries: not shown
    OTHER = "other"  # another existing component: not shown
    UNKNOWN = "unknown"  # in a dynamic zone, which is read by name: not shown, as in v4


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherName:
    """Rows of one attribute under one name. `component` is the attribute's component; for a dynamic zone, the component
    that has been renamed from it, if that can be determined."""

    uid: str
    attribute: str
    name: str
    rows: int
    meaning: Meaning
    component: str | None

    @property
    def says(self) -> str:
        """Describe what it means, and what to do."""
        rename = f"`octavo db rename-component {self.name} {self.component or 'NEW'}`"
        match self.meaning:
            case Meaning.FORMER:
                return f"the former name of {self.component}. Octavo serves them; {rename} updates the name"
            case Meaning.FOREIGN:
                return (
                    f"which no definition has, and their ids belong to {self.component} in other entries. They were "
                    "another component and are not served"
                )
            case Meaning.OTHER:
                return f"but the definition uses {self.component}. They are not served"
            case Meaning.UNKNOWN:
                return (
                    "which no definition has. They are not served, and are lost when the entry is saved. If it was "
                    f"renamed, run {rename}"
                )


@dataclass(frozen=True, slots=True)
class ComponentNames:
    """Finds the component names in a database's rows."""

    connection: Connection
    dialect: Dialect
    registry: Registry

    async def unknown(self) -> list[OtherName]:
        """Return the names that no definition has, by attribute. If there are none, this is fast for large tables,
        too."""
        unknown_names: list[OtherName] = []
        for definition, name in await self._unknown():
            table = self._table(definition)
            statement = RawStatement(_PLACES.format(table=escape_braces(table))).bind(self.dialect, name=name)
            for field, rows in await self.connection.fetch_all(*statement, long=True):
                unknown_names += await self._classified(definition, str(field), name, rows)
        return unknown_names

    async def others(self, present: Collection[str]) -> list[OtherName]:
        """Return all names that differ from the definitions, in the tables that are `present`. Reads every row."""
        other_names: list[OtherName] = []
        for definition in self.registry.holders():
            if component_table(definition).name in present:
                text = _ALL_PLACES.format(table=self._table(definition))
                for field, name, rows in await self.connection.fetch_all(text, long=True):
                    other_names += await self._classified(definition, str(field), str(name), rows)
        return other_names

    async def rows_of_others(self, definition: Definition, field: str, old: str, new: str) -> int:
        """Return how many rows of an attribute are named `old` and refer to components of other entries named `new`."""
        table = escape_braces(self._table(definition))
        for other in self.registry.holders(new):
            text = _OF_OTHERS.format(table=table, other=escape_braces(self._table(other)))
            statement = RawStatement(text).bind(self.dialect, old=old, field=field, new=new)
            count: int = await self.connection.fetch_value(*statement, long=True)
            if count:
                return count
        return 0

    def _table(self, definition: Definition) -> str:
        return self.dialect.quote(component_table(definition).name)

    async def _unknown(self) -> list[tuple[Definition, str]]:
        holders, unknown_names = list(self.registry.holders()), list[tuple[Definition, str]]()
        for start in range(0, len(holders), _TOGETHER):
            part = holders[start : start + _TOGETHER]
            selects = (_KINDS.format(number=number, table=self._table(each)) for number, each in enumerate(part))
            rows = await self.connection.fetch_all(" UNION ALL ".join(selects), long=True)
            unknown_names += [(part[number], name) for number, name in rows if name not in self.registry.components]
        return unknown_names

    async def _classified(self, definition: Definition, field: str, name: str, rows: int) -> list[OtherName]:
        """Classify rows of an attribute; returns nothing if their name matches the definition."""
        attribute, is_known = definition.attributes.get(field), name in self.registry.components
        other_name = partial(OtherName, uid=definition.uid, attribute=field, name=name, rows=rows)
        match attribute:
            case ComponentField(component=component) if component != name:
                if is_known:
                    return [other_name(meaning=Meaning.OTHER, component=component)]
                foreign = await self.rows_of_others(definition, field, name, component)
                return [other_name(meaning=Meaning.FOREIGN if foreign else Meaning.FORMER, component=component)]
            case DynamicZone(components=listed) if not is_known:
                return [other_name(meaning=Meaning.UNKNOWN, component=self._likely(name, listed))]
        return []

    def _likely(self, name: str, listed: Iterable[str]) -> str | None:
        """Return the component that probably had the name: the only one, listed or not, in a different category."""
        for uids in (listed, self.registry.components):
            alike = [uid for uid in uids if uid.partition(".")[2] == name.partition(".")[2]]
            if len(alike) == 1:
                return alike[0]
        return None


async def learn_former_names(connection: Connection, dialect: Dialect, registry: Registry) -> list[OtherName]:
    """Find names that no definition has, and register the former names with the registry."""
    unknown_names = await ComponentNames(connection, dialect, registry).unknown()
    former: dict[tuple[str, str], tuple[str, ...]] = {}
    for each in unknown_names:
        if each.meaning is Meaning.FORMER:
            place = (each.uid, each.attribute)
            former[place] = (*former.get(place, ()), each.name)
    registry.former_names.know(former)
    return unknown_names


def describe_other_names(found: Iterable[OtherName]) -> Iterator[str]:
    """Describe the names that were found, one line each."""
    groups: dict[tuple[str, str], list[OtherName]] = {}
    for each in found:
        groups.setdefault((each.name, each.says), []).append(each)
    for (name, says), others in groups.items():
        places = [f"{each.attribute} of {each.uid}" for each in others]
        more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
        rows = sum(each.rows for each in others)
        yield f"Stored rows have the component {name} ({rows:,} in {', '.join(places[:_MOST_PLACES])}{more}), {says}"


_TWICE: Final = """
DELETE FROM {table} WHERE component_type = {{old}} AND id IN (SELECT t.id FROM (
  SELECT held.id FROM {table} held JOIN {table} twice
  ON twice.entity_id = held.entity_id AND twice.component_id = held.component_id AND twice.field = held.field
  WHERE held.component_type = {{old}} AND twice.component_type = {{new}}) t)"""
_COMPONENTS: Final = "UPDATE {table} SET component_type = {{new}} WHERE component_type = {{old}}"
_LINKS: Final = """
UPDATE {table} SET {type} = {{new}} WHERE {type} = {{old}} AND id NOT IN (SELECT t.id FROM (
  SELECT former.id FROM {table} former JOIN {table} other ON other.{id} = former.{id} AND other.field = former.field
  WHERE former.{type} = {{old}} AND other.{type} = {{new}}) t)"""
"""Former files are left if the component was given others since."""
_LAYOUT: Final = RawStatement("""
UPDATE strapi_core_store_settings SET {key:name} = {new} WHERE {key:name} = {old}
AND NOT EXISTS (SELECT 1 FROM (SELECT {key:name} FROM strapi_core_store_settings) t WHERE t.{key:name} = {new})""")


class ComponentRenameRefused(OctavoError):
    """Rows cannot be renamed; the message contains the reason."""


@dataclass(frozen=True, slots=True)
class RenamedRows:
    """How many rows were renamed: components of entries, and files and other links that refer to them.

    `twice` rows were deleted, because v4 had duplicated them under the new name.
    """

    components: int = 0
    links: int = 0
    twice: int = 0


class _Undo(Exception):
    """Ends a dry run: its changes are rolled back."""


async def rename_component(
    database: Database, registry: Registry, old: str, new: str, *, dry_run: bool = False
) -> RenamedRows:
    """Rename rows from `old` to `new` in one transaction. A `dry_run` is rolled back.

    Raises ComponentRenameRefused if `new` is not a component, or if `old` is one or was a different one.
    """
    if new not in registry.components:
        raise ComponentRenameRefused(f"Unknown component {new}")
    if old in registry.components:
        raise ComponentRenameRefused(f"{old} is a component of this project, so its rows are correct")

    async def renamed() -> RenamedRows:
        done = RenamedRows()
        try:
            async with database.transaction(exclusive=True) as transaction:
                await _check(transaction, database.dialect, registry, old, new)
                done = await _rename(transaction, database.dialect, registry, old, new)
                if dry_run:
                    raise _Undo
        except _Undo:
            pass
        return done

    return await retry_locked(database, renamed)


async def _check(transaction: Transaction, dialect: Dialect, registry: Registry, old: str, new: str) -> None:
    """Raise ComponentRenameRefused if the result would show components of other entries."""
    names = ComponentNames(transaction, dialect, registry)
    for definition in registry.definitions():
        for field, attribute in definition.attributes.items():
            if isinstance(attribute, ComponentField) and attribute.component == new:
                others = await names.rows_of_others(definition, field, old, new)
                if others:
                    raise ComponentRenameRefused(
                        f"{old} is not a former name of {new}: {counted(others, 'row')} of {definition.uid} ({field}) "
                        f"with IDs of components that other entries store as {new}. Nothing was changed"
                    )


async def _rename(transaction: Transaction, dialect: Dialect, registry: Registry, old: str, new: str) -> RenamedRows:
    async def run(text: str) -> int:
        return await transaction.execute(*RawStatement(text).bind(dialect, old=old, new=new))

    components = links = twice = 0
    for definition in registry.holders():
        table = escape_braces(dialect.quote(component_table(definition).name))
        twice += await run(_TWICE.format(table=table))
        components += await run(_COMPONENTS.format(table=table))
    for morph in morph_tables(registry):
        links += await run(_LINKS.format(**_names(morph, dialect)))
    await transaction.execute(*_LAYOUT.bind(dialect, old=f"{COMPONENT_LAYOUT}{old}", new=f"{COMPONENT_LAYOUT}{new}"))
    return RenamedRows(components, links, twice)


def _names(morph: MorphTable, dialect: Dialect) -> dict[str, str]:
    names = {"table": morph.name, "type": morph.type_column, "id": morph.id_column}
    return {key: escape_braces(dialect.quote(name)) for key, name in names.items()}
