"""Writes while an operator has set `default_transaction_read_only`: they fail immediately, without a restart."""

from collections.abc import AsyncIterator

import pytest

from octavo.database.connection import DatabaseReadOnly
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.topology import Topology
from tests.postgresql_server import PostgresqlServer, database_name

pytestmark = pytest.mark.anyio

SETTING = "default_transaction_read_only"


@pytest.fixture
async def postgresql(anyio_backend: str, postgresql_url: str) -> AsyncIterator[PostgresqlDatabase]:
    made = PostgresqlDatabase(postgresql_url, maximum=4, freeze_interval=0)
    await made.connect()
    await made.execute("CREATE TABLE notes (id integer)")
    yield made
    await made.close()


async def write(database: PostgresqlDatabase) -> int:
    return await database.execute("INSERT INTO notes VALUES (1)")


@pytest.mark.parametrize("scope", ["DATABASE {name}", "ROLE CURRENT_USER IN DATABASE {name}"])
async def test_respects_the_setting_on_open_connections(
    postgresql: PostgresqlDatabase, postgresql_server: PostgresqlServer, postgresql_url: str, scope: str
) -> None:
    name = database_name(postgresql_url)
    await write(postgresql)
    assert not await postgresql.is_read_only()
    target = scope.format(name=f'"{name}"')
    postgresql_server.run_sql("postgres", f"ALTER {target} SET {SETTING} = on")
    with pytest.raises(DatabaseReadOnly, match="Service Unavailable"):
        await write(postgresql)
    with pytest.raises(DatabaseReadOnly):
        async with postgresql.transaction(exclusive=True):
            pass
    with pytest.raises(DatabaseReadOnly):
        async with postgresql.apart():
            pass
    assert await postgresql.is_read_only()
    assert await postgresql.fetch_value("SELECT count(*) FROM notes") == 1
    postgresql_server.run_sql("postgres", f"ALTER {target} RESET {SETTING}")
    assert await write(postgresql) == 1


async def test_writes_again_on_connections_opened_during_the_freeze(
    postgresql_server: PostgresqlServer, postgresql_url: str
) -> None:
    name = database_name(postgresql_url)
    postgresql_server.run_sql(name, "CREATE TABLE notes (id integer)")
    postgresql_server.run_sql("postgres", f'ALTER DATABASE "{name}" SET {SETTING} = on')
    database = PostgresqlDatabase(postgresql_url, maximum=4, freeze_interval=0)
    await database.connect()
    try:
        assert await database.is_read_only()
        postgresql_server.run_sql("postgres", f'ALTER DATABASE "{name}" RESET {SETTING}')
        assert await write(database) == 1
    finally:
        await database.close()


async def test_respects_a_setting_of_the_connection(postgresql_url: str) -> None:
    database = PostgresqlDatabase(f"{postgresql_url}&{SETTING}=on", maximum=2)
    await database.connect()
    try:
        assert await database.is_read_only()
    finally:
        await database.close()


async def test_respects_the_setting_behind_a_pooler(postgresql_server: PostgresqlServer, postgresql_url: str) -> None:
    name = database_name(postgresql_url)
    database = PostgresqlDatabase(postgresql_url, maximum=2, topology=Topology(pooled=True), freeze_interval=0)
    await database.connect()
    try:
        await database.execute("CREATE TABLE notes (id integer)")
        postgresql_server.run_sql("postgres", f'ALTER DATABASE "{name}" SET {SETTING} = on')
        with pytest.raises(DatabaseReadOnly):
            await write(database)
        postgresql_server.run_sql("postgres", f'ALTER DATABASE "{name}" RESET {SETTING}')
        assert await write(database) == 1
    finally:
        await database.close()


async def test_looks_at_most_once_in_the_interval(postgresql_server: PostgresqlServer, postgresql_url: str) -> None:
    name = database_name(postgresql_url)
    database = PostgresqlDatabase(postgresql_url, maximum=2, freeze_interval=3600)
    await database.connect()
    try:
        await database.execute("CREATE TABLE notes (id integer)")
        postgresql_server.run_sql("postgres", f'ALTER DATABASE "{name}" SET {SETTING} = on')
        assert await write(database) == 1
    finally:
        await database.close()
