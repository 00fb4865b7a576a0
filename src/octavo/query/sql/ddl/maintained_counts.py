"""The tables with maintained row counts: those of the project's collection types, and accounts."""

from collections.abc import Iterator

from octavo.query.sql.dialects.maintained_counts import CountedTable
from octavo.query.sql.physical_names import table_name
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import USER, ContentType, Definition
from octavo.schema.registry import Registry


def counted_table(definition: Definition) -> CountedTable | None:
    """Return how a definition's table is counted, or None if it has no maintained count."""
    if not isinstance(definition, ContentType) or definition.kind != "collectionType":
        return None
    if definition.uid in BUILTIN_TYPES and definition.uid != USER:
        return None
    return CountedTable(table_name(definition), definition.draft_and_publish, definition.localized)


def counted_tables(registry: Registry) -> Iterator[CountedTable]:
    """Yield all tables with maintained counts."""
    for content_type in registry.content_types.values():
        table = counted_table(content_type)
        if table is not None:
            yield table
