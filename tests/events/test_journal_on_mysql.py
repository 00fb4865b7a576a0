"""The journal on MySQL and MariaDB: writers wait for each other, so ids are in commit order."""

from collections.abc import AsyncIterator

import pytest

from octavo.accounts.administrators.audit_list import _writing
from octavo.database.connection import Connection, Database, DatabaseMisconfigured
from octavo.database.mysql import MysqlDatabase
from octavo.events.journal import _ROWS, TABLE
from octavo.query.sql.ddl.changes import difference
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import INTERNAL_TABLES
from tests.mysql_server import MysqlServer

pytestmark = pytest.mark.anyio
FREE = "SELECT count(*) FROM octavo_state WHERE `key` = 'tables' FOR UPDATE SKIP LOCKED"


@pytest.fixture
async def database(anyio_backend: str, mysql_server: MysqlServer, mysql_name: str) -> AsyncIterator[Database]:
    made = MysqlDatabase(mysql_server.url(mysql_name))
    await made.connect()
    for change in difference(physical_tables(INTERNAL_TABLES, made.dialect), {}, made.dialect):
        for text in change.statements(made.dialect):
            await made.execute_script(text)
    await made.execute_script(TABLE.script(made.dialect))
    await made.execute("INSERT INTO octavo_state (`key`, value) VALUES ('tables', '[]')")
    yield made
    await made.close()


async def write(connection: Connection, database: Database) -> None:
    for statement in _ROWS.insert(database.dialect, [("api::a.a", 1, "create", None, 0, 1)], now=1):
        await connection.execute(*statement)


async def test_a_writer_locks_the_journal_until_it_commits(database: Database) -> None:
    async with database.transaction() as first:
        await write(first, database)
        async with database.transaction() as second:
            assert await second.fetch_value(FREE) == 0
    async with database.transaction() as second:
        assert await second.fetch_value(FREE) == 1
        await write(second, database)
    rows = await database.fetch_all("SELECT transaction_id, id FROM octavo_journal ORDER BY id")
    assert [row[0] for row in rows] == [0, 0]
    assert rows[0][1] < rows[1][1]


async def test_writers_of_the_audit_log_are_found_with_a_privilege(
    database: Database, mysql_server: MysqlServer, mysql_name: str
) -> None:
    async with database.transaction() as transaction:
        await write(transaction, database)
        assert len(await _writing(database)) == 1
    assert await _writing(database) == set()
    mysql_server.run_sql(f"CREATE USER plain IDENTIFIED BY 'p'; GRANT ALL ON `{mysql_name}`.* TO plain")
    plain = MysqlDatabase(f"mysql://plain:p@127.0.0.1:{mysql_server.port}/{mysql_name}")
    await plain.connect()
    try:
        with pytest.raises(DatabaseMisconfigured) as raised:
            await _writing(plain)
        assert "PROCESS" in (raised.value.reason or "")
    finally:
        await plain.close()
        mysql_server.run_sql("DROP USER plain")
