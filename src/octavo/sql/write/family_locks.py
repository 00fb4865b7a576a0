"""The query that names the locks of an entry and its localizations, in order."""

from octavo.schema.automatic import LOCALIZATIONS
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.sql.dialects.base import Dialect
from octavo.sql.physical_names import link_table


def compile_family_locks(registry: Registry, dialect: Dialect, content_type: ContentType, prefix: str) -> str:
    """Return the query. Its values: the type, the id of the entry, and the types and ids of more entries to lock.

    Only a database with several writers runs it.
    """
    table = link_table(registry, content_type, content_type.relation(LOCALIZATIONS))
    source, target = dialect.quote(table.source_column), dialect.quote(table.target_column)
    return f"""SELECT '{prefix}' || type || ' ' || id AS name FROM (
      SELECT $1::text COLLATE "C" AS type, {target}::bigint AS id FROM {dialect.quote(table.name)} WHERE {source} = $2
      UNION SELECT type COLLATE "C", id FROM unnest($3::text[], $4::bigint[]) AS also (type, id)) AS every
      ORDER BY type, id"""
