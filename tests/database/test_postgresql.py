"""PostgreSQL only: types that are sent as text, lost connections, and servers that stop."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import asyncpg
import pytest

from octavo.core.errors import ServiceUnavailable
from octavo.database.connection import LockTimeout, StatementTimeout, TransactionConflict, UnsuitableValue
from octavo.database.postgresql import PostgresqlDatabase
from tests.database.relay import relayed
from tests.database.writing_process import CHILDREN, TABLES, write_family
from tests.postgresql_server import PostgresqlServer

pytestmark = pytest.mark.anyio

PATIENCE = 50
"""Seconds to wait. The driver alone would wait for 60."""
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"
KILL_OTHERS = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()" + (
    " AND datname = current_database()"
)


@pytest.fixture
async def postgresql(anyio_backend: str, postgresql_url: str) -> AsyncIterator[PostgresqlDatabase]:
    made = PostgresqlDatabase(postgresql_url, maximum=4)
    await made.connect()
    yield made
    await made.close()


TYPED: list[tuple[str, Any, Any]] = [
    ("timestamp", "2024-01-02T03:04:05.678Z", "2024-01-02 03:04:05.678"),
    ("timestamptz", "2024-01-02T03:04:05.678+02:00", "2024-01-02 01:04:05.678+00"),
    ("date", "2024-02-29", "2024-02-29"),
    ("time", "10:20:30.5", "10:20:30.5"),
    ("numeric(10,2)", 1.5, "1.50"),
    ("numeric(10,2)", 7, "7.00"),
    ("numeric", "123456789012345678901234567890.5", "123456789012345678901234567890.5"),
    ("jsonb", '{"b": 1, "a": "ä"}', '{"a": "ä", "b": 1}'),
    ("json", '{"b": 1, "a": "ä"}', '{"b": 1, "a": "ä"}'.encode()),
    ("boolean", True, True),
    ("float8", 3, 3.0),
    ("integer[]", [1, 2], [1, 2]),
    ("numeric", None, None),
]


@pytest.mark.parametrize("kind, given, back", TYPED)
async def test_types(postgresql: PostgresqlDatabase, kind: str, given: Any, back: Any) -> None:
    assert await postgresql.fetch_value(f"SELECT $1::{kind}", (given,)) == back


UNSUITABLE: list[tuple[str, Any]] = [
    ("timestamp", "yesterday evening"),
    ("date", "2023-02-29"),
    ("timestamp", "300000-01-01"),
    ("numeric(4,2)", 100),
    ("numeric", "one"),
    ("integer", 2**31),
    ("integer", "1"),
    ("jsonb", "{"),
    ("jsonb", '"\\u0000"'),
    ("time", "\ud800"),
    ("integer[]", [2**40]),
    ("text[]", ["a\0"]),
]


@pytest.mark.parametrize("kind, value", UNSUITABLE)
async def test_unsuitable_values_leave_the_connection_usable(
    postgresql: PostgresqlDatabase, kind: str, value: Any
) -> None:
    for _ in range(2):
        with pytest.raises(UnsuitableValue):
            await postgresql.fetch_value(f"SELECT $1::{kind}", (value,))
        with pytest.raises(UnsuitableValue):
            await postgresql.execute(f"SELECT $1::{kind}", (value,))
    assert await postgresql.fetch_value("SELECT $1::integer", (1,)) == 1


async def test_text_too_long_for_an_index(postgresql: PostgresqlDatabase) -> None:
    await postgresql.execute_script("CREATE TABLE t (name text UNIQUE)")
    incompressible = "".join(chr(0x4E00 + (i * 7919) % 20000) for i in range(5000))
    with pytest.raises(UnsuitableValue):
        await postgresql.execute("INSERT INTO t VALUES ($1)", (incompressible,))


async def test_settings(postgresql: PostgresqlDatabase) -> None:
    names = ("jit", "plan_cache_mode", "TimeZone", "statement_timeout", "application_name", "search_path")
    assert [await postgresql.fetch_value("SELECT current_setting($1)", (name,)) for name in names] == [
        "off",
        "force_generic_plan",
        "UTC",
        "15s",
        "octavo",
        '"$user", public',
    ]


async def test_schema(postgresql: PostgresqlDatabase, postgresql_url: str) -> None:
    database = PostgresqlDatabase(postgresql_url, schema='my "schema')
    with pytest.raises(ServiceUnavailable) as refused:  # another user owns the tables in `public`
        await database.connect()
    assert """the database has no schema 'my "schema'; CREATE SCHEMA "my ""schema" makes it""" in refused.value.reason
    await postgresql.execute_script('CREATE SCHEMA "my ""schema"')
    await database.connect()
    await database.execute_script("CREATE TABLE t (id integer)")
    assert await database.fetch_value("SELECT table_schema FROM information_schema.tables WHERE table_name = 't'") == (
        'my "schema'
    )
    await database.close()


async def test_deadlock_is_a_conflict(postgresql: PostgresqlDatabase) -> None:
    both = asyncio.Barrier(2)

    async def lock(*names: str) -> None:
        async with postgresql.transaction() as transaction:
            await transaction.lock(names[0])
            await both.wait()
            await transaction.lock(names[1])

    results = await asyncio.gather(lock("a", "b"), lock("b", "a"), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["NoneType", TransactionConflict.__name__]


async def test_changed_table_is_noticed(postgresql: PostgresqlDatabase) -> None:
    await postgresql.execute_script("CREATE TABLE t (id integer); INSERT INTO t VALUES (1)")
    assert [tuple(row) for row in await postgresql.fetch_all("SELECT * FROM t")] == [(1,)]
    await postgresql.execute_script("ALTER TABLE t ADD name text DEFAULT 'n'")
    assert [tuple(row) for row in await postgresql.fetch_all("SELECT * FROM t")] == [(1, "n")]


async def test_exhausted_pool(postgresql_url: str) -> None:
    database = PostgresqlDatabase(postgresql_url, maximum=2)
    await database.connect()
    async with database.transaction(), database.transaction():
        database._pool._patience = 0.05
        with pytest.raises(ServiceUnavailable):
            await database.fetch_value("SELECT 1")
        with pytest.raises(ServiceUnavailable):
            await database.execute("SELECT 1")
    assert await database.fetch_value("SELECT 1") == 1
    await database.close()


async def open_connections(url: str) -> int:
    connection = await asyncpg.connect(url)
    number = await connection.fetchval(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'octavo'"
    )
    await connection.close()
    return int(number)


async def test_no_more_connections_than_allowed(postgresql: PostgresqlDatabase, postgresql_url: str) -> None:
    await asyncio.gather(*(postgresql.fetch_value("SELECT 1 FROM pg_sleep(0.005)") for _ in range(40)))
    assert await open_connections(postgresql_url) == 4
    await postgresql.close()
    await none_open(postgresql_url)


async def none_open(url: str) -> None:
    """Wait until the server has noticed that all connections are closed."""
    for _ in range(3000):
        if not await open_connections(url):
            return
        await asyncio.sleep(0.02)
    raise AssertionError("connections are still open")


async def cancel_opening(url: str, messages: int) -> bool:
    """Cancel the opening of the pool after this many server messages. Return whether it was still opening."""
    said = 0

    def count() -> None:
        nonlocal said
        said += 1
        if said == messages:
            opening.cancel()

    async with relayed(url, count) as parameters:
        database = PostgresqlDatabase(parameters=parameters, minimum=2)
        opening = asyncio.create_task(database.connect())
        await asyncio.wait((opening,))
        async with asyncio.timeout(60):  # closing waits for every slot of the pool
            await database.close()
        await none_open(url)
        return opening.cancelled()


async def test_nothing_is_left_open_when_opening_is_cancelled(anyio_backend: str, postgresql_url: str) -> None:
    """Cancellation after any server message loses neither a connection nor a slot of the pool."""
    moments = 0
    while await cancel_opening(postgresql_url, moments + 1):
        moments += 1
    assert moments > 5


async def test_lost_connections_are_replaced_unnoticed(postgresql: PostgresqlDatabase, postgresql_url: str) -> None:
    await postgresql.execute_script("CREATE TABLE t (id integer)")
    killer = await asyncpg.connect(postgresql_url)
    for _ in range(3):
        assert await killer.fetchval(KILL_OTHERS) >= 1
        assert await postgresql.fetch_value("SELECT 1") == 1
        assert await killer.fetchval(KILL_OTHERS) >= 1
        assert await postgresql.execute("INSERT INTO t VALUES (1)") == 1
    assert await postgresql.fetch_value("SELECT count(*) FROM t") == 3
    await killer.close()


async def test_connection_lost_during_a_read(postgresql: PostgresqlDatabase, postgresql_url: str) -> None:
    """Four reads wait for a lock when their connections are lost. The lock is free when they are retried."""
    killer = await asyncpg.connect(postgresql_url)
    await killer.execute("SELECT pg_advisory_lock(1)")
    text = "SELECT 7 FROM pg_advisory_xact_lock_shared(1)"
    reading = asyncio.gather(*(postgresql.fetch_value(text) for _ in range(4)))
    async with asyncio.timeout(PATIENCE):
        while await killer.fetchval(WAITING) < 4:  # noqa: ASYNC110 - only the server knows
            await asyncio.sleep(0.01)
    assert await killer.fetchval(KILL_OTHERS) == 4
    await killer.execute("SELECT pg_advisory_unlock(1)")
    assert await reading == [7] * 4
    await killer.close()


async def test_connection_lost_during_a_transaction(postgresql: PostgresqlDatabase, postgresql_url: str) -> None:
    await postgresql.execute_script("CREATE TABLE t (id integer)")
    killer = await asyncpg.connect(postgresql_url)

    async def write() -> None:
        async with postgresql.transaction() as transaction:
            await transaction.execute("INSERT INTO t VALUES (1)")
            await killer.fetchval(KILL_OTHERS)
            await transaction.execute("INSERT INTO t VALUES (2)")

    with pytest.raises(ServiceUnavailable):
        await write()
    assert await postgresql.fetch_value("SELECT count(*) FROM t") == 0
    await killer.close()


@pytest.mark.parametrize(
    "url", ["postgresql://postgres@127.0.0.1:1/none", "postgresql://no.such.host.invalid/none", "postgresql://[/"]
)
async def test_no_server(url: str) -> None:
    database = PostgresqlDatabase(url)
    with pytest.raises(ServiceUnavailable) as caught:
        await database.connect()
    assert caught.value.__cause__ is not None
    await database.close()


async def test_silent_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:  # accepts connections and does not respond
        port = server.getsockname()[1]
        parameters = {"host": "127.0.0.1", "port": port, "user": "u", "ssl": False}
        database = PostgresqlDatabase(parameters=parameters, start_patience=0)
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(ServiceUnavailable):
                await database.connect()
        await database.close()


async def test_no_such_database(postgresql_url: str) -> None:
    database = PostgresqlDatabase(postgresql_url, parameters={"database": "missing"})
    with pytest.raises(ServiceUnavailable) as caught:
        await database.connect()
    assert str(caught.value.__cause__) == 'database "missing" does not exist'
    await database.close()


FAILURES: list[tuple[str, type[Exception]]] = [
    ("53100", ServiceUnavailable),  # the disk is full
    ("53200", ServiceUnavailable),  # no memory
    ("58030", ServiceUnavailable),  # the disk cannot be read or written
    ("57P01", ServiceUnavailable),  # the server shuts down
    ("57P04", ServiceUnavailable),  # the database was dropped
    ("57014", StatementTimeout),
    ("55P03", LockTimeout),
    ("40001", TransactionConflict),
    ("22003", UnsuitableValue),
]


@pytest.mark.parametrize("code, kind", FAILURES)
async def test_the_error_of_the_server_is_the_cause(
    postgresql: PostgresqlDatabase, code: str, kind: type[Exception]
) -> None:
    with pytest.raises(kind) as caught:
        await postgresql.execute_script(f"DO $$ BEGIN RAISE EXCEPTION 'as it is' USING ERRCODE = '{code}'; END $$")
    assert type(caught.value).__mro__.index(kind) <= 1
    cause = caught.value.__cause__
    assert isinstance(cause, asyncpg.PostgresError)
    assert (cause.sqlstate, str(cause)) == (code, "as it is")
    assert await postgresql.fetch_value("SELECT 1") == 1


async def test_a_server_that_follows_another_takes_no_writes(own_postgresql_server: PostgresqlServer) -> None:
    database = PostgresqlDatabase(own_postgresql_server.create_database())
    await asyncio.to_thread(own_postgresql_server.stop)
    (own_postgresql_server.data / "standby.signal").touch()
    await asyncio.to_thread(own_postgresql_server.start)
    await database.connect()
    assert await database.fetch_value("SELECT pg_is_in_recovery()") is True
    with pytest.raises(ServiceUnavailable) as caught:
        await database.execute("SELECT 1")
    assert caught.value.reason == "the server is read-only"
    assert isinstance(caught.value.__cause__, asyncpg.FeatureNotSupportedError)
    await database.close()


class Load:
    """Four writers and four readers that continue after errors. Acknowledged writes are recorded."""

    def __init__(self, database: PostgresqlDatabase) -> None:
        self.database = database
        self.acknowledged: set[int] = set()
        self.refused = 0
        self._next = iter(range(1_000_000))
        self._tasks: list[asyncio.Task[None]] = []
        self.done = [0] * 8
        """How often each of them has come to an end, good or bad."""
        for number in range(8):
            work = self._write if number % 2 else self._read
            self._tasks.append(asyncio.create_task(self._repeat(number, work)))

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for a condition. Raise TimeoutError if it never holds."""
        async with asyncio.timeout(PATIENCE):
            while not is_so():  # noqa: ASYNC110 - whatever it may be
                await asyncio.sleep(0.01)

    async def until_all_make_progress(self) -> None:
        """Wait until each task has started and finished a call since now, so none hangs."""
        before = list(self.done)
        await self.until(lambda: all(now > then + 1 for now, then in zip(self.done, before, strict=True)))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)

    async def _write(self) -> None:
        number = next(self._next)
        await write_family(self.database, number)
        self.acknowledged.add(number)

    async def _read(self) -> None:
        assert await self.database.fetch_value("SELECT count(*) FROM parents") >= 0

    async def _repeat(self, number: int, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except ServiceUnavailable:
                self.refused += 1
                await asyncio.sleep(0.01)
            self.done[number] += 1


@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_restart_under_load(own_postgresql_server: PostgresqlServer, mode: str) -> None:
    database = PostgresqlDatabase(own_postgresql_server.create_database(), maximum=4)
    await database.connect()
    await database.execute_script(TABLES)
    load = Load(database)
    await load.until(lambda: len(load.acknowledged) > 10)
    await asyncio.to_thread(own_postgresql_server.stop, mode)
    await load.until(lambda: load.refused > 0)
    await load.until_all_make_progress()
    before = len(load.acknowledged)
    await asyncio.to_thread(own_postgresql_server.start)
    await load.until(lambda: len(load.acknowledged) > before)
    await load.until_all_make_progress()
    await load.stop()
    stored = {row[0] for row in await database.fetch_all("SELECT id FROM parents")}
    assert load.acknowledged <= stored
    assert await database.fetch_value("SELECT count(*) FROM children") == CHILDREN * len(stored)
    await database.close()


async def test_frozen_server(own_postgresql_server: PostgresqlServer) -> None:
    database = PostgresqlDatabase(own_postgresql_server.create_database(), maximum=2)
    await database.connect()
    own_postgresql_server.freeze()
    work = [database.fetch_value("SELECT 1"), database.execute("SELECT 1"), database.fetch_value("SELECT 1")]
    try:
        async with asyncio.timeout(PATIENCE):
            refusals = await asyncio.gather(*work, return_exceptions=True)
    finally:
        own_postgresql_server.freeze(False)
    assert all(isinstance(refusal, ServiceUnavailable) for refusal in refusals)
    assert await database.fetch_value("SELECT 1") == 1
    await database.close()


async def test_a_start_waits_for_a_server_that_is_not_yet_there(own_postgresql_server: PostgresqlServer) -> None:
    database = PostgresqlDatabase(own_postgresql_server.create_database(), start_patience=PATIENCE)
    own_postgresql_server.freeze()
    connecting = asyncio.ensure_future(database.connect())
    await asyncio.sleep(2.2)  # longer than an attempt takes
    assert not connecting.done()
    own_postgresql_server.freeze(False)
    async with asyncio.timeout(PATIENCE):
        await connecting
    await database.close()


async def test_slow_statement_is_no_dead_server(postgresql: PostgresqlDatabase) -> None:
    assert await postgresql.fetch_value("SELECT 1 FROM pg_sleep(2.2)") == 1
