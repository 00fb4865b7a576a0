"""The MySQL and MariaDB driver: a pool of connections that only read outside transactions.

Octavo leaves no state on a connection except an open transaction, which is rolled back. Transactions that change
tables, and statements outside transactions, have connections of their own.
"""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Final

from octavo.core.errors import ServiceUnavailable
from octavo.database.ambient import Scope, joined
from octavo.database.connection import (
    LARGEST_ANSWER,
    START_PATIENCE,
    DatabaseReadOnly,
    Reads,
    Row,
    Values,
    Watch,
    check_values,
)
from octavo.database.connection_share import is_shared, place, request_share
from octavo.database.mysql_connection import MysqlConnection, Server, parameters_of, session_settings
from octavo.database.mysql_errors import ConnectionLost, is_interruption, raise_translated
from octavo.database.mysql_lock_holders import find_lock_holders
from octavo.database.mysql_plans import explain, plan_text, plan_with
from octavo.database.mysql_statements import fill
from octavo.database.mysql_transaction import (
    BEGIN_EXCLUSIVE,
    BEGIN_SNAPSHOT,
    BEGIN_WRITING,
    MysqlSession,
    MysqlTransaction,
    bytes_of,
    first_of,
    rows_of,
    run_checked,
    value_of,
)
from octavo.database.pool import Pool, PoolUse
from octavo.database.server_contents import ServerContents
from octavo.database.topology import ServerUse
from octavo.database.versions import Versions
from octavo.database.watchdog import Watchdog
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.mysql import MySQLDialect

_SERVER_PATIENCE_SECONDS: Final = 1.0
"""How much longer than the server's time limit Octavo waits for the server's own error."""
_REPLACEMENT_SECONDS: Final = 1.4
_CLEAN_SECONDS: Final = 2.0
_CLOSE_PATIENCE_SECONDS: Final = 20.0
_NEXT_TRY_SECONDS: Final = 0.2
_CHANGES_TABLES: Final = re.compile(r"\s*(?:CREATE|ALTER|DROP|RENAME|TRUNCATE)\b", re.IGNORECASE)
"""Ends a transaction, and so cannot be in one that only is for writing rows."""


class NoVersions:
    """Implements `Versions` without any, so responses are not cached: the server does not report commits, and its
    triggers miss deletes by foreign keys and TRUNCATE."""

    latest = None

    def at_once(self) -> None:
        """Return None."""

    async def now(self) -> None:
        """Return None."""


