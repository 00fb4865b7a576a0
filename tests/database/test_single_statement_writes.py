"""Single-statement writes on PostgreSQL commit on their own, with all guarantees of a transaction."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import pytest

from octavo.core.errors import ServiceUnavailable
from octavo.database.change_feed import ChangeFeed, ChangeKind
from octavo.database.connection import (
    DatabaseReadOnly,
    IntegrityViolation,
    Transaction,
    TransactionConflict,
    TransactionFailed,
    UnsuitableValue,
)
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.topology import Topology
from octavo.database.unit_of_work import UnitOfWork, run_unit
from tests.database.test_postgresql import KILL_OTHERS, PATIENCE
from tests.postgresql_server import PostgresqlServer, database_name

pytestmark = pytest.mark.anyio

NOTE = "api::note.note"
INSERT = "INSERT INTO notes (id) VALUES ($1::integer) RETURNING id"
WAIT = "WITH one AS (INSERT INTO notes (id) VALUES ($1::integer)) SELECT 1 FROM pg_advisory_xact_lock_shared(7)"
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"
TABLES = """
CREATE TABLE notes (id integer PRIMARY KEY);
CREATE TABLE owned (id integer REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED)"""


@pytest.fixture(params=[1, 4])
async def postgresql(
    request: pytest.FixtureRequest, anyio_backend: str, postgresql_url: str
) -> AsyncIterator[PostgresqlDatabase]:
    made = PostgresqlDatabase(postgresql_url, maximum=request.param, freeze_interval=3600)
    await made.connect()
    await made.execute_script(TABLES)
    yield made
    await made.close()


@pytest.fixture
async def other(postgresql: PostgresqlDatabase, postgresql_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection of another program."""
    connection = await asyncpg.connect(postgresql_url)
    yield connection
    await connection.close()


