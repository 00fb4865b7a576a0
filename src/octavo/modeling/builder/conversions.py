"""Convert columns whose type changes with the definitions, if no value would change its meaning."""

from collections.abc import Iterable, Iterator

from octavo.core.errors import Problem
from octavo.database.connection import Database
from octavo.database.conversions import ConversionStep, convert_column, preview_conversion
from octavo.database.synchronize import plan_changes
from octavo.modeling.builder.problems import refused
from octavo.modeling.refactoring.convert import ConversionRefused, find_conversion
from octavo.query.sql.ddl.changes import ChangeType
from octavo.query.sql.ddl.physical import physical_name
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import column_name, table_name
from octavo.schema.attributes import Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

_MOST_SHOWN = 3


async def find_conversions(
    database: Database, before: Registry, registry: Registry
) -> list[tuple[str, str, ConversionStep]]:
    """Return the required conversions before a registry with other attribute types than `before` can be served:
    definitions, attributes, steps.

    Raises BuilderError with all values that cannot be converted.
    """
    steps: list[tuple[str, str, ConversionStep]] = []
    problems: list[Problem] = []
    retyped = [*_retyped(before, registry)]
    if not retyped:
        return steps
    changes = [one for one in (await plan_changes(database, registry)).losing if isinstance(one, ChangeType)]
    for definition, attribute in _touched(retyped, changes, database.dialect):
        path = (definition.uid, "attributes", attribute.name, "type")
        try:
            step = await find_conversion(database, registry, definition.uid, attribute.name)
        except ConversionRefused as error:
            problems.append(Problem(path, str(error)))
            continue
        if step is None:
            continue
        report = await preview_conversion(database, step)
        if report.failed:
            shown = "; ".join(f"entry {row_id}: {text}" for row_id, text in report.samples[:_MOST_SHOWN])
            if attribute.private:
                shown = ", ".join(f"entry {row_id}" for row_id, _ in report.samples[:_MOST_SHOWN])
            problems.append(Problem(path, f"{report.failed} values do not fit the type {attribute.type} ({shown})"))
        steps.append((definition.uid, attribute.name, step))
    if problems:
        raise refused(problems)
    return steps


def _retyped(before: Registry, registry: Registry) -> Iterator[tuple[Definition, Scalar]]:
    """Yield the attributes with a changed type, or that are new and may have an old column."""
    known = {(item.collection_name, one.name): one.type for item in before.definitions() for one in item.scalars}
    for definition in registry.definitions():
        for attribute in definition.scalars:
            if known.get((definition.collection_name, attribute.name)) != attribute.type:
                yield definition, attribute


def _touched(
    retyped: Iterable[tuple[Definition, Scalar]], changes: Iterable[ChangeType], dialect: Dialect
) -> Iterator[tuple[Definition, Scalar]]:
    places = {(change.table, change.wanted.name) for change in changes}
    for definition, attribute in retyped:
        place = (physical_name(table_name(definition), dialect), physical_name(column_name(attribute), dialect))
        if place in places:
            yield definition, attribute


async def convert(database: Database, registry: Registry, names: Iterable[tuple[str, str]]) -> None:
    """Convert the columns of attributes to the types in a registry. Raises BuilderError."""
    for uid, name in names:
        step = await find_conversion(database, registry, uid, name)
        report = await convert_column(database, step, null_failures=False) if step else None
        if report is not None and report.failed:
            raise refused([Problem((uid, "attributes", name, "type"), f"{report.failed} values do not fit")])
