"""Versions of tables: the changes that increase them, and when they are unknown."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from octavo.database.connection import Database
from octavo.database.postgresql import LedgerReader, PostgresqlDatabase
from octavo.database.synchronize import synchronize
from octavo.database.version_keeper import VersionTracker
from octavo.schema.registry import Registry
from tests.layouts import registry_of

pytestmark = pytest.mark.anyio

TABLES = ("notes", "tags")
_REPLICA = "SET session_replication_role = replica"


def registry(folder: Path) -> Registry:
    info = {"note": ("notes", "Note"), "tag": ("tags", "Tag")}
    files = {
        f"api/{name}/content-types/{name}/schema.json": {
            "collectionName": table,
            "info": {"singularName": name, "pluralName": table, "displayName": shown},
            "attributes": {"title": {"type": "string"}},
        }
        for name, (table, shown) in info.items()
    }
    return registry_of(files, folder)


@pytest.fixture
async def keeper(database: Database, tmp_path: Path) -> VersionTracker:
    content = registry(tmp_path)
    await synchronize(database, content)
    made = VersionTracker(database, content)
    await made.keep()
    return made


@pytest.fixture
async def server(postgresql_url: str, tmp_path: Path) -> AsyncIterator[Database]:
    """PostgreSQL with the tables."""
    opened = PostgresqlDatabase(postgresql_url)
    await opened.connect()
    await synchronize(opened, registry(tmp_path))
    yield opened
    await opened.close()


async def versions_of(database: Database) -> dict[str, object]:
    moment = await database.versions().now()
    assert moment is not None
    return {table: moment.of([table]) for table in TABLES}


async def test_commits_increase_versions_and_rollbacks_do_not(database: Database, keeper: VersionTracker) -> None:
    asked = database.versions()
    first = await asked.now()
    assert first is not None
    assert await asked.now() is first
    async with database.transaction() as transaction:
        await transaction.execute("INSERT INTO notes (title) VALUES ('a')")
        assert await asked.now() is first
    second = await asked.now()
    assert second is not None
    assert second.of(["notes"]) != first.of(["notes"])
    with suppress(ZeroDivisionError):
        async with database.transaction() as transaction:
            await transaction.execute("UPDATE notes SET title = 'b'")
            raise ZeroDivisionError
    third = await asked.now()
    assert third is not None
    assert third.of(TABLES) == second.of(TABLES)


async def test_each_table_has_its_own(server: Database, tmp_path: Path) -> None:
    keeper = VersionTracker(server, registry(tmp_path))
    assert await keeper.keep() > len(TABLES)
    assert await keeper.keep() == 0
    seen = [await versions_of(server)]
    for statement in (
        "INSERT INTO notes (title) VALUES ('a')",
        "UPDATE notes SET title = 'b'",
        "MERGE INTO notes n USING (SELECT 1) x ON true WHEN MATCHED THEN UPDATE SET title = 'm'",
        "WITH gone AS (DELETE FROM notes RETURNING id) SELECT count(*) FROM gone",
        "TRUNCATE notes",
        "ALTER TABLE notes ALTER COLUMN title TYPE text USING upper(title)",
        f"{_REPLICA}; INSERT INTO notes (title) VALUES ('a'); RESET session_replication_role",
    ):
        await server.execute_script(statement)
        seen.append(await versions_of(server))
    assert len({one["notes"] for one in seen}) == len(seen)
    assert len({one["tags"] for one in seen}) == 1


async def test_versions_follow_the_order_of_commits(server: Database, tmp_path: Path) -> None:
    await VersionTracker(server, registry(tmp_path)).keep()
    async with server.transaction() as early:
        await early.execute("INSERT INTO notes (title) VALUES ('early')")
        await server.execute("INSERT INTO notes (title) VALUES ('late')")
        between = await versions_of(server)
    assert (await versions_of(server))["notes"] != between["notes"]


async def test_compaction_does_not_increase_versions(server: Database, tmp_path: Path) -> None:
    keeper = VersionTracker(server, registry(tmp_path))
    await keeper.keep()
    for number in range(60):
        await server.execute(f"INSERT INTO notes (title) VALUES ('{number}')")
    before = await versions_of(server)
    async with server.transaction() as open_still:
        await open_still.execute("INSERT INTO notes (title) VALUES ('meanwhile')")
        await asyncio.gather(*(keeper.fold() for _ in range(3)))
        assert await versions_of(server) == before
    assert (await versions_of(server))["notes"] != before["notes"]
    assert await server.fetch_value("SELECT count(*) FROM octavo_versions WHERE relation = 'notes'::regclass") == 2


async def test_other_tables_have_no_version(server: Database, tmp_path: Path) -> None:
    keeper = VersionTracker(server, registry(tmp_path))
    assert await server.versions().now() is None
    await keeper.keep()
    before = await versions_of(server)
    await server.execute_script("ALTER TABLE notes DISABLE TRIGGER ALL; ALTER TABLE notes ENABLE TRIGGER ALL")
    assert (await versions_of(server))["notes"] is None
    assert await keeper.keep() == 1
    after = await versions_of(server)
    assert after["notes"] not in (None, before["notes"])
    await server.execute_script("CREATE TABLE heirs () INHERITS (tags)")
    assert (await versions_of(server))["tags"] is None
    await server.execute_script("DROP TABLE heirs")
    assert await keeper.remove() > len(TABLES)
    assert await server.versions().now() is None
    assert await keeper.remove() == 0
    await keeper.keep()
    assert (await versions_of(server))["notes"] not in (None, before["notes"], after["notes"])


async def test_late_callers_wait_for_the_next_read() -> None:
    begun: list[asyncio.Event] = []

    async def stamp() -> str:
        begun.append(asyncio.Event())
        number = len(begun)
        await begun[-1].wait()
        return str(number)

    async def read() -> tuple[str, str]:
        return str(len(begun)), f'{{"notes": "{len(begun)}"}}'

    asked = LedgerReader(stamp, read)
    early = [asked.now() for _ in range(3)]
    await until(lambda: len(begun) == 1)
    late = [asked.now() for _ in range(3)]
    late[0].cancel()
    begun[0].set()
    assert {moment.of(["notes"]) for moment in await asyncio.gather(*early) if moment} == {("1",)}
    await until(lambda: len(begun) == 2)
    begun[1].set()
    moments = await asyncio.gather(*late[1:])
    assert {(moment.of(["notes"]), moment.of(TABLES)) for moment in moments if moment} == {(("2",), None)}
    assert (len(begun), asked.latest) == (2, moments[0])


async def until(met: Callable[[], bool]) -> None:
    for _ in range(1000):
        if met():
            return
        await asyncio.sleep(0)
    raise AssertionError


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE notes RENAME TO other; ALTER TABLE tags RENAME TO notes; ALTER TABLE other RENAME TO tags",
        "ALTER TABLE notes RENAME TO other; CREATE TABLE notes (LIKE other)",
    ],
)
async def test_a_table_renamed_to_a_former_name_is_a_different_one(
    server: Database, tmp_path: Path, change: str
) -> None:
    await VersionTracker(server, registry(tmp_path)).keep()
    reader = server.versions()  # it reads all of them only if their stamp differs
    before = await reader.now()
    assert before is not None
    assert before.of(["notes"]) is not None
    await server.execute_script(change)
    after = await reader.now()
    assert after is None or after.of(["notes"]) != before.of(["notes"])
