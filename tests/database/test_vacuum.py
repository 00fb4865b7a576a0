"""Tables are vacuumed and analyzed after a copy, a restore and an import, with the role's privileges."""

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from octavo.database.connection import Database
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase
from octavo.database.vacuum import vacuum
from tests.postgresql_server import PostgresqlServer, database_name

pytestmark = pytest.mark.anyio

TABLES = """
CREATE TABLE notes (id integer);
INSERT INTO notes SELECT generate_series(1, 300);
CREATE TABLE "No tes" (id integer);
INSERT INTO "No tes" SELECT generate_series(1, 20);
"""


@pytest.fixture
async def database(postgresql_url: str) -> AsyncIterator[Database]:
    database = PostgresqlDatabase(postgresql_url)
    await database.connect()
    await database.execute_script(TABLES)
    yield database
    await database.close()


async def known_rows(database: Database) -> dict[str, int]:
    """Return the number of rows in the planner's statistics; -1 for a table that was never analyzed."""
    rows = await database.fetch_all("SELECT relname::text, reltuples::int FROM pg_class WHERE relname ILIKE 'no%tes'")
    return {str(name): int(count) for name, count in rows}


async def test_all_tables_or_some(database: Database) -> None:
    assert await vacuum(database, {"notes", "missing"}) == []
    assert await known_rows(database) == {"notes": 300, "No tes": -1}
    assert await vacuum(database) == []
    assert await known_rows(database) == {"notes": 300, "No tes": 20}


async def test_a_role_without_the_privilege_gets_a_warning(
    database: Database, postgresql_server: PostgresqlServer, postgresql_url: str
) -> None:
    name = database_name(postgresql_url)
    postgresql_server.run_sql(name, f'CREATE ROLE "{name}" LOGIN; ALTER TABLE "No tes" OWNER TO "{name}"')
    stranger = PostgresqlDatabase(urlsplit(postgresql_url)._replace(netloc=f"{name}@").geturl())
    await stranger.connect()
    try:
        [warning] = await vacuum(stranger)
    finally:
        await stranger.close()
        postgresql_server.run_sql(name, f'DROP OWNED BY "{name}"; DROP ROLE "{name}"')
    assert warning == (
        "VACUUM (ANALYZE) failed for notes: the role does not own them and has no MAINTAIN privilege. "
        "Lists can be slow until autovacuum or an owner runs it."
    )
    assert await known_rows(database) == {"notes": -1}


async def test_an_unreachable_server_is_a_warning(database: Database) -> None:
    unreachable = PostgresqlDatabase("postgresql://postgres@localhost:1/none")
    [warning] = await vacuum(unreachable)
    assert warning.startswith("VACUUM (ANALYZE) failed for the tables: ")


async def test_sqlite_does_not_need_it() -> None:
    assert await vacuum(SqliteDatabase(":memory:")) == []
