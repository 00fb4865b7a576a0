"""SQLite only: the event loop and threads, the file, backups."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest

from octavo.core.errors import ServiceUnavailable, TablesChanged
from octavo.database.connection import LARGEST_ANSWER, StatementTimeout
from octavo.database.sqlite import SqliteDatabase
from octavo.database.sqlite_connection import SqliteConnection, all_rows
from octavo.database.sqlite_copy import copy_database

pytestmark = pytest.mark.anyio

COUNT = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT ?1) SELECT count(*) FROM c"


@pytest.fixture
async def sqlite(anyio_backend: str, sqlite_path: Path) -> AsyncIterator[SqliteDatabase]:
    made = SqliteDatabase(sqlite_path)
    await made.connect()
    yield made
    await made.close()


@pytest.mark.parametrize(
    "pragma, value",
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("fullfsync", 1), ("checkpoint_fullfsync", 1)],
)
async def test_settings(sqlite: SqliteDatabase, pragma: str, value: str | int) -> None:
    async with sqlite.transaction() as transaction:
        assert await transaction.fetch_value(f"PRAGMA {pragma}") == value
    assert await sqlite.fetch_value(f"PRAGMA {pragma}") == value
    assert await sqlite.fetch_value(f"PRAGMA {pragma}", long=True) == value


def test_a_statement_that_is_known_is_not_prepared_again(sqlite_path: Path) -> None:
    """By default SQLite prepares a statement again when the number of a LIMIT might need another plan."""
    asked = list[int]()

    def allow(operation: int, *_: str | None) -> int:
        asked.append(operation)
        return apsw.SQLITE_OK

    connection = SqliteConnection(sqlite_path, LARGEST_ANSWER, writes=True, pages=100)
    try:
        connection.run_script("CREATE TABLE t (n); INSERT INTO t VALUES (1), (2), (3)", 1.0)
        connection.raw.authorizer = allow  # called while a statement is prepared
        first = 0
        for most in range(1, 4):
            rows = connection.run(all_rows, "SELECT n FROM t WHERE n <= ?1 ORDER BY n LIMIT ?1", (most,), 1.0)
            first = first or len(asked)
            assert (len(rows), len(asked)) == (most, first)
    finally:
        connection.close()


@pytest.mark.parametrize("long", [False, True])
async def test_long_reads_do_not_block_others(sqlite: SqliteDatabase, long: bool) -> None:
    reading = asyncio.create_task(sqlite.fetch_value(COUNT, (5_000_000,), long=long))
    await asyncio.sleep(0)
    turns = 0
    while not reading.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert await reading == 5_000_000
    assert turns > 0, "others had their turns while it went on"


async def test_a_read_announced_as_long_may_turn_out_short(sqlite: SqliteDatabase) -> None:
    """It runs in the loop from then on, until it takes long there."""

    async def is_in_loop(most: int) -> bool:
        reading = asyncio.create_task(sqlite.fetch_value(COUNT, (most,), long=True))
        await asyncio.sleep(0)
        in_loop = reading.done()
        assert await reading == most
        return in_loop

    assert [await is_in_loop(most) for most in (1_000_000, 10, 20)] == [False, False, True]
    assert [await is_in_loop(most) for most in (5_000_000, 10)] == [False, False]


async def test_a_read_slowed_by_a_busy_machine_returns_to_the_loop(
    sqlite: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(100):  # if it is slow in the thread too, it stays there
        text = f"{COUNT} -- {number}"
        with monkeypatch.context() as busy:
            busy.setattr("octavo.database.sqlite.LOOP_SECONDS", 0.0)
            assert await sqlite.fetch_value(text, (20_000,)) == 20_000
        reading = asyncio.create_task(sqlite.fetch_value(text, (20_000,)))
        await asyncio.sleep(0)
        if reading.done():
            break
        await reading
    assert number < 99, "they stayed in threads"


async def test_a_text_in_double_quotes_is_a_name(sqlite: SqliteDatabase) -> None:
    with pytest.raises(TablesChanged):
        await sqlite.fetch_value('SELECT "title"')


async def test_folder_is_made(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "a" / "b" / "data.db")
    await database.connect()
    assert await database.fetch_value("SELECT 1") == 1
    await database.close()
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["data.db"]
    assert (tmp_path / "a" / "b").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"this is no database" * 1000, None])
async def test_files_that_are_no_database(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "data.db"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    database = SqliteDatabase(path)
    with pytest.raises(ServiceUnavailable) as caught:
        await database.connect()
    assert isinstance(caught.value.__cause__, apsw.Error)
    await database.close()


async def test_writer_held_by_another_process_too_long(sqlite: SqliteDatabase, sqlite_path: Path) -> None:
    hasty = SqliteDatabase(sqlite_path)
    await hasty.connect()
    patience, hasty._patience = hasty._patience, 0.05
    async with sqlite.transaction():
        with pytest.raises(ServiceUnavailable):
            await hasty.execute("CREATE TABLE t (id)")
    hasty._patience = patience
    await hasty.execute("CREATE TABLE t (id)")
    await hasty.close()


async def test_a_deferred_violation_fails_at_the_commit(sqlite: SqliteDatabase) -> None:
    await sqlite.execute_script(
        "CREATE TABLE a (id INTEGER PRIMARY KEY);"
        "CREATE TABLE b (id INTEGER REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED)"
    )
    with pytest.raises(Exception, match="FOREIGN KEY"):
        await sqlite.execute("INSERT INTO b VALUES (1)")
    assert await sqlite.fetch_value("SELECT count(*) FROM b") == 0
    await sqlite.execute("INSERT INTO a VALUES (1)")


async def test_migrations_have_no_time_limit(sqlite_path: Path) -> None:
    database = SqliteDatabase(sqlite_path, statement_timeout=0.01)
    await database.connect()
    with pytest.raises(StatementTimeout):
        await database.fetch_value(COUNT, (3_000_000,))
    async with database.transaction(exclusive=True) as transaction:
        assert await transaction.fetch_value(COUNT, (1_000_000,), long=True) == 1_000_000
    await database.close()


def ignore_progress(done: int, total: int) -> None:
    pass


async def test_backup_of_a_running_database_and_back(sqlite: SqliteDatabase, sqlite_path: Path, tmp_path: Path) -> None:
    await sqlite.execute_script("CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (1), (2)")
    async with sqlite.transaction() as transaction:
        await transaction.execute("INSERT INTO t VALUES (3)")
        await asyncio.to_thread(copy_database, sqlite_path, tmp_path / "backup.db", ignore_progress)
    await sqlite.execute("DELETE FROM t")
    await asyncio.to_thread(copy_database, tmp_path / "backup.db", sqlite_path, ignore_progress)
    assert [tuple(row) for row in await sqlite.fetch_all("SELECT id FROM t ORDER BY id")] == [(1,), (2,)]
    await sqlite.execute("INSERT INTO t VALUES (4)")
    assert await sqlite.fetch_value("PRAGMA integrity_check") == "ok"


def files(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
async def test_inspecting_a_file_does_not_change_it(tmp_path: Path, journal: str) -> None:
    file = tmp_path / "data #1.db"
    made = apsw.Connection(str(file))
    made.execute(f"PRAGMA journal_mode = {journal}; CREATE TABLE a (id integer); INSERT INTO a VALUES (7)").fetchall()
    made.close()
    before = file.read_bytes()
    database = SqliteDatabase(file, untouched=True)
    await database.connect()
    assert await database.fetch_value("SELECT id FROM a") == 7
    assert await database.fetch_value("SELECT id FROM a", long=True) == 7
    await database.close()
    assert (file.read_bytes(), files(tmp_path)) == (before, [file.name])


async def test_a_missing_file_cannot_be_inspected(tmp_path: Path) -> None:
    with pytest.raises(ServiceUnavailable):
        await SqliteDatabase(tmp_path / "none" / "data.db", untouched=True).connect()
    assert files(tmp_path) == []
