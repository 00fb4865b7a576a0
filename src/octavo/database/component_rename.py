"""Rename components in stored rows, if a component was renamed only in the definitions."""

from typing import Final

from octavo.core.errors import OctavoError
from octavo.core.plurals import counted
from octavo.core.values import dataclass
from octavo.database.component_names import ComponentNames
from octavo.database.connection import Database, Transaction
from octavo.database.migrations.renames import COMPONENT_LAYOUT
from octavo.database.table_lock_retries import retry_locked
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import MorphTable, component_table, morph_tables
from octavo.query.sql.raw_statement import RawStatement, escape_braces
from octavo.schema.attributes import ComponentField
from octavo.schema.registry import Registry

_TWICE: Final = """
DELETE FROM {table} WHERE component_type = {{old}} AND id IN (
  SELECT held.id FROM {table} held JOIN {table} twice
  ON twice.entity_id = held.entity_id AND twice.component_id = held.component_id AND twice.field = held.field
  WHERE held.component_type = {{old}} AND twice.component_type = {{new}})"""
_COMPONENTS: Final = "UPDATE {table} SET component_type = {{new}} WHERE component_type = {{old}}"
_LINKS: Final = """
UPDATE {table} SET {type} = {{new}} WHERE {type} = {{old}} AND id NOT IN (
  SELECT before.id FROM {table} before JOIN {table} now ON now.{id} = before.{id} AND now.field = before.field
  WHERE before.{type} = {{old}} AND now.{type} = {{new}})"""
"""Former files are left if the component was given others since."""
_LAYOUT: Final = RawStatement("""
UPDATE strapi_core_store_settings SET {key:name} = {new} WHERE {key:name} = {old}
AND NOT EXISTS (SELECT 1 FROM strapi_core_store_settings other WHERE other.{key:name} = {new})""")


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