class MysqlDatabase:
    """Implements `Database` on a MySQL or MariaDB server.

    `url` or `parameters` name the server, see `mysql_connection.Server`. `patience` is how long a caller waits for a
    free connection, `start_patience` how long `connect` waits for a slow server, `exclusive_patience` how long an
    exclusive transaction waits for others, `lock_timeout` how long it waits for a lock, `statement_timeout` how long a
    statement may run, all in seconds.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        minimum: int = 2,
        maximum: int = 10,
        patience: float = 4.0,
        start_patience: float = START_PATIENCE,
        exclusive_patience: float = 300.0,
        lock_timeout: float = 1.0,
        statement_timeout: float = 15.0,
        largest_answer: int = LARGEST_ANSWER,
        simple: bool = False,
    ) -> None:
        self._dialect = MySQLDialect()
        self.dialect: Dialect = self._dialect
        self.statements = 0
        self.simple = simple
        self.watch: Watch | None = None
        self.read_only_message: str | None = None
        self.largest_answer = largest_answer
        self.lock_timeout = lock_timeout
        self.large_reads = max(maximum // 2, 1)
        self._start_patience = start_patience
        self._exclusive_patience = exclusive_patience
        self._maximum = maximum
        self._minimum = min(minimum, maximum)
        self._seconds = statement_timeout + _SERVER_PATIENCE_SECONDS if statement_timeout else None
        given = {**(parameters_of(url) if url else {}), **(parameters or {})}
        self._server = Server(given, session_settings(statement_timeout, largest_answer), statement_timeout)
        self._pool = Pool(self._open, MysqlConnection.close, _is_closed, maximum, patience)
        self._cleaning: set[asyncio.Task[None]] = set()
        self._making_locks: asyncio.Task[None] | None = None
        self._watchdog = Watchdog(self._server.is_there)
        self._contents: Final = ServerContents(self, partial(self._read_freely, self._answer_of), shares=not simple)

    async def connect(self) -> None:
        until = time.monotonic() + self._start_patience
        while not await self._is_open(last_try=time.monotonic() >= until):  # noqa: ASYNC110 - no event to await
            await asyncio.sleep(_NEXT_TRY_SECONDS)
        self._dialect.adapt(*await self._read_freely(first_of, "SELECT version(), @@max_allowed_packet", ()))
        self._watchdog.start()

    async def _is_open(self, last_try: bool) -> bool:
        """Open the first connections, and return whether that succeeded. Raises ServiceUnavailable if waiting is
        useless."""
        try:
            await self._pool.open_early(max(self._minimum, 1))
        except ServiceUnavailable as error:
            if last_try or not isinstance(error.__cause__, TimeoutError):
                raise
            return False
        return True

    async def close(self) -> None:
        await self._pool.close(_CLOSE_PATIENCE_SECONDS)
        await self._watchdog.stop()

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        rows: Sequence[Row] = await self._read(rows_of, text, values)
        return rows

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        row: Row | None = await self._read(first_of, text, values)
        return row

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        return await self._read(value_of, text, values)

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return bytes_of(await self._read(value_of, text, values), self.largest_answer)

    async def execute(self, text: str, values: Values = ()) -> int:
        if _CHANGES_TABLES.match(text) and joined(self) is None:
            async with self._own(None) as session:
                return await session.execute(text, values)
        async with self.transaction() as transaction:
            return await transaction.execute(text, values)

    async def execute_script(self, text: str) -> None:
        async with self._own(None) as session:
            await session.execute_script(text)

    @contextlib.asynccontextmanager
    async def _own(self, patience: int | None) -> AsyncIterator[MysqlSession]:
        """Open a connection for statements outside transactions."""
        connection = await self._server.open_connection(writes=True, patience=patience)
        session = MysqlSession(self, connection, self._watchdog, None)
        try:
            yield session
        finally:
            await self._close(connection, session.interrupted)

    def apart(self) -> contextlib.AbstractAsyncContextManager[MysqlSession]:
        return self._own(None)

    def request_share(self) -> contextlib.AbstractContextManager[None]:
        return request_share(self._maximum)

    @property
    def contents(self) -> Reads:
        return self._contents

    def servers(self) -> Sequence[ServerUse]:
        return ()

    async def is_read_only(self) -> bool:
        try:
            async with self.transaction():
                return bool(await self.fetch_value("SELECT @@global.read_only"))
        except DatabaseReadOnly:
            return True

    async def position(self) -> int:
        return 0

    def pools(self) -> Mapping[str, PoolUse]:
        return {"connections": self._pool.use()}

    def versions(self) -> Versions:
        return NoVersions()

    async def plan_of(self, text: str) -> str:
        plan: str = await self._read(plan_text, *explain(text))
        return plan

    async def plan_with(self, table: str, more: str, text: str) -> str:
        async with self._own(None) as session:
            return await plan_with(session, table, more, text)

    async def lock_holders(self, tables: Sequence[str]) -> Sequence[str]:
        return await find_lock_holders(self.fetch_all, tables)

    def transaction(
        self, *, exclusive: bool = False, grouped: bool = False
    ) -> contextlib.AbstractAsyncContextManager[MysqlTransaction]:
        scope = joined(self)
        if scope is not None:
            return scope.inner(exclusive=exclusive)
        return self._exclusive() if exclusive else self._opened(BEGIN_WRITING)

    def snapshot(self) -> contextlib.AbstractAsyncContextManager[MysqlTransaction]:
        return self._opened(BEGIN_SNAPSHOT)

    @contextlib.asynccontextmanager
    async def _opened(self, statement: bytes) -> AsyncIterator[MysqlTransaction]:
        """Run a block in a transaction of a connection of the pool: committed on normal exit, else rolled back."""
        connection, transaction = await self._begin(statement)
        try:
            yield transaction
            await transaction.commit()
        except BaseException:
            await self._clean_up(connection, transaction.interrupted)
            raise
        self._pool.release(connection)

    async def _begin(self, statement: bytes) -> tuple[MysqlConnection, MysqlTransaction]:
        try:
            return await self._begin_once(statement, None)
        except ConnectionLost:
            self._drop_idle()
            return await self._begin_once(statement, _REPLACEMENT_SECONDS)

    async def _begin_once(self, statement: bytes, patience: float | None) -> tuple[MysqlConnection, MysqlTransaction]:
        connection = await self._pool.acquire(patience)
        transaction = MysqlTransaction(self, connection, self._watchdog, self._seconds)
        try:
            await transaction.begin(statement)
        except BaseException:
            await self._clean_up(connection, transaction.interrupted)
            raise
        return connection, transaction

    @contextlib.asynccontextmanager
    async def _exclusive(self) -> AsyncIterator[MysqlTransaction]:
        """Run a block in an exclusive transaction, on a connection that ends with it, and its locks with that."""
        connection = await self._server.open_connection(writes=True, patience=max(ceil(self.lock_timeout), 1))
        transaction = MysqlTransaction(self, connection, self._watchdog, None, exclusive=True)
        try:
            await transaction.make_exclusive(self._exclusive_patience)
            await transaction.make_locks()
            await transaction.begin(BEGIN_EXCLUSIVE)
            yield transaction
            await transaction.commit()
        finally:
            await self._close(connection, transaction.interrupted)

    async def make_locks(self) -> None:
        """Create the table of the locks of transactions with its rows, as every exclusive transaction does; once for
        all callers who need it now."""
        if self._making_locks is None:
            self._making_locks = self._later(self._make_locks())
        await asyncio.shield(self._making_locks)

    async def _make_locks(self) -> None:
        try:
            async with self._exclusive():
                pass
        finally:
            self._making_locks = None

    def _answer_of(self, result: Any) -> Row | None:
        """Return the first row, if its JSON is not too large."""
        row = first_of(result)
        if row is not None and isinstance(row[0], bytes | str):
            bytes_of(row[0], self.largest_answer)
        return row

    def _read(self, collect: Callable[[Any], Any], text: str, values: Values) -> Awaitable[Any]:
        scope = joined(self)
        if scope is not None:
            return _read_joined(scope, collect, text, values)
        return self._read_shared(collect, text, values) if is_shared() else self._read_freely(collect, text, values)

    async def _read_shared(self, collect: Callable[[Any], Any], text: str, values: Values) -> Any:
        async with place():
            return await self._read_freely(collect, text, values)

    async def _read_freely(self, collect: Callable[[Any], Any], text: str, values: Values) -> Any:
        """Read outside a transaction; again on a new connection if the first one was lost."""
        watch = self.watch
        began = 0.0 if watch is None else time.perf_counter()
        self.statements += 1
        check_values(values)
        try:
            statement = _filled(text, values)
            connection = self._pool.take_idle() or await self._pool.acquire()
            try:
                return collect(await self._read_once(connection, statement))
            except ConnectionLost:
                self._drop_idle()
            connection = await self._pool.acquire(_REPLACEMENT_SECONDS)
            return collect(await self._read_once(connection, statement))
        finally:
            if watch is not None:
                seconds = time.perf_counter() - began
                watch.note(seconds)
                if seconds >= watch.seen_from:
                    watch.see(text, seconds)

    async def _read_once(self, connection: MysqlConnection, statement: bytes) -> Any:
        self._watchdog.begin(connection)
        try:
            result = await run_checked(connection, statement, self._seconds)
        except BaseException as error:
            self._clean_up_later(connection, is_interruption(error))
            raise_translated(error, is_closed=connection.is_closed)
        finally:
            self._watchdog.end(connection)
        self._pool.release(connection)
        return result

    async def _open(self) -> MysqlConnection:
        return await self._server.open_connection()

    def _drop_idle(self) -> None:
        """Close all idle connections: one was lost, so the others probably are, too."""
        for connection in self._pool.take_all_idle():
            connection.terminate()

    async def _clean_up(self, connection: MysqlConnection, interrupted: bool) -> None:
        """Return a connection that may be inside a transaction, without being interrupted by a cancellation."""
        await asyncio.shield(self._clean_up_later(connection, interrupted))

    def _clean_up_later(self, connection: MysqlConnection, interrupted: bool) -> "asyncio.Task[None]":
        return self._later(self._roll_back_or_close(connection, interrupted))

    async def _close(self, connection: MysqlConnection, interrupted: bool) -> None:
        """Close a connection outside the pool."""
        await asyncio.shield(self._later(self._close_or_kill(connection, interrupted)))

    def _later(self, work: Any) -> "asyncio.Task[None]":
        task = asyncio.get_running_loop().create_task(work)
        self._cleaning.add(task)
        task.add_done_callback(self._cleaning.discard)
        return task

    async def _roll_back_or_close(self, connection: MysqlConnection, interrupted: bool) -> None:
        """Reset a connection for the next caller, or close it, if a statement was interrupted."""
        if not interrupted and not connection.is_closed:
            with contextlib.suppress(Exception):
                await connection.run(b"ROLLBACK", _CLEAN_SECONDS)
                self._pool.release(connection)
                return
        try:
            await self._close_or_kill(connection, interrupted)
        finally:
            self._pool.discard()

    async def _close_or_kill(self, connection: MysqlConnection, interrupted: bool) -> None:
        """Close a connection. The server would continue an interrupted statement, and hold its locks."""
        if interrupted:
            connection.terminate()
            await self._server.kill(connection.thread)
        else:
            await connection.close()


def _filled(text: str, values: Values) -> bytes:
    try:
        return fill(text, values)
    except UnicodeEncodeError as error:
        raise_translated(error, is_closed=False)


def _is_closed(connection: MysqlConnection) -> bool:
    return connection.is_closed


async def _read_joined(scope: Scope, collect: Callable[[Any], Any], text: str, values: Values) -> Any:
    async with scope.turn() as transaction:
        return await transaction.read(collect, text, values)