@contextmanager
def sent(patch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The statements that are sent to the server."""
    texts: list[str] = []
    with patch.context() as patched:
        for name in ("execute", "fetch", "fetchrow"):
            method = getattr(asyncpg.Connection, name)

            def noted(connection: Any, text: str, *values: Any, method: Any = method, **named: Any) -> Any:
                texts.append(text)
                return method(connection, text, *values, **named)

            patched.setattr(asyncpg.Connection, name, noted)
        yield texts


async def write(database: PostgresqlDatabase, number: Any, text: str = INSERT, feed: ChangeFeed | None = None) -> None:
    """Write a note with one statement, in a unit of work."""

    async def work(unit: UnitOfWork) -> None:
        await unit.commit_with(NOTE, unit.connection.fetch_row(text, (number,)))
        unit.record(NOTE, number, ChangeKind.CREATE)

    await run_unit(database, lambda connection: UnitOfWork(connection, feed), work)


async def notes(database: PostgresqlDatabase) -> list[int]:
    return [row[0] for row in await database.fetch_all("SELECT id FROM notes ORDER BY id")]


async def test_a_write_of_one_statement_is_one_round_trip(
    postgresql: PostgresqlDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write(postgresql, 1)
    with sent(monkeypatch) as texts:
        await write(postgresql, 2)
        await write(postgresql, 3)
    assert texts == [INSERT, INSERT]
    assert await notes(postgresql) == [1, 2, 3]


async def test_reads_stay_read_only_on_connections_that_wrote(postgresql: PostgresqlDatabase) -> None:
    for number in range(6):
        await asyncio.gather(*(write(postgresql, 10 * number + one) for one in range(4)))
        refused = await asyncio.gather(
            *(postgresql.fetch_all(INSERT, (900 + one,)) for one in range(4)), return_exceptions=True
        )
        assert [type(error) for error in refused] == [asyncpg.ReadOnlySQLTransactionError] * 4
    assert len(await notes(postgresql)) == 24


async def test_alternating_reads_and_writes_change_no_settings(
    postgresql_url: str, anyio_backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Idle connections are reused for the same purpose."""
    database = PostgresqlDatabase(postgresql_url, maximum=4, freeze_interval=3600)
    await database.connect()
    await database.execute_script(TABLES)
    await write(database, 1)
    with sent(monkeypatch) as texts:
        for number in range(2, 6):
            assert len(await notes(database)) == number - 1
            await write(database, number)
    assert len(texts) == 8
    await database.close()


async def test_no_statement_follows(postgresql: PostgresqlDatabase) -> None:
    async with postgresql.transaction(grouped=True) as transaction:
        assert transaction.commit_with_next()
        await transaction.fetch_row(INSERT, (1,))
        with pytest.raises(TransactionFailed):
            await transaction.fetch_row(INSERT, (2,))
    with pytest.raises(TransactionFailed):
        await transaction.fetch_row(INSERT, (3,))
    assert await notes(postgresql) == [1]


async def test_after_another_statement_the_transaction_stays_whole(postgresql: PostgresqlDatabase) -> None:
    async def work(transaction: Transaction) -> None:
        await transaction.fetch_row(INSERT, (1,))
        assert not transaction.commit_with_next()
        await transaction.fetch_row(INSERT, (2,))
        raise LookupError

    with pytest.raises(LookupError):
        async with postgresql.transaction(grouped=True) as transaction:
            await work(transaction)
    async with postgresql.transaction(grouped=True) as transaction, transaction.part():
        assert not transaction.commit_with_next()
        await transaction.fetch_row(INSERT, (3,))
    async with postgresql.transaction() as transaction:
        assert not transaction.commit_with_next()
    assert await notes(postgresql) == [3]


async def test_transactions_without_statements_send_nothing(
    postgresql: PostgresqlDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sent(monkeypatch) as texts:
        async with postgresql.transaction(grouped=True) as transaction:
            pass
    with pytest.raises(TransactionFailed):
        await transaction.fetch_row(INSERT, (1,))
    assert texts == []


async def swallow_a_violation(database: PostgresqlDatabase) -> None:
    async with database.transaction(grouped=True) as transaction:
        transaction.commit_with_next()
        with pytest.raises(IntegrityViolation):
            await transaction.fetch_row(INSERT, (1,))


async def test_refused_values_are_not_committed(postgresql: PostgresqlDatabase) -> None:
    for number, text, error in (
        (1, "INSERT INTO owned (id) VALUES ($1::integer) RETURNING id", IntegrityViolation),  # checked at the commit
        ("\0", "INSERT INTO notes (id) VALUES (length($1::text)) RETURNING id", UnsuitableValue),
        ("x", INSERT, UnsuitableValue),
    ):
        with pytest.raises(error):
            await write(postgresql, number, text)
        assert await notes(postgresql) == []
        assert await postgresql.fetch_value("SELECT count(*) FROM owned") == 0
    await write(postgresql, 1)
    with pytest.raises(IntegrityViolation):
        await write(postgresql, 1)
    with pytest.raises(TransactionFailed):  # code that swallows the error does not succeed
        await swallow_a_violation(postgresql)
    assert await notes(postgresql) == [1]


async def until_waiting(other: asyncpg.Connection) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await other.fetchval(WAITING):  # noqa: ASYNC110 - only the server knows
            await asyncio.sleep(0.01)


async def test_a_connection_lost_during_the_statement_is_an_unknown_commit(
    postgresql: PostgresqlDatabase, other: asyncpg.Connection
) -> None:
    """It is not retried, and callbacks for a possible rollback run."""
    undone: list[int] = []

    async def work(unit: UnitOfWork) -> None:
        unit.after_undo(lambda: undone.append(1))
        await unit.commit_with(NOTE, unit.connection.fetch_row(WAIT, (1,)))

    await other.execute("SELECT pg_advisory_lock(7)")
    writing = asyncio.ensure_future(run_unit(postgresql, UnitOfWork, work))
    await until_waiting(other)
    before = postgresql.statements
    await other.fetchval(KILL_OTHERS)
    with pytest.raises(ServiceUnavailable):
        await writing
    await other.execute("SELECT pg_advisory_unlock(7)")
    assert (postgresql.statements - before, undone) == (0, [1])
    assert await notes(postgresql) == []
    await write(postgresql, 2)


async def test_connections_that_were_lost_before_are_replaced(
    postgresql: PostgresqlDatabase, other: asyncpg.Connection
) -> None:
    """A connection that has not written for a while is tested first, because the statement cannot be retried."""
    for number in range(1, 4):
        await write(postgresql, number)
        for connection in postgresql._pool.take_all_idle():
            connection.tested -= 3600
            connection.pool._size += 1
            postgresql._pool.release(connection)
        await other.fetchval(KILL_OTHERS)
        await write(postgresql, 10 * number)
    assert await notes(postgresql) == [1, 2, 3, 10, 20, 30]


async def test_a_server_that_takes_no_writes_is_tried_again(postgresql: PostgresqlDatabase) -> None:
    """As after a failover behind the same address: nothing was written."""
    await write(postgresql, 1)
    for connection in postgresql._pool.take_all_idle():
        await connection.execute("SET default_transaction_read_only = on")
        connection.pool._size += 1
        postgresql._pool.release(connection)
    await write(postgresql, 2)
    assert await notes(postgresql) == [1, 2]


async def test_a_cancelled_write_ends_and_is_followed(
    postgresql: PostgresqlDatabase, other: asyncpg.Connection
) -> None:
    feed, called = ChangeFeed(), asyncio.Event()

    async def note(_: object) -> None:
        await asyncio.sleep(0)
        called.set()

    feed.subscribe(note)
    await other.execute("SELECT pg_advisory_lock(7)")
    writing = asyncio.ensure_future(write(postgresql, 1, WAIT, feed))
    await until_waiting(other)
    for _ in range(3):
        writing.cancel()
        await asyncio.sleep(0.01)
    assert not writing.done()
    await other.execute("SELECT pg_advisory_unlock(7)")
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert called.is_set()
    assert await notes(postgresql) == [1]


async def test_a_cancelled_write_without_callbacks_leaves_no_connection_behind(
    postgresql: PostgresqlDatabase, other: asyncpg.Connection
) -> None:
    await other.execute("SELECT pg_advisory_lock(7)")
    writing = asyncio.ensure_future(write(postgresql, 1, WAIT))
    await until_waiting(other)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await other.execute("SELECT pg_advisory_unlock(7)")
    await asyncio.gather(*(write(postgresql, number) for number in range(2, 10)))
    assert set(range(2, 10)) <= set(await notes(postgresql))


async def test_callbacks_run_in_order_and_their_errors_are_logged(
    postgresql: PostgresqlDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    called: list[str] = []

    async def waits() -> None:
        await asyncio.sleep(0)
        called.append("waits")
        raise ValueError

    def fails() -> None:
        called.append("fails")
        raise ValueError

    async def work(unit: UnitOfWork) -> None:
        for callback in (lambda: called.append("first"), fails, waits, lambda: called.append("last")):
            unit.after_commit(callback)
        await unit.commit_with(NOTE, unit.connection.fetch_row(INSERT, (1,)))
        unit.record(NOTE, 1, ChangeKind.CREATE)

    await run_unit(postgresql, UnitOfWork, work)
    assert called == ["first", "fails", "waits", "last"]
    assert len(caplog.records) == 2


async def test_concurrent_writes_with_errors(postgresql: PostgresqlDatabase) -> None:
    numbers = [number % 20 for number in range(60)]
    outcomes = await asyncio.gather(*(write(postgresql, number) for number in numbers), return_exceptions=True)
    assert sum(outcome is None for outcome in outcomes) == 20
    assert {type(outcome).__base__ for outcome in outcomes if outcome is not None} <= {
        IntegrityViolation,
        *IntegrityViolation.__subclasses__(),
    }
    assert await notes(postgresql) == list(range(20))
    use = postgresql.pools()["connections"]
    assert (use.idle, use.waiting) == (use.size, 0)


async def test_conflicts_start_again(postgresql: PostgresqlDatabase) -> None:
    tries: list[bool] = []

    async def conflicting(unit: UnitOfWork) -> None:
        tries.append(unit.is_cautious)
        if len(tries) == 1:
            text = "DO $$ BEGIN RAISE EXCEPTION 'late' USING ERRCODE = '40001'; END $$"
            await unit.commit_with(NOTE, unit.connection.fetch_row(text))
        await unit.commit_with(NOTE, unit.connection.fetch_row(INSERT, (5,)))

    await run_unit(postgresql, UnitOfWork, conflicting)
    assert tries == [False, True]
    assert await notes(postgresql) == [5]


async def test_the_operators_freeze_is_respected(
    anyio_backend: str, postgresql_url: str, postgresql_server: PostgresqlServer
) -> None:
    database = PostgresqlDatabase(postgresql_url, maximum=2, freeze_interval=0)
    await database.connect()
    await database.execute_script(TABLES)
    await write(database, 1)
    name = database_name(postgresql_url)
    postgresql_server.run_sql("postgres", f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    with pytest.raises(DatabaseReadOnly):
        await write(database, 2)
    postgresql_server.run_sql("postgres", f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
    await write(database, 3)
    assert await notes(database) == [1, 3]
    await database.close()


async def test_behind_a_pooler_every_write_is_a_transaction(
    anyio_backend: str, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are no session settings: the next statement may run on another connection."""
    direct = PostgresqlDatabase(postgresql_url, maximum=1)
    await direct.connect()
    await direct.execute_script(TABLES)
    await direct.close()
    database = PostgresqlDatabase(postgresql_url, maximum=2, topology=Topology(pooled=True), freeze_interval=3600)
    await database.connect()
    await write(database, 1)
    with sent(monkeypatch) as texts:
        await write(database, 2)
    assert (texts[0].split(";")[0], *texts[1:]) == ("BEGIN READ WRITE", INSERT, "COMMIT")
    assert await notes(database) == [1, 2]
    await database.close()


async def test_killed_servers_lose_no_acknowledged_write(own_postgresql_server: PostgresqlServer) -> None:
    database = PostgresqlDatabase(own_postgresql_server.create_database(), maximum=4)
    await database.connect()
    await database.execute_script(TABLES)
    acknowledged: set[int] = set()
    numbers = iter(range(1_000_000))

    async def go_on() -> None:
        while True:
            number = next(numbers)
            try:
                await write(database, number)
            except (ServiceUnavailable, TransactionConflict):
                await asyncio.sleep(0.01)
            else:
                acknowledged.add(number)

    async def until_written(more: int) -> None:
        goal = len(acknowledged) + more
        async with asyncio.timeout(PATIENCE):
            while len(acknowledged) < goal:  # noqa: ASYNC110 - whenever that may be
                await asyncio.sleep(0.01)

    tasks = [asyncio.ensure_future(go_on()) for _ in range(6)]
    for mode in ("immediate", "fast"):
        await until_written(20)
        await asyncio.to_thread(own_postgresql_server.stop, mode)
        await asyncio.to_thread(own_postgresql_server.start)
    await until_written(20)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert acknowledged <= set(await notes(database))
    await database.close()
