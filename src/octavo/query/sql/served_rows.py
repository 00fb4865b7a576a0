"""The visible entries of a content type: its table, without those that a change of options has hidden."""

from typing import Final

from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.physical_names import table_name
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry

HIDDEN_ENTRIES: Final = SystemTable(
    "octavo_hidden_entries",
    (
        "collection varchar(255) NOT NULL",
        "entry_id bigint NOT NULL",
        "reason varchar(16) NOT NULL",
        "hidden_at bigint NOT NULL",
        "PRIMARY KEY (collection, entry_id, reason)",
    ),
)
"""`collection` is the table of the entries."""
DRAFT: Final = "draft"
LOCALE: Final = "locale"


def served_rows(definition: Definition, registry: Registry, dialect: Dialect, alias: str = "") -> str:
    """Return the FROM clause for the visible entries; `alias` names the sub-select, if there is one.

    For content types without hidden entries this is the plain table.
    """
    table = dialect.quote(table_name(definition))
    if definition.uid not in registry.hidden_entries or not isinstance(definition, ContentType):
        return table
    return f"(SELECT * FROM {table} WHERE id NOT IN ({hidden_ids(definition, dialect)})){alias and f' {alias}'}"


def hidden_ids(content_type: ContentType, dialect: Dialect) -> str:
    """Return the SELECT of the ids that are hidden under the current definition of a type."""
    reasons = ", ".join(map(dialect.literal, hiding_reasons(content_type)))
    collection = dialect.literal(table_name(content_type))
    return f"SELECT entry_id FROM {HIDDEN_ENTRIES.name} WHERE collection = {collection} AND reason IN ({reasons})"


def hiding_reasons(content_type: ContentType) -> list[str]:
    """Return why entries of a type can be hidden: it has no drafts, or no locales."""
    reasons = [] if content_type.draft_and_publish else [DRAFT]
    return reasons if content_type.localized else [*reasons, LOCALE]
