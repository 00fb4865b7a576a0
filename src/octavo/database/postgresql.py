"""The PostgreSQL driver: a pool of connections, each with its prepared statements.

Connections are reused without the reset of asyncpg's own pool, which takes 2.5 times as long as a point read. Octavo
leaves no state on a connection except an open transaction, which is rolled back. Behind a pooler in transaction mode
every read is a transaction, and statements that need a session bypass the pooler.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping, Sequence
from contextvars import Context
from functools import partial
from operator import attrgetter
from typing import Any, Final

import asyncpg
import orjson

from octavo.core.errors import ServiceUnavailable
from octavo.database.ambient import Scope, joined
from octavo.database.connection import (
    LARGEST_ANSWER,
    START_PATIENCE,
    DatabaseReadOnly,
    Reads,
    Row,
    TransactionConflict,
    Values,
    Watch,
    check_values,
    first_bytes,
)
from octavo.database.connection_share import is_shared, place, request_share
from octavo.database.operator_freeze import FREEZE_INTERVAL, OperatorFreeze
from octavo.database.pool import Pool, PoolUse
from octavo.database.postgresql_connection import (
    APART,
    LOCK_HOLDERS,
    NOT_YET_THERE,
    IndependentConnection,
    Server,
    check_schema,
    close_connection,
    connection_settings,
    describe_holder,
)
from octavo.database.postgresql_errors import ConnectionLost, is_interruption, raise_translated
from octavo.database.postgresql_plans import RolledBack, plan_of, plan_with
from octavo.database.postgresql_poolers import check_for_pooler, check_keeps_statements
from octavo.database.postgresql_transaction import (
    BEGIN_READING,
    BEGIN_READING_NEWEST,
    BEGIN_SNAPSHOT,
    BEGIN_WRITING,
    PostgresqlTransaction,
    stop_writes,
    taking_no_writes,
)
from octavo.database.server_contents import ServerContents
from octavo.database.topology import ALONE, ServerUse, Topology
from octavo.database.versions import Versions
from octavo.database.watchdog import Watchdog
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.postgresql import POSTGRESQL
from octavo.query.sql.dialects.postgresql_versions import LedgerVersions


class TableVersionSnapshot:
    """The versions of all tracked tables, by name. `stamp` changes with any of them."""

    __slots__ = ("stamp", "versions")

    def __init__(self, stamp: str, text: str | None) -> None:
        self.stamp = stamp
        self.versions: Mapping[str, str] = {} if text is None else orjson.loads(text)

    def of(self, tables: Sequence[str]) -> Hashable:
        versions = self.versions
        try:
            return tuple([versions[table] for table in tables])
        except KeyError:
            return None


class LedgerReader:
    """Implements `Versions`. `stamp` is the statement for the combined stamp, `read` also returns the versions."""

    def __init__(self, stamp: Callable[[], Awaitable[str]], read: Callable[[], Awaitable[Row | None]]) -> None:
        self._stamp, self._read = stamp, read
        self._waiting: list[asyncio.Future[TableVersionSnapshot | None]] = []
        self._reading: asyncio.Task[None] | None = None
        self.latest: TableVersionSnapshot | None = None

    def at_once(self) -> None:
        """Return None: the database has to be queried."""

    def now(self) -> "asyncio.Future[TableVersionSnapshot | None]":
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[TableVersionSnapshot | None] = loop.create_future()
        self._waiting.append(waiting)
        if self._reading is None:
            self._reading = loop.create_task(self._read_while_waiting(), context=Context())
        return waiting

    async def _read_while_waiting(self) -> None:
        """Read until no caller waits, starting in the next turn of the event loop, to serve all callers of this one."""
        try:
            while self._waiting:
                waiting, self._waiting = self._waiting, []
                moment = await self._read_versions()
                for one in waiting:
                    if not one.done():
                        one.set_result(moment)
        finally:
            self._reading = None
            for one in self._waiting:
                one.cancel()

    async def _read_versions(self) -> TableVersionSnapshot | None:
        latest = self.latest
        try:
            stamp = await self._stamp()
            if latest is not None and latest.stamp == stamp:
                return latest
            row = await self._read()
        except Exception:  # the ledger does not exist yet, or the database is down, which the read itself reports
            return None
        if row is not None and (latest is None or latest.stamp != row[0]):
            self.latest = latest = TableVersionSnapshot(row[0], row[1])
        return latest


_SERVER_PATIENCE_SECONDS: Final = 1.0
"""How much longer than the server's time limit Octavo waits for the server's own error."""
_REPLACEMENT_SECONDS: Final = 1.4
_NEXT_TRY_SECONDS: Final = 0.2
_CLEAN_SECONDS: Final = 2.0
_CLOSE_PATIENCE_SECONDS: Final = 20.0
_MOST_DIRECT: Final = 2
"""Number of connections that bypass a pooler: transactions that need one run one at a time."""
_EXCLUSIVE_SECONDS: Final = 24 * 3600.0


class _Opened(contextlib.AbstractAsyncContextManager[PostgresqlTransaction]):
    """A transaction for a block: commits or rolls back at the end, and returns the connection to the pool.

    A class, because each write opens one, and a generator would take ten more calls.
    """

    def __init__(self, database: "PostgresqlDatabase", statement: str, exclusive: bool = False) -> None:
        self._database = database
        self._statement = statement
        self._exclusive = exclusive

    async def __aenter__(self) -> PostgresqlTransaction:
        self._transaction = await self._database.begin(self._statement, self._exclusive)
        return self._transaction

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        transaction = self._transaction
        try:
            if error is None and not transaction.is_over:
                await transaction.commit()
        finally:
            if transaction.connection is not None:
                if transaction.is_over:
                    transaction.connection.pool.release(transaction.connection)
                else:
                    await self._database.clean_up(transaction.connection, transaction.interrupted)
            transaction.end()


class _OpenedLater(_Opened):
    """A transaction that begins with its first statement, which may be the only one and commit too."""

    async def __aenter__(self) -> PostgresqlTransaction:
        self._transaction = self._database.begin_later()
        return self._transaction


class PostgresqlDatabase:
    """Implements `Database` on a PostgreSQL server.

    `url` and `parameters` are arguments of asyncpg's `connect`: a URL, or `host`, `port`, `user`, `password`,
    `database`, `ssl`; parameters override the URL. `topology` describes further servers;
    `replicated.ReplicatedDatabase` handles replicas. `patience` is how long a caller waits for a free connection,
    `start_patience` how long `connect` waits for a slow or starting server, `exclusive_patience` how long an exclusive
    transaction waits for others, `lock_timeout` how long it waits for a lock, `statement_timeout` how long a statement
    may run, all in seconds.
    """

    dialect: Dialect = POSTGRESQL

    def __init__(
        self,
        url: str | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        schema: str | None = None,
        minimum: int = 2,
        maximum: int = 10,
        patience: float = 4.0,
        start_patience: float = START_PATIENCE,
        exclusive_patience: float = 300.0,
        lock_timeout: float = 1.0,
        statement_timeout: float = 15.0,
        largest_answer: int = LARGEST_ANSWER,
        simple: bool = False,
        topology: Topology = ALONE,
        freeze_interval: float = FREEZE_INTERVAL,
    ) -> None:
        self.statements = 0
        self.simple = simple
        self.watch: Watch | None = None
        self.read_only_message: str | None = None
        self.largest_answer = largest_answer
        self.lock_timeout = lock_timeout
        self.large_reads = max(maximum // 2, 1)
        self._schema, self._start_patience = schema, start_patience
        self._exclusive_patience = exclusive_patience
        self._maximum = maximum
        self._minimum = min(minimum, maximum)
        self._statement_seconds = statement_timeout + _SERVER_PATIENCE_SECONDS
        settings, pooled = connection_settings(schema, statement_timeout), topology.pooled
        given = dict(parameters or {})
        server = self._server = Server(url, given, settings, topology.role, topology.places, pooled, topology.prepared)
        past = self._past = Server(None, topology.direct, settings) if topology.direct else server
        self._pool = _pool_of(server, maximum, patience)
        self._past_pool = _pool_of(past, _MOST_DIRECT, patience) if topology.direct else self._pool
        self._reads_again = topology.role != "standby"  # reads that fail on a replica are repeated on the primary
        begin = BEGIN_READING_NEWEST if topology.role == "primary" else BEGIN_READING
        self._begin_reading = begin + server.in_transaction if pooled else ""
        self._cleaning: set[asyncio.Task[None]] = set()
        self._watchdog = Watchdog(past.is_there)
        self._freeze = OperatorFreeze(freeze_interval)
        read_row = partial(self.read_freely, asyncpg.Connection.fetchrow)
        self.own_contents: Final = ServerContents(self, read_row, shares=not simple)

    async def connect(self) -> None:
        until = time.monotonic() + self._start_patience
        while not await self._is_open(last_try=time.monotonic() >= until):  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(_NEXT_TRY_SECONDS)
        await self._check_server()
        self._watchdog.start()

    async def _check_server(self) -> None:
        """Check that the schema exists, and that no unconfigured pooler is in front of it."""
        connection = self._pool.take_idle()
        if connection is not None:
            try:
                await check_schema(connection, self._schema, self._server.place)
                if self._server.prepared:
                    await check_keeps_statements(connection, self._server.open_connection)
                elif not self._server.pooled:
                    await check_for_pooler(connection, self._server.open_connection)
            finally:
                self._pool.release(connection)

    async def _is_open(self, last_try: bool) -> bool:
        """Open the first connections, and return whether that succeeded. Raises ServiceUnavailable if waiting is
        useless."""
        try:
            await self._pool.open_early(self._minimum)
        except ServiceUnavailable as error:
            if last_try or not isinstance(error.__cause__, NOT_YET_THERE):
                raise
            return False
        return True

    async def close(self) -> None:
        await self._pool.close(_CLOSE_PATIENCE_SECONDS)
        await self._past_pool.close(_CLOSE_PATIENCE_SECONDS)
        await self._watchdog.stop()

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        rows: Sequence[Row] = await self._read(asyncpg.Connection.fetch, text, values)
        return rows

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        row: Row | None = await self._read(asyncpg.Connection.fetchrow, text, values)
        return row

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        row = await self._read(asyncpg.Connection.fetchrow, text, values)
        return None if row is None else row[0]

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return first_bytes(await self._read(asyncpg.Connection.fetchrow, text, values))

    async def execute(self, text: str, values: Values = ()) -> int:
        async with self.transaction() as transaction:
            return await transaction.execute(text, values)

    async def execute_script(self, text: str) -> None:
        async with self.transaction() as transaction:
            await transaction.execute_script(text)

    @contextlib.asynccontextmanager
    async def apart(self) -> AsyncIterator[IndependentConnection]:
        connection = await self._past.open_connection()
        try:
            await connection.execute(APART)
            transaction = PostgresqlTransaction(self, connection, self._watchdog, self._statement_seconds)
            await self._freeze.check(transaction.operators_default, self._operators_default)
            yield IndependentConnection(self, connection)
        finally:
            await close_connection(connection)

    def request_share(self) -> contextlib.AbstractContextManager[None]:
        return request_share(self._maximum)

    @property
    def contents(self) -> Reads:
        return self.own_contents

    def servers(self) -> Sequence[ServerUse]:
        return ()

    async def is_read_only(self) -> bool:
        try:
            async with self.transaction():
                return False
        except DatabaseReadOnly:
            return True

    async def position(self) -> int:
        return 0

    def check_new_connections(self, check: Callable[[asyncpg.Connection], Awaitable[None]]) -> None:
        """Run a check on each new connection. If it raises an error, the connection cannot be opened."""
        self._server.check = check

    def pools(self) -> Mapping[str, PoolUse]:
        return {"connections": self._pool.use()}

    def versions(self) -> Versions:
        return LedgerReader(lambda: self.fetch_value(LedgerVersions.stamp), lambda: self.fetch_row(LedgerVersions.read))

    async def plan_of(self, text: str) -> str:
        async with self.snapshot() as transaction:
            return await plan_of(transaction, text)

    async def plan_with(self, table: str, more: str, text: str) -> str:
        plan = ""
        with contextlib.suppress(RolledBack):
            async with self.transaction() as transaction:
                plan = await plan_with(transaction, table, more, text)
                raise RolledBack
        return plan

    async def lock_holders(self, tables: Sequence[str]) -> Sequence[str]:
        return [describe_holder(*row) for row in await self.fetch_all(LOCK_HOLDERS, (list(tables),))]

    def transaction(
        self, *, exclusive: bool = False, grouped: bool = False
    ) -> contextlib.AbstractAsyncContextManager[PostgresqlTransaction]:
        scope = joined(self)
        if scope is not None:
            return scope.inner(exclusive=exclusive)
        return (_OpenedLater if grouped and not exclusive else _Opened)(self, BEGIN_WRITING, exclusive)

    @contextlib.asynccontextmanager
    async def snapshot(self) -> AsyncIterator[PostgresqlTransaction]:
        async with _Opened(self, BEGIN_SNAPSHOT) as transaction:
            await transaction.fetch_value("SELECT 1")  # the first statement takes the snapshot
            yield transaction

    async def begin(self, statement: str, exclusive: bool = False) -> PostgresqlTransaction:
        seconds = _EXCLUSIVE_SECONDS if exclusive else self._statement_seconds
        transaction = PostgresqlTransaction(self, None, self._watchdog, seconds)
        await self._begin(transaction, statement, exclusive)
        return transaction

    def begin_later(self) -> PostgresqlTransaction:
        """Return a transaction that begins with its first statement."""
        seconds, alone = self._statement_seconds, not self._server.pooled
        return PostgresqlTransaction(self, None, self._watchdog, seconds, self._begin, can_commit_alone=alone)

    async def _begin(
        self, transaction: PostgresqlTransaction, statement: str = BEGIN_WRITING, exclusive: bool = False
    ) -> None:
        """Begin a transaction; again on a new connection if the first one was lost."""
        try:
            await self._begin_once(transaction, statement, exclusive, None)
        except ConnectionLost:
            self._drop_idle()
            await self._begin_once(transaction, statement, exclusive, _REPLACEMENT_SECONDS)

    async def _begin_once(
        self, transaction: PostgresqlTransaction, statement: str, exclusive: bool, patience: float | None
    ) -> None:
        pool = self._past_pool if exclusive else self._pool
        connection = await pool.acquire(patience, special=transaction.commits_alone)
        transaction.use(connection)
        try:
            if transaction.commits_alone:
                await transaction.let_write()
            else:
                await transaction.begin(statement, "" if exclusive else self._server.in_transaction)
            if statement == BEGIN_WRITING:
                await self._freeze.check(transaction.operators_default, self._operators_default)
            if exclusive:
                await transaction.make_exclusive(self._exclusive_patience, self.lock_timeout)
        except BaseException:
            interrupted = transaction.interrupted
            transaction.use(None)
            await self.clean_up(connection, interrupted)
            raise

    async def _operators_default(self) -> tuple[bool | None, bool]:
        """Return the values of OPERATORS_DEFAULT on a new connection."""
        connection = await self._server.open_connection()
        try:
            transaction = PostgresqlTransaction(self, connection, self._watchdog, self._statement_seconds)
            await transaction.begin(BEGIN_READING)
            return await transaction.operators_default()
        finally:
            await close_connection(connection)

    def _read(self, fetch: Callable[..., Awaitable[Any]], text: str, values: Values) -> Awaitable[Any]:
        scope = joined(self)
        if scope is not None:
            return _read_joined(scope, fetch, text, values)
        return self._read_shared(fetch, text, values) if is_shared() else self.read_freely(fetch, text, values)

    async def _read_shared(self, fetch: Callable[..., Awaitable[Any]], text: str, values: Values) -> Any:
        async with place():
            return await self.read_freely(fetch, text, values)

    async def read_freely(self, fetch: Callable[..., Awaitable[Any]], text: str, values: Values) -> Any:
        """Read outside a transaction; again on a new one if the connection was lost, or a pooler's plan is outdated."""
        watch = self.watch
        began = 0.0 if watch is None else time.perf_counter()
        self.statements += 1
        check_values(values)
        try:
            connection = self._pool.take_idle() or await self._pool.acquire()
            try:
                return await self._read_once(connection, fetch, text, values)
            except ConnectionLost:
                self._drop_idle()
                if not self._reads_again:
                    raise
            except TransactionConflict:
                if not self._begin_reading:
                    raise
            connection = await self._pool.acquire(_REPLACEMENT_SECONDS)
            return await self._read_once(connection, fetch, text, values)
        finally:
            if watch is not None:
                seconds = time.perf_counter() - began
                watch.note(seconds)
                if seconds >= watch.seen_from:
                    watch.see(text, seconds)

    async def _read_once(
        self, connection: asyncpg.Connection, fetch: Callable[..., Awaitable[Any]], text: str, values: Values
    ) -> Any:
        self._watchdog.begin(connection)
        try:
            if connection.texts.overflow(text):
                await connection.forget_statements()
            if connection.writes:
                await stop_writes(connection, self._statement_seconds)
            if self._begin_reading:
                await self._begin_to_read(connection)
            answer = await fetch(connection, text, *values, timeout=self._statement_seconds)
            if self._begin_reading:
                await connection.execute("COMMIT", timeout=self._statement_seconds)
        except BaseException as error:
            self._clean_up_later(connection, is_interruption(error))
            raise_translated(error, connection)
        finally:
            self._watchdog.end(connection)
        self._pool.release(connection)
        return answer

    async def _begin_to_read(self, connection: asyncpg.Connection) -> None:
        try:
            await connection.execute(self._begin_reading, timeout=self._statement_seconds)
        except asyncpg.FeatureNotSupportedError as error:
            raise await taking_no_writes(connection, pooled=True) from error

    def _drop_idle(self) -> None:
        """Close all idle connections: one was lost, so the others probably are, too."""
        for connection in self._pool.take_all_idle():
            connection.terminate()

    async def clean_up(self, connection: asyncpg.Connection, interrupted: bool) -> None:
        """Return a connection that may be inside a transaction, without being interrupted by a cancellation."""
        await asyncio.shield(self._clean_up_later(connection, interrupted))

    def _clean_up_later(self, connection: asyncpg.Connection, interrupted: bool) -> "asyncio.Task[None]":
        task = asyncio.get_running_loop().create_task(self._roll_back_or_close(connection, interrupted))
        self._cleaning.add(task)
        task.add_done_callback(self._cleaning.discard)
        return task

    async def _roll_back_or_close(self, connection: asyncpg.Connection, interrupted: bool) -> None:
        """Reset a connection for the next caller, or close it.

        A connection interrupted in a statement is closed: the server's cancellation may arrive late and would hit the
        next statement. Others need a ROLLBACK even outside a transaction: if asyncpg rejects a value after preparing
        the statement, the server stays in an implicit transaction.
        """
        with contextlib.suppress(Exception):
            if not interrupted:
                await connection.execute("ROLLBACK", timeout=_CLEAN_SECONDS)
                connection.pool.release(connection)
                return
        await close_connection(connection)
        connection.pool.discard()


_WRITES: Final[Callable[[asyncpg.Connection], bool]] = attrgetter("writes")


def _pool_of(server: Server, maximum: int, patience: float) -> Pool[asyncpg.Connection]:
    """Return a pool. Its connections have a reference to it."""

    async def open_connection() -> asyncpg.Connection:
        connection = await server.open_connection()
        connection.pool = pool
        return connection

    pool = Pool(open_connection, close_connection, asyncpg.Connection.is_closed, maximum, patience, _WRITES)
    return pool


async def _read_joined(scope: Scope, fetch: Callable[..., Awaitable[Any]], text: str, values: Values) -> Any:
    async with scope.turn() as transaction:
        return await transaction.read(fetch, text, values)
