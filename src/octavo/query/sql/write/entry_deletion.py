"""Compile the deletion of an entry, with everything that belongs to it, to steps that one statement can join.

The steps are the same for all entries of a type. They delete the components that the type's definition lists;
`EntryDeletion.unlisted` counts the others.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from octavo.query.plan.changes import Change, DeleteRows, UnpointMorphs
from octavo.query.plan.write import plan_delete
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.chains import written
from octavo.query.sql.physical_names import FILES_MORPHS, component_table, table_name
from octavo.query.sql.statement import Statement
from octavo.query.sql.write.chains import Step, changed_table
from octavo.query.sql.write.change import ChangeCompiler
from octavo.schema.attributes import ComponentField, DynamicZone, Media
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry
from octavo.schema.scalar_types import ValueKind

ENTRY_ID: Final = -1
"""Stands for the entry's id among the values of the steps."""
_MOST_PLACES: Final = 32
"""The maximum number of places in a type that can contain components."""


class UndeterminedDeletion(Exception):
    """The type's definition does not determine what has to be deleted with an entry."""


class EntryDeletion(NamedTuple):
    """The steps, the tables that they change, the name of the WITH table of the deleted entry, and the expression for
    the number of its components that the definition does not list."""

    steps: list[Step]
    tables: set[str]
    row: str
    unlisted: str


class _Place(NamedTuple):
    """A place for components: their owner, what the definition lists, and the SELECT of the owners' ids."""

    owner: Definition
    listed: tuple[str, ...]
    owners: str


def compile_deletion(content_type: ContentType, compiler: ChangeCompiler) -> EntryDeletion:
    """Return the deletion of any entry of a type. Raises UndeterminedDeletion."""
    registry, dialect = compiler.registry, compiler.dialect
    steps, tables, row = list[Step](), set[str](), ""
    for change in plan_delete(content_type, (ENTRY_ID,), registry, ()):
        table = _table(change, registry)
        if table in tables:
            raise UndeterminedDeletion
        tables.add(table)
        for step in compiler.steps(change):
            if isinstance(change, DeleteRows):
                row = written(len(steps))
                text = f"{step.statement.text} {dialect.returning('*')}"
                step = Step(Statement(text, step.statement.values))
            steps.append(step)
    selects: dict[str, list[str]] = {}
    for place in _places(content_type, dialect.placeholder(1, ValueKind.INTEGER), compiler):
        for uid in place.listed:
            selects.setdefault(uid, []).append(_ids(place, uid, dialect))
    for uid, select in selects.items():
        for table, text in _component_deletions(registry.components[uid], select, dialect):
            tables.add(table)
            steps.append(Step(Statement(text, (ENTRY_ID,))))
    unlisted = [_unlisted(place, dialect) for place in _places(content_type, f"{row}.id", compiler)]
    return EntryDeletion(steps, tables, row, " + ".join(unlisted) or "0")


def _table(change: Change, registry: Registry) -> str:
    """Return the table that a change writes."""
    table = table_name(change.owner) if isinstance(change, UnpointMorphs) else changed_table(registry, change)
    if table is None:
        raise UndeterminedDeletion
    return table


def _places(content_type: ContentType, entry_id: str, compiler: ChangeCompiler) -> list[_Place]:
    """Return all places for components in an entry, at all levels."""
    places: list[_Place] = []
    for place in _walk(content_type, entry_id, compiler.registry, compiler.dialect, frozenset()):
        places.append(place)
        if len(places) > _MOST_PLACES:
            raise UndeterminedDeletion
    return places


def _walk(
    owner: Definition, owners: str, registry: Registry, dialect: Dialect, passed: frozenset[str]
) -> Iterator[_Place]:
    held: dict[str, None] = {}
    for attribute in owner.attributes.values():
        if isinstance(attribute, ComponentField):
            held[attribute.component] = None
            if registry.former_names.of(owner.uid, attribute.name):
                raise UndeterminedDeletion
        elif isinstance(attribute, DynamicZone):
            held |= dict.fromkeys(attribute.components)
    if not any(isinstance(item, ComponentField | DynamicZone) for item in owner.attributes.values()):
        return
    place = _Place(owner, tuple(held), owners)
    yield place
    for uid in held:
        if uid in passed:
            raise UndeterminedDeletion
        yield from _walk(registry.components[uid], _ids(place, uid, dialect), registry, dialect, passed | {uid})


def _ids(place: _Place, uid: str, dialect: Dialect) -> str:
    """Return the SELECT of the ids of a component in a place."""
    table = component_table(place.owner)
    return (
        f"SELECT {table.component_column} FROM {dialect.quote(table.name)}"
        f" WHERE {table.entity_column} IN ({place.owners}) AND {table.type_column} = {dialect.literal(uid)}"
    )


def _unlisted(place: _Place, dialect: Dialect) -> str:
    """Return the number of components in a place that the definition does not list."""
    table = component_table(place.owner)
    listed = ", ".join(map(dialect.literal, place.listed))
    others = f" AND {table.type_column} NOT IN ({listed})" if listed else ""
    return f"(SELECT count(*) FROM {dialect.quote(table.name)} WHERE {table.entity_column} IN ({place.owners}){others})"


def _component_deletions(component: Definition, selects: list[str], dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Yield the statements that delete components and detach their files, each with its table."""
    among = f"= ANY (ARRAY({' UNION ALL '.join(selects)}))"  # for an array, the planner always uses the index
    table = table_name(component)
    yield table, f"DELETE FROM {dialect.quote(table)} WHERE id {among}"
    if any(isinstance(attribute, Media) for attribute in component.attributes.values()):
        uid = dialect.literal(component.uid)
        yield FILES_MORPHS, f"DELETE FROM {FILES_MORPHS} WHERE related_type = {uid} AND related_id {among}"
