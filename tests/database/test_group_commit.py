"""Write transactions on SQLite that share a commit: each is atomic, and none returns before the commit."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import apsw
import orjson
import pytest

from octavo.core.errors import ServiceUnavailable, TablesChanged
from octavo.database.connection import IntegrityViolation, StatementTimeout, TransactionConflict, TransactionFailed
from octavo.database.sqlite import SqliteDatabase
from octavo.database.sqlite_transaction import SqliteTransaction
from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import open_bookshop

pytestmark = pytest.mark.anyio

INSERT = "INSERT INTO notes (text) VALUES (?1)"
ENDLESS = "INSERT INTO notes WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c"


@pytest.fixture
async def sqlite(anyio_backend: str, sqlite_path: Path) -> AsyncIterator[SqliteDatabase]:
    made = SqliteDatabase(sqlite_path, statement_timeout=0.3)
    await made.connect()
    await made.execute("CREATE TABLE notes (text)")
    await made.execute("CREATE TABLE owners (id INTEGER PRIMARY KEY)")
    await made.execute("CREATE TABLE owned (owner INTEGER REFERENCES owners (id) DEFERRABLE INITIALLY DEFERRED)")
    yield made
    await made.close()


async def connection_of(sqlite: SqliteDatabase) -> apsw.Connection:
    """Return the connection for writes."""
    async with sqlite.transaction() as transaction:
        return transaction._connection.raw


async def count_commits(sqlite: SqliteDatabase) -> list[None]:
    """Return a list that grows by one with every COMMIT."""
    commits: list[None] = []

    def count() -> bool:
        commits.append(None)
        return False

    (await connection_of(sqlite)).set_commit_hook(count)
    return commits


async def notes(sqlite: SqliteDatabase) -> list[str]:
    return sorted(str(text) for (text,) in await sqlite.fetch_all("SELECT text FROM notes"))


async def write(sqlite: SqliteDatabase, text: str) -> None:
    async with sqlite.transaction(grouped=True) as transaction:
        await transaction.execute(INSERT, (text,))


async def first(
    sqlite: SqliteDatabase, act: Callable[[SqliteTransaction], Awaitable[object]], others: int = 3
) -> list[BaseException | None]:
    """Act in a transaction while others wait to write. Return the exception of each, or None."""
    waiting: list[asyncio.Task[None]] = []

    async def leader() -> None:
        async with sqlite.transaction(grouped=True) as transaction:
            waiting.extend(asyncio.create_task(write(sqlite, f"other {number}")) for number in range(others))
            await asyncio.sleep(0)
            await act(transaction)

    end = (await asyncio.gather(leader(), return_exceptions=True))[0]
    return [end, *await asyncio.gather(*waiting, return_exceptions=True)]


def remove_time_limit(sqlite: SqliteDatabase) -> None:
    """Remove the time limit for joining a group, so that slow machines pass."""
    sqlite._groups.longest = float("inf")


async def test_waiting_transactions_share_a_commit(sqlite: SqliteDatabase) -> None:
    remove_time_limit(sqlite)
    commits = await count_commits(sqlite)
    await asyncio.gather(*(write(sqlite, str(number)) for number in range(8)))
    assert len(await notes(sqlite)) == 8
    assert len(commits) < 4


async def test_a_single_transaction_is_committed_immediately(sqlite: SqliteDatabase) -> None:
    commits = await count_commits(sqlite)
    for number in range(3):
        await write(sqlite, str(number))
        assert len(await notes(sqlite)) == len(commits) == number + 1


async def test_no_transaction_returns_before_the_commit(sqlite: SqliteDatabase) -> None:
    async def write_and_look(text: str) -> bool:
        await write(sqlite, text)
        return text in await notes(sqlite)

    assert all(await asyncio.gather(*(write_and_look(str(number)) for number in range(20))))


async def test_a_failed_transaction_is_rolled_back_alone(sqlite: SqliteDatabase) -> None:
    async def fail(transaction: SqliteTransaction) -> None:
        await transaction.execute(INSERT, ("leader",))
        raise ValueError

    assert [type(end) for end in await first(sqlite, fail)] == [ValueError, *[type(None)] * 3]
    assert await notes(sqlite) == ["other 0", "other 1", "other 2"]


async def test_failed_transactions_among_others(sqlite: SqliteDatabase) -> None:
    async def write_or_fail(number: int) -> None:
        async with sqlite.transaction(grouped=True) as transaction:
            await transaction.execute(INSERT, (str(number),))
            if number % 2:
                raise ValueError

    ends = await asyncio.gather(*(write_or_fail(number) for number in range(6)), return_exceptions=True)
    assert [type(end) for end in ends] == [type(None), ValueError] * 3
    assert await notes(sqlite) == ["0", "2", "4"]


async def test_a_failed_statement_cannot_be_passed_over(sqlite: SqliteDatabase) -> None:
    async def pass_over(transaction: SqliteTransaction) -> None:
        await transaction.execute(INSERT, ("leader",))
        with pytest.raises(TablesChanged):
            await transaction.execute("INSERT INTO nowhere VALUES (1)")

    assert [type(end) for end in await first(sqlite, pass_over)] == [TransactionFailed, *[type(None)] * 3]
    assert await notes(sqlite) == ["other 0", "other 1", "other 2"]


async def test_a_deferred_constraint_fails_one_transaction(sqlite: SqliteDatabase) -> None:
    async def break_it(transaction: SqliteTransaction) -> None:
        await transaction.execute("INSERT INTO owned VALUES (7)")

    assert [type(end) for end in await first(sqlite, break_it)] == [IntegrityViolation, *[type(None)] * 3]
    assert await sqlite.fetch_value("SELECT count(*) FROM owned") == 0
    assert len(await notes(sqlite)) == 3


async def test_the_next_transaction_is_cancelled(sqlite: SqliteDatabase) -> None:
    """Statements before the cancellation are committed."""
    async with asyncio.timeout(60), sqlite.transaction(grouped=True) as transaction:
        await transaction.execute(INSERT, ("leader",))
        waiting = asyncio.create_task(write(sqlite, "other"))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(waiting.cancel)
    assert "leader" in await notes(sqlite)
    await asyncio.gather(waiting, return_exceptions=True)
    await write(sqlite, "after")


@pytest.mark.parametrize("turns", range(6))
async def test_a_transaction_is_cancelled_at_any_moment(sqlite: SqliteDatabase, turns: int) -> None:
    tasks = [asyncio.create_task(write(sqlite, str(number))) for number in range(4)]
    for _ in range(turns):
        await asyncio.sleep(0)
    tasks[1].cancel()
    async with asyncio.timeout(60):
        ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert {"0", "2", "3"} <= set(await notes(sqlite))
    assert [end for end in ends if end is not None and not isinstance(end, asyncio.CancelledError)] == []
    await write(sqlite, "after")


async def test_a_commit_that_fails_fails_for_all(sqlite: SqliteDatabase) -> None:
    connection = await connection_of(sqlite)
    connection.set_commit_hook(lambda: True)
    ends = await asyncio.gather(*(write(sqlite, str(number)) for number in range(4)), return_exceptions=True)
    assert [type(end) for end in ends] == [IntegrityViolation] * 4
    connection.set_commit_hook(None)
    assert await notes(sqlite) == []
    await write(sqlite, "after")
    assert await notes(sqlite) == ["after"]


async def test_a_timeout_rolls_back_the_group(sqlite: SqliteDatabase) -> None:
    """SQLite rolls back the whole transaction when it interrupts a long write. Earlier writers in the group get a
    conflict."""

    async def short() -> None:
        async with sqlite.transaction(grouped=True) as transaction:
            await transaction.execute(INSERT, ("short",))
            await asyncio.sleep(0)

    async def long() -> None:
        async with sqlite.transaction(grouped=True) as transaction:
            await transaction.execute(INSERT, ("long",))
            await transaction.execute(ENDLESS)

    remove_time_limit(sqlite)
    ends = await asyncio.gather(short(), long(), return_exceptions=True)
    assert [type(end) for end in ends] == [TransactionConflict, StatementTimeout]
    assert await notes(sqlite) == []
    await write(sqlite, "after")
    assert await notes(sqlite) == ["after"]


async def test_separate_transactions_run_between_groups(sqlite: SqliteDatabase) -> None:
    """A separate transaction does not wait forever behind a stream of groups."""
    going_on = True

    async def keep_writing() -> None:
        while going_on:
            await write(sqlite, "grouped")

    writers = [asyncio.create_task(keep_writing()) for _ in range(4)]
    async with asyncio.timeout(60):
        await sqlite.execute(INSERT, ("alone",))
    going_on = False
    await asyncio.gather(*writers)
    assert "alone" in await notes(sqlite)


@pytest.fixture
async def impatient(anyio_backend: str, sqlite_path: Path) -> AsyncIterator[SqliteDatabase]:
    """A database that interrupts a transaction as soon as it pauses while others wait."""
    made = SqliteDatabase(sqlite_path, longest_pause=0.02)
    await made.connect()
    await made.execute("CREATE TABLE notes (text)")
    yield made
    await made.close()


class Pausing:
    """A transaction that waits for an event between two statements."""

    def __init__(self, sqlite: SqliteDatabase, *, grouped: bool) -> None:
        self.began = asyncio.Event()
        self.go_on = asyncio.Event()
        self.task = asyncio.create_task(self._run(sqlite, grouped))

    async def _run(self, sqlite: SqliteDatabase, grouped: bool) -> None:
        async with sqlite.transaction(grouped=grouped) as transaction:
            await transaction.execute(INSERT, ("before",))
            self.began.set()
            await self.go_on.wait()
            await transaction.execute(INSERT, ("after",))


@pytest.mark.parametrize("grouped, refusal", [(True, TransactionConflict), (False, ServiceUnavailable)])
async def test_a_paused_transaction_does_not_block_others(
    impatient: SqliteDatabase, grouped: bool, refusal: type[Exception]
) -> None:
    """The others write in order of arrival. The paused transaction fails and no longer uses the connection."""
    pausing = Pausing(impatient, grouped=grouped)
    await pausing.began.wait()
    await asyncio.gather(*(write(impatient, str(number)) for number in range(3)), impatient.execute(INSERT, ("alone",)))
    async with impatient.transaction() as other:
        pausing.go_on.set()
        with pytest.raises(refusal):
            await pausing.task
        await other.execute(INSERT, ("other",))
    rows = await impatient.fetch_all("SELECT text FROM notes ORDER BY rowid")
    assert [text for (text,) in rows if text.isdigit()] == ["0", "1", "2"]
    assert sorted(text for (text,) in rows if not text.isdigit()) == ["alone", "other"]


async def test_time_of_a_blocked_event_loop_is_no_pause(sqlite_path: Path) -> None:
    """The event loop is blocked, for example by an import."""
    database = SqliteDatabase(sqlite_path, longest_pause=0.1)
    await database.connect()
    await database.execute("CREATE TABLE notes (text)")
    pausing = Pausing(database, grouped=False)
    await pausing.began.wait()
    waiting = asyncio.create_task(database.execute(INSERT, ("other",)))
    await asyncio.sleep(0)
    pausing.go_on.set()
    time.sleep(0.3)  # noqa: ASYNC251 - it is meant to block
    await asyncio.gather(pausing.task, waiting)
    assert await notes(database) == ["after", "before", "other"]
    await database.close()


@pytest.mark.parametrize("grouped", [True, False])
async def test_a_pause_can_be_long_while_no_transaction_waits(impatient: SqliteDatabase, grouped: bool) -> None:
    pausing = Pausing(impatient, grouped=grouped)
    await pausing.began.wait()
    await asyncio.sleep(0.1)
    pausing.go_on.set()
    await pausing.task
    assert await notes(impatient) == ["after", "before"]


async def test_a_finished_transaction_does_not_wait_for_a_paused_one(sqlite: SqliteDatabase) -> None:
    """It is committed although no other caller waits for the writer."""
    remove_time_limit(sqlite)
    async with asyncio.timeout(20):
        async with sqlite.transaction(grouped=True) as transaction:
            pausing = Pausing(sqlite, grouped=True)
            await asyncio.sleep(0)  # queued
            await transaction.execute(INSERT, ("done",))
        assert "done" in await notes(sqlite)
        await pausing.began.wait()
        pausing.go_on.set()
        with pytest.raises(TransactionConflict):
            await pausing.task
    assert await notes(sqlite) == ["done"]


async def test_a_paused_transaction_can_be_retried(impatient: SqliteDatabase) -> None:
    pausing = Pausing(impatient, grouped=True)
    await pausing.began.wait()
    await write(impatient, "other")
    pausing.go_on.set()
    with pytest.raises(TransactionConflict):
        await pausing.task
    again = Pausing(impatient, grouped=False)
    again.go_on.set()
    await again.task
    assert await notes(impatient) == ["after", "before", "other"]


async def test_requests_at_once_share_commits(anyio_backend: str, tmp_path: Path) -> None:
    """Through HTTP: as many responses and entries as requests, and fewer commits."""
    site = await open_bookshop(tmp_path, {})
    try:
        assert isinstance(site.database, SqliteDatabase)
        remove_time_limit(site.database)
        body = orjson.dumps({"data": {"title": "Tides", "author": 1, "genres": [1, 2]}})
        headers = [("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", "application/json")]
        commits = await count_commits(site.database)
        asked = (call(site.octavo.asgi, "POST", "/api/books", headers, [body]) for _ in range(12))
        answers = await asyncio.gather(*asked)
        assert [answer.status for answer in answers] == [200] * 12
        ids = {orjson.loads(answer.body)["data"]["id"] for answer in answers}
        assert await site.database.fetch_value("SELECT count(*) FROM books WHERE title = 'Tides'") == len(ids) == 12
        assert len(commits) < 12
    finally:
        await site.database.close()
