"""The columns with a substring index in separate tables: those whose content type declares one."""

from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.substring_indexes import SubstringIndex
from octavo.query.sql.physical_names import column_name, table_name
from octavo.schema.content_types import CONTAINS
from octavo.schema.registry import Registry


def parts_indexes(registry: Registry, dialect: Dialect) -> tuple[SubstringIndex, ...]:
    """Return all substring indexes; none if the database has native ones."""
    if dialect.parts is None:
        return ()
    indexes = {
        SubstringIndex(table_name(content_type), column_name(content_type.scalar(key.attribute)))
        for content_type in registry.content_types.values()
        for declared in content_type.declared_indexes
        if declared.kind == CONTAINS
        for key in declared.keys
    }
    return tuple(sorted(indexes))


def parts_tables(registry: Registry, dialect: Dialect) -> tuple[SystemTable, ...]:
    """Return the tables of the substring indexes."""
    indexes = parts_indexes(registry, dialect)
    if dialect.parts is None or not indexes:
        return ()
    return (*dialect.parts.tables, *map(dialect.parts.table, indexes))
