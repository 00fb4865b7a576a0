"""Killed processes and unreachable databases: committed messages are delivered in order, and no others."""

import asyncio
import logging
import os
import subprocess
import sys
from contextlib import AsyncExitStack, closing
from pathlib import Path

import apsw
import pytest

import octavo
from octavo.core.errors import ServiceUnavailable
from octavo.database.connection import Database
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase
from octavo.events import dead_letters, outbox
from octavo.events.messages import Message
from tests.events.test_outbox import Post, until
from tests.postgresql_server import PostgresqlServer

pytestmark = pytest.mark.anyio

PROGRAM = Path(__file__).with_name("delivering_process.py")
ENDLESS = 1_000_000
AFTER_THIS_MANY = 60


def start(url: str, ledger: Path, name: str, count: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, str(PROGRAM), url, str(ledger), name, str(count)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (Path(octavo.__file__).parents[1], Path.cwd())))}
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=environment)


def committed_by(process: subprocess.Popen[str], count: int) -> list[str]:
    """Return the changes that a process has reported as committed. It is killed after this many."""
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(count)]
    process.kill()
    rest, _ = process.communicate()
    return [line.strip() for line in [*lines, *rest.splitlines(keepends=True)] if line.endswith("\n")]


@pytest.fixture
def url(request: pytest.FixtureRequest, database: Database) -> str:
    """Return the URL of the database that `database` is connected to."""
    if database.dialect.name == "sqlite":
        return f"sqlite:///{request.getfixturevalue('sqlite_path')}"
    return str(request.getfixturevalue("postgresql_url"))


async def make_tables(database: Database) -> None:
    for table in (outbox.TABLE, dead_letters.TABLE):
        await database.execute_script(table.script(database.dialect))


async def test_processes_that_are_killed_lose_nothing(database: Database, url: str, tmp_path: Path) -> None:
    await make_tables(database)
    ledger = tmp_path / "ledger"
    writing = [start(url, ledger, name, ENDLESS) for name in "ab"]
    committed = await asyncio.gather(
        *(asyncio.to_thread(committed_by, process, AFTER_THIS_MANY) for process in writing)
    )
    stored = {str(row[0]) for row in await database.fetch_all("SELECT payload FROM octavo_outbox")}
    await database.execute("UPDATE octavo_outbox SET due_at = 0")  # as when their leases expire
    third = start(url, ledger, "c", 0)
    try:
        async with asyncio.timeout(120):
            while await database.fetch_value("SELECT count(*) FROM octavo_outbox"):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.05)
    finally:
        third.kill()
        await asyncio.to_thread(third.communicate)
    lines = ledger.read_text().splitlines()
    assert {name for one in committed for name in one} <= set(lines)
    assert {payload.strip('"') for payload in stored} <= set(lines)
    assert [line for line in lines if line.startswith("-")] == []
    once = list(dict.fromkeys(lines))
    for key in {line.split()[0] for line in once}:
        numbers = [int(line.split()[1]) for line in once if line.split()[0] == key]
        assert numbers == sorted(numbers)
    assert await database.fetch_value("SELECT count(*) FROM octavo_dead_letters") == 0


async def test_messages_are_delivered_after_a_restart_of_the_server(
    own_postgresql_server: PostgresqlServer, caplog: pytest.LogCaptureFixture
) -> None:
    database = PostgresqlDatabase(own_postgresql_server.create_database())
    await database.connect()
    await make_tables(database)
    caplog.set_level(logging.INFO, "octavo.events.outbox_worker")
    async with AsyncExitStack() as stack:
        stack.push_async_callback(database.close)
        post = Post(database, stack)
        began, let_go = asyncio.Event(), asyncio.Event()

        async def deliver(message: Message) -> None:
            began.set()
            await let_go.wait()
            await post.take(message)

        post.work(deliver)
        await post.add("under way", "waiting", key="a")
        await began.wait()
        await asyncio.to_thread(own_postgresql_server.stop)
        let_go.set()
        await until(lambda: len(outages(caplog)) == 1)
        with pytest.raises(ServiceUnavailable):
            await post.add("never")
        await asyncio.to_thread(own_postgresql_server.start)
        await post.until_empty()
        assert list(dict.fromkeys(post.payloads)) == ["under way", "waiting"]
        assert outages(caplog)[0].startswith("Cannot process the outbox")


async def test_messages_are_delivered_after_another_process_unlocks_the_file(
    sqlite_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = SqliteDatabase(sqlite_path, patience=0.05)
    await database.connect()
    await make_tables(database)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(database.close)
        post = Post(database, stack)
        await post.add("x")
        with closing(
            apsw.Connection(str(sqlite_path))
        ) as other:  # the same SQLite library: POSIX locks belong to the process
            other.execute("BEGIN IMMEDIATE")
            post.work()
            await until(lambda: len(outages(caplog)) == 1)
        await post.until_empty()
        assert post.payloads == ["x"]
        assert len(outages(caplog)) == 1


def outages(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the worker's log messages about the database."""
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
