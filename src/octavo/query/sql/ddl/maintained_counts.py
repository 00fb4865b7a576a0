"""Which tables have their rows counted: those of the project's collection types, and accounts."""

from collections.abc import Iterator

from octavo.query.sql.dialects.maintained_counts import CountedTable
from octavo.query.sql.physical_names import table_name
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import USER, ContentType, Definition
from octavo.schema.registry import Registry


def counted_table(definition: Definition) -> CountedTable | None:
    """The table of a definition as it is counted; None where it is not."""
    if not isinstance(definition, ContentType) or definition.kind != "collectionType":
        return None
    if definition.uid in BUILTIN_TYPES and definition.uid != USER:
        return None
    return CountedTable(table_name(definition), definition.draft_and_publish, definition.localized)


def counted_tables(registry: Registry) -> Iterator[CountedTable]:
    """All of them."""
    for content_type in registry.content_types.values():
        table = counted_table(content_type)
        if table is not None:
            yield table
