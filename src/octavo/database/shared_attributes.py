"""Attributes that were localized and are shared across locales now, and the different values of translations.

The values stay, as in v4, and are served until the next save of the entry or of a translation copies one to all
locales. So the change reports how many entries have different values.
"""

from collections.abc import Iterable

from octavo.core.plurals import counted
from octavo.database.connection import Connection
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import column_name, link_table, table_name
from octavo.schema.attributes import Scalar
from octavo.schema.automatic import LOCALIZATIONS
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry


async def describe_shared(
    connection: Connection, dialect: Dialect, registry: Registry, shared: Iterable[tuple[ContentType, Scalar]]
) -> list[str]:
    """Return a line for each attribute that has different values in translations."""
    found = []
    for content_type, attribute in shared:
        count = int(await connection.fetch_value(_differing(dialect, registry, content_type, attribute), long=True))
        if count:
            found.append(
                f"{content_type.uid}.{attribute.name} is shared across locales now, and its values differ in "
                f"{counted(count, 'entry', 'entries')}: the next save of a translation replaces them, unless the "
                "attribute is localized again"
            )
    return found


def _differing(dialect: Dialect, registry: Registry, content_type: ContentType, attribute: Scalar) -> str:
    """Counts the entries that have another value than one of their translations."""
    link, quote = link_table(registry, content_type, content_type.relation(LOCALIZATIONS)), dialect.quote
    table, column = quote(table_name(content_type)), quote(column_name(attribute))
    ours, theirs = (dialect.as_text(f"{alias}.{column}") for alias in ("a", "b"))
    return (
        f"SELECT count(DISTINCT a.id) FROM {quote(link.name)} l JOIN {table} a ON a.id = l.{quote(link.source_column)} "
        f"JOIN {table} b ON b.id = l.{quote(link.target_column)} WHERE coalesce({ours}, '') <> coalesce({theirs}, '')"
    )
