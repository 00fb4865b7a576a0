"""Which migrations have run: rows of `strapi_migrations`, where v4 keeps the names of the files it has run.

One table for both, so that neither runs again what the other has run: a migration counts as run when any file of its
name is there, and all its files are noted.
"""

from typing import Final

from octavo.core.clock import this_moment
from octavo.database.connection import Connection, Transaction
from octavo.database.introspect import found_tables
from octavo.database.migrations.files import Migration, migration_name
from octavo.query.sql.ddl.changes import CreateTable
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import INTERNAL_TABLES
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.system_table_statement import OwnStatement

_TABLE: Final = next(table for table in INTERNAL_TABLES if table.name == "strapi_migrations")
_NAMES: Final = "SELECT name FROM strapi_migrations"
_FORGET: Final = OwnStatement("DELETE FROM strapi_migrations WHERE name = {name}")
_NOTE: Final = OwnStatement("INSERT INTO strapi_migrations (name, time) VALUES ({name}, {now:instant})")


async def done_names(connection: Connection, dialect: Dialect) -> frozenset[str]:
    """The names of the migrations that have run."""
    if _TABLE.name not in await found_tables(connection, dialect):
        return frozenset()
    return frozenset(migration_name(row[0] or "") for row in await connection.fetch_all(_NAMES))


async def forget_done(transaction: Transaction, dialect: Dialect, migration: Migration) -> None:
    """Take back the note that a migration has run."""
    for file in migration.files:
        await transaction.execute(*_FORGET.bind(dialect, name=file))


async def note_done(transaction: Transaction, dialect: Dialect, migration: Migration) -> None:
    """Note that a migration has run."""
    if _TABLE.name not in await found_tables(transaction, dialect):
        (table,) = physical_tables((_TABLE,), dialect)
        making = CreateTable(table.name, table.columns, ())
        await transaction.execute_script(";\n".join(making.statements(dialect)))
    for file in migration.files:
        await transaction.execute(*_NOTE.bind(dialect, name=file, now=this_moment()))
