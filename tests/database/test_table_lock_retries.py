"""Tables that other clients lock during a change: briefly, and forever."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from octavo.core.errors import ServiceUnavailable
from octavo.database.connection import Database
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.synchronize import found_tables, synchronize
from octavo.database.table_lock_retries import TablesLocked
from tests.database.test_synchronize import content_type, lines, note
from tests.layouts import registry_of

pytestmark = pytest.mark.anyio

READ = "BEGIN; SELECT count(*) FROM notes"
LOCKED = """
SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock'
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"""


async def until_one_waits(watching: asyncpg.Connection) -> None:
    """Wait until a statement waits for a lock on a table."""
    for _ in range(1000):
        if await watching.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'"):
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came to that")


@asynccontextmanager
async def holding(url: str, script: str = "SELECT 1") -> AsyncIterator[asyncpg.Connection]:
    """A client that has run statements and keeps its transaction open."""
    connection = await asyncpg.connect(url, server_settings={"application_name": "a long report"})
    try:
        await connection.execute(script)
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def noted(url: str, folder: Path, lock_timeout: float) -> AsyncIterator[PostgresqlDatabase]:
    """A database with a table of notes."""
    database = PostgresqlDatabase(url, lock_timeout=lock_timeout)
    await database.connect()
    try:
        await synchronize(database, registry_of(note(), folder / "before"))
        yield database
    finally:
        await database.close()


async def test_a_locked_table_is_tried_again(anyio_backend: str, postgresql_url: str, tmp_path: Path) -> None:
    """Others can read it between the attempts."""
    after = registry_of(note(body={"type": "text"}), tmp_path / "after")
    async with (
        asyncio.timeout(30),
        noted(postgresql_url, tmp_path, 0.2) as database,
        holding(postgresql_url) as other,
        holding(postgresql_url, READ) as reader,
    ):
        changing = asyncio.create_task(synchronize(database, after))
        await until_one_waits(other)
        assert await other.fetchval("SELECT count(*) FROM notes") == 0
        await reader.execute("ROLLBACK")
        assert lines(await changing)["applied"] == ["add column notes.body (text)"]


async def test_a_table_that_stays_locked(anyio_backend: str, postgresql_url: str, tmp_path: Path) -> None:
    """The error names the lock holder. Nothing has changed, and no lock remains."""
    after = registry_of({**note(body={"type": "text"}), **content_type("tag", {})}, tmp_path / "after")
    async with noted(postgresql_url, tmp_path, 0.01) as database:
        before = await found_tables(database, database.dialect)
        idle = holding(postgresql_url, "SELECT pg_advisory_lock(1); SELECT count(*) FROM notes")
        async with asyncio.timeout(20), idle, holding(postgresql_url, READ) as reader:
            with pytest.raises(TablesLocked) as caught:
                await synchronize(database, after)
            holder = (
                f"notes: process {reader.get_server_pid()} (a long report, user postgres, idle in transaction) for "
            )
            assert re.match(rf"notes stayed locked for \d+ s \({re.escape(holder)}", caught.value.reason)
            assert await found_tables(database, database.dialect) == before
            assert await reader.fetchval(LOCKED) == 0
        assert "add column notes.body (text)" in lines(await synchronize(database, after))["applied"]


async def test_the_target_of_a_relation_that_stays_locked(
    anyio_backend: str, postgresql_url: str, tmp_path: Path
) -> None:
    relation = {"type": "relation", "relation": "oneToOne", "target": "api::note.note"}
    after = registry_of({**note(), **content_type("tag", {"note": relation})}, tmp_path / "after")
    async with noted(postgresql_url, tmp_path, 0.01) as database:
        async with asyncio.timeout(20), holding(postgresql_url, "BEGIN; LOCK TABLE notes IN ROW EXCLUSIVE MODE"):
            with pytest.raises(TablesLocked) as caught:
                await synchronize(database, after)
        assert caught.value.reason.startswith("notes stayed locked")


async def test_another_process_changes_tables_for_too_long(
    new_database: Callable[..., Database], tmp_path: Path
) -> None:
    first, second = new_database(), new_database(exclusive_patience=0.05)
    await first.connect()
    await second.connect()
    async with first.transaction(exclusive=True):
        with pytest.raises(ServiceUnavailable) as caught:
            await synchronize(second, registry_of(note(), tmp_path))
        assert "0.05 s" in caught.value.reason
    assert (await synchronize(second, registry_of(note(), tmp_path / "again"))).applied
    await first.close()
    await second.close()
