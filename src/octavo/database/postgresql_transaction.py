"""A transaction on a PostgreSQL connection: statements, locks, begin and end."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeVar

import asyncpg

from octavo.core.errors import ServiceUnavailable
from octavo.core.threads import in_computing_thread
from octavo.database.connection import (
    DatabaseMisconfigured,
    Links,
    LockTimeout,
    Observed,
    Row,
    StatementCount,
    StatementRefused,
    TransactionConflict,
    TransactionFailed,
    Values,
    check_values,
    first_bytes,
)
from octavo.database.operator_freeze import OPERATORS_DEFAULT
from octavo.database.postgresql_errors import ConnectionLost, is_interruption, raise_translated
from octavo.database.watchdog import Watchdog

WorkT = TypeVar("WorkT")
Start = Callable[["PostgresqlTransaction"], Awaitable[None]]
BEGIN_READING: Final = "BEGIN READ ONLY"
BEGIN_READING_NEWEST: Final = "BEGIN READ WRITE; SET TRANSACTION READ ONLY"
"""Fails on a standby, like any write."""
BEGIN_WRITING: Final = "BEGIN READ WRITE"
BEGIN_SNAPSHOT: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE_FREELY: Final = "SET default_transaction_read_only = off"
_READ_ONLY: Final = "SET default_transaction_read_only = on"
_TESTED_SECONDS: Final = 30.0
"""How long a connection is assumed to work after its last write. Networks forget idle connections after minutes."""
_LOCK_ALL: Final = """
SELECT CASE WHEN shared THEN pg_advisory_xact_lock_shared(hashtextextended(name, 0))
ELSE pg_advisory_xact_lock(hashtextextended(name, 0)) END
FROM unnest($1::text[], $2::boolean[]) AS one (name, shared)"""
_END_YOURSELF: Final = "SELECT pg_terminate_backend(pg_backend_pid())"
_END_SECONDS: Final = 2.0
_NO_WRITES: Final = "the server is read-only"
_HOLDS_LOCKS: Final = """
SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted)"""
_NO_LOCKS: Final = (
    "this server is not PostgreSQL: pg_advisory_xact_lock has no effect, so unique values cannot be guaranteed"
)
_EXCLUSIVE_LOCK: Final = "octavo: exclusive"


async def taking_no_writes(connection: asyncpg.Connection, *, pooled: bool) -> ConnectionLost:
    """Return the error for a server that is a standby. If a pooler is still connected to it, the server process is
    terminated, so that the pooler reconnects."""
    if pooled:
        with suppress(Exception):
            await connection.execute(_END_YOURSELF, timeout=_END_SECONDS)
    return ConnectionLost(reason=_NO_WRITES)


async def stop_writes(connection: asyncpg.Connection, seconds: float) -> None:
    """Make statements outside transactions read-only again. See `PostgresqlTransaction.let_write`."""
    await connection.execute(_READ_ONLY, timeout=seconds)
    connection.writes = False


class PostgresqlTransaction:
    """Implements `Transaction` on PostgreSQL.

    `start` is called before the first statement, to choose the connection and begin. `can_commit_alone`: the first
    statement can also be the only one and commit by itself, on a connection that writes outside transactions.
    """

    def __init__(
        self,
        database: StatementCount,
        connection: asyncpg.Connection,
        watchdog: Watchdog,
        seconds: float,
        start: Start | None = None,
        *,
        can_commit_alone: bool = False,
    ) -> None:
        self._database = database
        self._watchdog = watchdog
        self.connection = connection
        self._seconds = seconds
        self._start = start
        self._can_commit_alone = can_commit_alone
        self._usable = True
        self._writes = False
        self._commits_now = False
        self.interrupted = False
        self.commits_alone = False
        """Whether the only statement commits by itself."""
        self.commit_sent = False
        """Whether a statement that commits by itself was sent, even if it failed."""
        self.is_over = False
        """Whether nothing has to be committed or rolled back any more."""

    def use(self, connection: asyncpg.Connection) -> None:
        """Use this connection, or none."""
        self.connection, self._usable, self.interrupted = connection, connection is not None, False

    def end(self) -> None:
        """Refuse further statements."""
        self._usable, self.is_over = False, True

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        rows: Sequence[Row] = await self._run(asyncpg.Connection.fetch, text, values)
        return rows

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        row: Row | None = await self._run(asyncpg.Connection.fetchrow, text, values)
        return row

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        row = await self._run(asyncpg.Connection.fetchrow, text, values)
        return None if row is None else row[0]

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return first_bytes(await self._run(asyncpg.Connection.fetchrow, text, values))

    async def execute(self, text: str, values: Values = ()) -> int:
        return _count(await self._run(asyncpg.Connection.execute, text, values))

    async def execute_script(self, text: str) -> None:
        await self._run(asyncpg.Connection.execute, text, ())

    async def lock(self, name: str) -> None:
        await self._send(asyncpg.Connection.execute, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", (name,))

    async def lock_all(self, names: Sequence[str], *, shared: Sequence[str] = ()) -> None:
        if names:
            kinds = [True] * len(shared) + [False] * len(names)
            await self._send(asyncpg.Connection.execute, _LOCK_ALL, ([*shared, *names], kinds))

    async def lock_linked(self, prefix: str, links: Links, values: Values) -> None:
        text = f"""SELECT CASE
          WHEN id IS NULL THEN pg_advisory_xact_lock_shared(hashtextextended('{prefix}' || type, 0))
          ELSE pg_advisory_xact_lock(hashtextextended('{prefix}' || type || ' ' || id, 0)) END FROM (
          SELECT type, id FROM (
            SELECT $1::text COLLATE "C" AS type, {links.target}::bigint AS id FROM {links.table}
            WHERE {links.source} = $2
            UNION SELECT type COLLATE "C", id FROM unnest($3::text[], $4::bigint[]) AS also (type, id)
            UNION SELECT type COLLATE "C", NULL FROM unnest($3::text[]) AS also (type)) AS every
          ORDER BY id IS NOT NULL, type, id) AS found"""
        await self._send(asyncpg.Connection.execute, text, values)

    @asynccontextmanager
    async def part(self) -> AsyncIterator[None]:
        await self._send(asyncpg.Connection.execute, "SAVEPOINT part")
        try:
            yield
            await self._send(asyncpg.Connection.execute, "RELEASE SAVEPOINT part")
        except BaseException:
            await self._undo_part()
            raise

    async def _undo_part(self) -> None:
        """Roll back to the savepoint, unless a statement was interrupted: the connection is not reliable then."""
        if self.interrupted or self.connection.is_closed():
            self._usable = False
            return
        self._usable = True
        await self._send(asyncpg.Connection.execute, "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part")

    async def read(self, fetch: Callable[..., Awaitable[Any]], text: str, values: Values) -> Any:
        """Run a read that would otherwise use a separate connection."""
        return await self._run(fetch, text, values)

    def commit_with_next(self) -> bool:
        self.commits_alone = self._start is not None and self._can_commit_alone
        return self.commits_alone

    async def compute(self, work: Callable[[], WorkT]) -> WorkT:
        return await in_computing_thread(work)

    async def begin(self, statement: str = BEGIN_WRITING, settings: str = "") -> None:
        """Begin a transaction that can write (by default, connections are read-only), or one that reads a snapshot.

        `settings` are statements that follow. Raises ConnectionLost on a standby: it accepts no writes and, if it was
        the primary before, another server does now.
        """
        try:
            await self._send(asyncpg.Connection.execute, statement + settings)
        except StatementRefused as error:
            raise await taking_no_writes(self.connection, pooled=bool(settings)) from error.__cause__
        self._writes = statement == BEGIN_WRITING

    async def let_write(self) -> None:
        """Let the next statement write and commit, outside a transaction. A connection that was not used for a while is
        tested by the same round trip, because the statement cannot be repeated if the connection is lost.
        """
        connection = self.connection
        self._writes = True
        if not connection.writes or time.monotonic() - connection.tested > _TESTED_SECONDS:
            connection.writes = True  # if it fails, a read resets the setting
            await self._send(asyncpg.Connection.execute, _WRITE_FREELY)

    async def operators_default(self) -> tuple[bool | None, bool]:
        """Return the values of OPERATORS_DEFAULT."""
        configured, known = await self._send(asyncpg.Connection.fetchrow, OPERATORS_DEFAULT)
        return configured, known

    async def make_exclusive(self, patience: float, lock_timeout: float) -> None:
        """Wait for other exclusive transactions, at most `patience`; from then on for any lock at most `lock_timeout`.

        Both are in seconds. Raises ServiceUnavailable.
        """
        await self._send(asyncpg.Connection.execute, "SET LOCAL statement_timeout = 0")
        await self._limit_waiting(patience)
        try:
            await self.lock(_EXCLUSIVE_LOCK)
        except LockTimeout as error:
            raise ServiceUnavailable(reason=f"another process is changing tables (waited {patience:g} s)") from error
        if not (await self._send(asyncpg.Connection.fetchrow, _HOLDS_LOCKS))[0]:
            raise DatabaseMisconfigured(reason=_NO_LOCKS)
        await self._limit_waiting(lock_timeout)

    async def _limit_waiting(self, seconds: float) -> None:
        await self._send(asyncpg.Connection.execute, f"SET LOCAL lock_timeout = {max(int(seconds * 1000), 1)}")

    async def commit(self) -> None:
        """Commit. Raises an error if a statement has failed; no further statements are allowed."""
        if self._start is not None and self._usable:  # no statement was sent
            self.end()
            return
        status = await self._send(asyncpg.Connection.execute, "COMMIT")
        self.end()
        if status != "COMMIT":
            raise TransactionFailed("the server rolled back the transaction")

    async def _run(self, method: Callable[..., Awaitable[Any]], text: str, values: Values) -> Any:
        self._database.statements += 1
        if self._database.watch is None:
            return await self._send(method, text, values)
        with Observed(self._database.watch, text):
            return await self._send(method, text, values)

    async def _send(self, method: Callable[..., Awaitable[Any]], text: str, values: Values = ()) -> Any:
        if not self._usable:
            raise TransactionFailed("the transaction has failed or ended")
        self._usable = False
        check_values(values)
        if self._start is not None:
            start, self._start = self._start, None
            await start(self)
            self._usable, self._commits_now = False, self.commits_alone
            self.commit_sent = self.commits_alone
        self._watchdog.begin(self.connection)
        try:
            if self.connection.texts.overflow(text):
                await self.connection.forget_statements()
            result = await method(self.connection, text, *values, timeout=self._seconds)
        except BaseException as error:
            self.interrupted = is_interruption(error)
            if self._writes and isinstance(error, asyncpg.ReadOnlySQLTransactionError):
                self.connection.terminate()
                if self._commits_now:  # nothing was written
                    raise TransactionConflict(_NO_WRITES) from error
                raise ConnectionLost(reason=_NO_WRITES) from error
            raise_translated(error, self.connection)
        finally:
            self._watchdog.end(self.connection)
        if self._commits_now:
            self.is_over, self.connection.tested = True, time.monotonic()
        else:
            self._usable = True
        return result


def _count(status: str) -> int:
    """Return the number in a command tag: `UPDATE 3`, `INSERT 0 1`; `CREATE TABLE` has none."""
    last = status.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0
