"""Plans of statements on MySQL, with and without a hypothetical index, and the holders of locks."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from octavo.database.connection import DatabaseMisconfigured
from octavo.database.declared_indexes import make_declared_indexes
from octavo.database.mysql import MysqlDatabase
from octavo.database.synchronize import plan_changes, synchronize
from tests.database.test_declared_indexes import BY_PLACE, BY_VIEWS
from tests.database.test_declared_indexes import registry as declaring
from tests.mysql_server import MysqlServer

pytestmark = pytest.mark.anyio

TABLE = """
CREATE TABLE notes (
    id int unsigned AUTO_INCREMENT PRIMARY KEY, notes varchar(255), `rank` int, due time(3), day date, at datetime(6)
);
INSERT INTO notes (notes, `rank`, due, day, at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
SELECT concat('note ', i), i, '10:00:00', '2020-01-01' + INTERVAL i DAY, '2020-01-01' + INTERVAL i DAY FROM n
"""
LIST = (
    "SELECT n.id FROM `notes` n JOIN `notes` o ON o.id = n.id WHERE n.`notes` = ?2"
    " AND EXISTS (SELECT 1 FROM `notes` p WHERE p.id = o.id) ORDER BY n.`rank` LIMIT ?1"
)
INDEX = "CREATE INDEX `tried` ON `notes` (`notes`, `rank`)"


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[MysqlDatabase]:
    database = MysqlDatabase(url)
    await database.connect()
    try:
        yield database
    finally:
        await database.close()


@pytest.fixture
async def notes(anyio_backend: str, mysql_server: MysqlServer, mysql_name: str) -> AsyncIterator[MysqlDatabase]:
    mysql_server.run_sql(TABLE, mysql_name)
    async with opened(mysql_server.url(mysql_name)) as database:
        yield database


@pytest.fixture
async def guest(anyio_backend: str, mysql_server: MysqlServer, mysql_name: str) -> AsyncIterator[MysqlDatabase]:
    """The database for a user with few privileges."""
    mysql_server.run_sql(
        "CREATE USER IF NOT EXISTS guest@'%' IDENTIFIED BY 'g'; GRANT SELECT, INSERT, INDEX, CREATE ON "
        f"`{mysql_name}`.* TO guest@'%'"
    )
    async with opened(f"mysql://guest:g@127.0.0.1:{mysql_server.port}/{mysql_name}") as database:
        yield database


@pytest.mark.parametrize("column", ["`rank`", "due", "day", "at", "notes"])
async def test_a_plan_has_values_for_placeholders(notes: MysqlDatabase, column: str) -> None:
    await notes.execute(f"CREATE INDEX known ON notes ({column})")
    assert "key known" in await notes.plan_of(f"SELECT id FROM notes WHERE {column} = ?1 LIMIT ?2 OFFSET ?3")


async def test_a_plan_with_an_index(notes: MysqlDatabase, guest: MysqlDatabase) -> None:
    before = await notes.plan_of(LIST)
    assert "type ALL" in before
    assert "key tried" in await notes.plan_with("`notes`", INDEX, LIST)
    assert await notes.plan_of(LIST) == before
    with pytest.raises(DatabaseMisconfigured) as caught:
        await guest.plan_with("`notes`", INDEX, LIST)
    assert caught.value.reason == "to plan with an index, Octavo's user needs the privilege CREATE TEMPORARY TABLES"


async def test_lock_holders(
    notes: MysqlDatabase, guest: MysqlDatabase, mysql_server: MysqlServer, mysql_name: str
) -> None:
    async with guest.snapshot() as transaction:
        await transaction.fetch_value("SELECT count(*) FROM notes")
        process = await transaction.fetch_value("SELECT connection_id()")
        what = "an open transaction" if mysql_server.is_mariadb else "notes"
        for tables in (["notes"], []):
            [holder] = await notes.lock_holders(tables)
            assert re.fullmatch(rf"{what}: process {process} \(user guest, \w+\) for \d+ s", holder)
        assert await guest.lock_holders(["notes"]) == (
            "to see the lock holder, Octavo's user needs the privilege PROCESS",
        )


async def test_declared_indexes_are_built_while_the_table_is_in_use(
    notes: MysqlDatabase, mysql_server: MysqlServer, mysql_name: str, tmp_path: Path
) -> None:
    """One process builds them. An open transaction delays it, and can continue to write."""
    await notes.execute("DROP TABLE notes")
    await synchronize(notes, declaring(tmp_path / "none"))
    content = declaring(tmp_path, BY_PLACE, BY_VIEWS)
    assert [str(change)[:28] for change in (await synchronize(notes, content)).applied] == []
    async with asyncio.timeout(60), notes.transaction() as transaction:
        await transaction.execute("INSERT INTO notes (title) VALUES ('a')")
        makers = [asyncio.ensure_future(make_declared_indexes(notes, content)) for _ in range(2)]
        waiting = "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'ALTER TABLE%ADD INDEX%'"
        while not await notes.fetch_value(waiting):  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(0.01)
        await transaction.execute("INSERT INTO notes (title) VALUES ('b')")
    made = [await maker for maker in makers]
    assert sorted(map(len, made)) == [0, 2]
    assert not (await plan_changes(notes, content)).every
    assert await notes.fetch_value("SELECT count(*) FROM notes") == 2
