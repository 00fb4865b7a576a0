"""PostgreSQL: a pool of held connections, each with its prepared statements.

Connections are lent without the reset that asyncpg's own pool sends each time (2.5 times the cost of a point read):
nothing here leaves anything behind on a connection except an open transaction, and that is rolled back.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, NoReturn

import asyncpg

from octavo.database.connection import (
    LARGEST_ANSWER,
    AnswerTooLarge,
    IdTaken,
    IntegrityViolation,
    Row,
    StatementTimeout,
    TransactionConflict,
    TransactionFailed,
    UniqueViolation,
    UnsuitableValue,
    Values,
)
from octavo.database.pool import Pool
from octavo.database.values import check_values
from octavo.database.watchdog import Watchdog
from octavo.errors import ServiceUnavailable
from octavo.sql.postgresql import TOO_LARGE

_CACHED_STATEMENTS = 1000
_CONNECT_SECONDS = 2.0
_PROBE_SECONDS = 1.4
_SERVER_PATIENCE_SECONDS = 1.0
"""How much longer than the server's own time limit we wait for it to say so."""
_REPLACEMENT_SECONDS = 1.4
_CLEAN_SECONDS = 2.0
_CLOSE_PATIENCE_SECONDS = 20.0
_EXCLUSIVE_SECONDS = 24 * 3600.0
_PRIMARY_KEY = "_pkey"
"""How PostgreSQL ends the names of primary keys, all of them ids; our own indexes do not end so."""
_EXCLUSIVE_LOCK = "octavo: exclusive"

_TEXT_TYPES = ("numeric", "date", "time", "timestamp", "timestamptz")
"""Types that travel as text, as the protocol promises. (jsonb is text by itself, json see `_prepare`.)"""


class _ConnectionLost(ServiceUnavailable):
    """The connection broke: what was running on it may have been done or not."""


_LOST = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleInTransactionSessionTimeoutError,
)


def _tells_of_size(error: Exception) -> bool:
    """Whether a statement ended itself, or the server did at the size that no text of it can pass."""
    return TOO_LARGE in str(error) or "string buffer" in str(error)


def _unique_violation(index: str) -> UniqueViolation:
    return (IdTaken if index.endswith(_PRIMARY_KEY) else UniqueViolation)(index)


_TRANSLATIONS: tuple[tuple[tuple[type[Exception], ...], Callable[[Any], Exception]], ...] = (
    ((asyncpg.UniqueViolationError,), lambda error: _unique_violation(error.constraint_name or str(error))),
    (
        (asyncpg.IntegrityConstraintViolationError,),
        lambda error: IntegrityViolation(error.constraint_name or error.column_name or str(error)),
    ),
    (
        (
            asyncpg.TransactionRollbackError,
            asyncpg.InvalidCachedStatementError,
            asyncpg.exceptions.OutdatedSchemaCacheError,
        ),
        lambda error: TransactionConflict(str(error)),
    ),
    ((asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError, TimeoutError), lambda error: StatementTimeout()),
    (
        (asyncpg.DataError, asyncpg.ProgramLimitExceededError, UnicodeEncodeError),
        lambda error: (AnswerTooLarge if _tells_of_size(error) else UnsuitableValue)(str(error)),
    ),
    (_LOST, lambda error: _ConnectionLost()),
    ((asyncpg.InsufficientResourcesError,), lambda error: ServiceUnavailable()),
)
"""The first row that fits tells the error of the protocol. Timeouts are OSErrors too, so they come first."""


def _is_interruption(error: BaseException) -> bool:
    """Whether a statement may still be running on the server, as after a cancellation or our own time limit."""
    return isinstance(error, TimeoutError) or not isinstance(error, Exception)


def _raise_translated(error: BaseException, connection: asyncpg.Connection) -> NoReturn:
    """Raise the error of the protocol for an error of asyncpg; what is no such error goes on as it is."""
    for kinds, make in _TRANSLATIONS:
        if isinstance(error, kinds):
            raise make(error) from error
    if isinstance(error, Exception) and connection.is_closed():
        raise _ConnectionLost from error
    raise error


def _first_bytes(row: asyncpg.Record | None) -> bytes | None:
    value = None if row is None else row[0]
    return value.encode() if isinstance(value, str) else value


def _count(status: str) -> int:
    """The number in a command tag: `UPDATE 3`, `INSERT 0 1`; `CREATE TABLE` has none."""
    last = status.rpartition(" ")[2]
    return int(last) if last.isdigit() else 0


class PostgresqlTransaction:
    """The protocol's `Transaction` on PostgreSQL."""

    def __init__(
        self, database: "PostgresqlDatabase", connection: asyncpg.Connection, watchdog: Watchdog, seconds: float
    ) -> None:
        self._database = database
        self._watchdog = watchdog
        self._connection = connection
        self._seconds = seconds
        self._usable = True
        self.interrupted = False

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        rows: Sequence[Row] = await self._run(self._connection.fetch, text, values)
        return rows

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        row: Row | None = await self._run(self._connection.fetchrow, text, values)
        return row

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        row = await self._run(self._connection.fetchrow, text, values)
        return None if row is None else row[0]

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return _first_bytes(await self._run(self._connection.fetchrow, text, values))

    async def execute(self, text: str, values: Values = ()) -> int:
        return _count(await self._run(self._connection.execute, text, values))

    async def execute_script(self, text: str) -> None:
        await self._run(self._connection.execute, text, ())

    async def lock(self, name: str) -> None:
        await self._send(self._connection.execute, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", (name,))

    async def begin(self, *, exclusive: bool) -> None:
        """Begin, in the one way that may write (connections only read by default)."""
        await self._send(self._connection.execute, "BEGIN READ WRITE")
        if exclusive:
            await self._send(self._connection.execute, "SET LOCAL statement_timeout = 0")
            await self.lock(_EXCLUSIVE_LOCK)

    async def commit(self) -> None:
        """Commit; from now on no statement may come this way. Refuses if one has failed."""
        status = await self._send(self._connection.execute, "COMMIT")
        self._usable = False
        if status != "COMMIT":
            raise TransactionFailed("the server rolled the transaction back")

    async def _run(self, method: Callable[..., Awaitable[Any]], text: str, values: Values) -> Any:
        self._database.statements += 1
        return await self._send(method, text, values)

    async def _send(self, method: Callable[..., Awaitable[Any]], text: str, values: Values = ()) -> Any:
        if not self._usable:
            raise TransactionFailed("the transaction has failed or is over")
        self._usable = False
        check_values(values)
        self._watchdog.begin(self._connection)
        try:
            result = await method(text, *values, timeout=self._seconds)
        except BaseException as error:
            self.interrupted = _is_interruption(error)
            _raise_translated(error, self._connection)
        finally:
            self._watchdog.end(self._connection)
        self._usable = True
        return result


class PostgresqlDatabase:
    """The protocol's `Database` on a PostgreSQL server.

    `url` and `parameters` are what asyncpg's `connect` takes: a URL, or `host`, `port`, `user`, `password`,
    `database`, `ssl`; a parameter wins over the URL. `patience` is how long a caller waits for a free connection,
    `statement_timeout` how long a statement may run, both in seconds.
    """

    dialect = "postgresql"

    def __init__(
        self,
        url: str | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        schema: str | None = None,
        minimum: int = 2,
        maximum: int = 10,
        patience: float = 4.0,
        statement_timeout: float = 15.0,
        largest_answer: int = LARGEST_ANSWER,
    ) -> None:
        self.statements = 0
        self.largest_answer = largest_answer
        self.large_reads = max(maximum // 2, 1)
        self._url = url
        self._parameters = dict(parameters or {})
        self._minimum = min(minimum, maximum)
        self._statement_seconds = statement_timeout + _SERVER_PATIENCE_SECONDS
        self._settings = _settings_script(schema, statement_timeout)
        self._pool = Pool(self._open, _close, asyncpg.Connection.is_closed, maximum, patience)
        self._cleaning: set[asyncio.Task[None]] = set()
        self._watchdog = Watchdog(self._is_server_there)

    async def connect(self) -> None:
        await self._pool.open_early(self._minimum)
        self._watchdog.start()

    async def close(self) -> None:
        await self._pool.close(_CLOSE_PATIENCE_SECONDS)
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
        return _first_bytes(await self._read(asyncpg.Connection.fetchrow, text, values))

    async def execute(self, text: str, values: Values = ()) -> int:
        async with self.transaction() as transaction:
            return await transaction.execute(text, values)

    async def execute_script(self, text: str) -> None:
        async with self.transaction() as transaction:
            await transaction.execute_script(text)

    @contextlib.asynccontextmanager
    async def transaction(
        self, *, exclusive: bool = False, grouped: bool = False
    ) -> AsyncIterator[PostgresqlTransaction]:
        connection, transaction = await self._begin(exclusive)
        try:
            yield transaction
            await transaction.commit()
        except BaseException:
            await self._clean_up(connection, transaction.interrupted)
            raise
        self._pool.release(connection)

    async def _begin(self, exclusive: bool) -> tuple[asyncpg.Connection, PostgresqlTransaction]:
        try:
            return await self._begin_once(exclusive, None)
        except _ConnectionLost:
            self._drop_idle()
            return await self._begin_once(exclusive, _REPLACEMENT_SECONDS)

    async def _begin_once(
        self, exclusive: bool, patience: float | None
    ) -> tuple[asyncpg.Connection, PostgresqlTransaction]:
        connection = await self._pool.acquire(patience)
        seconds = _EXCLUSIVE_SECONDS if exclusive else self._statement_seconds
        transaction = PostgresqlTransaction(self, connection, self._watchdog, seconds)
        try:
            await transaction.begin(exclusive=exclusive)
        except BaseException:
            await self._clean_up(connection, transaction.interrupted)
            raise
        return connection, transaction

    async def _read(self, fetch: Callable[..., Awaitable[Any]], text: str, values: Values) -> Any:
        """Read; once more on a new connection if the old one turns out to be lost."""
        self.statements += 1
        check_values(values)
        connection = self._pool.take_idle() or await self._pool.acquire()
        try:
            return await self._read_once(connection, fetch, text, values)
        except _ConnectionLost:
            self._drop_idle()
        connection = await self._pool.acquire(_REPLACEMENT_SECONDS)
        return await self._read_once(connection, fetch, text, values)

    async def _read_once(
        self, connection: asyncpg.Connection, fetch: Callable[..., Awaitable[Any]], text: str, values: Values
    ) -> Any:
        self._watchdog.begin(connection)
        try:
            answer = await fetch(connection, text, *values, timeout=self._statement_seconds)
        except BaseException as error:
            self._clean_up_later(connection, _is_interruption(error))
            _raise_translated(error, connection)
        finally:
            self._watchdog.end(connection)
        self._pool.release(connection)
        return answer

    def _drop_idle(self) -> None:
        """One connection was lost, so the others most probably are: the server went away, or the network did."""
        for connection in self._pool.take_all_idle():
            connection.terminate()

    async def _clean_up(self, connection: asyncpg.Connection, interrupted: bool) -> None:
        """Give a connection back that may be inside a transaction; to the end, even if the caller is cancelled."""
        await asyncio.shield(self._clean_up_later(connection, interrupted))

    def _clean_up_later(self, connection: asyncpg.Connection, interrupted: bool) -> "asyncio.Task[None]":
        task = asyncio.get_running_loop().create_task(self._roll_back_or_close(connection, interrupted))
        self._cleaning.add(task)
        task.add_done_callback(self._cleaning.discard)
        return task

    async def _roll_back_or_close(self, connection: asyncpg.Connection, interrupted: bool) -> None:
        """Make a connection fit for the next caller.

        One interrupted in a statement is closed: the server's answer to the cancellation may come late, and would hit
        the next statement. Any other needs its ROLLBACK even outside a transaction: where asyncpg refuses a value
        after preparing the statement, the server is left in an implicit one.
        """
        with contextlib.suppress(Exception):
            if not interrupted:
                await connection.execute("ROLLBACK", timeout=_CLEAN_SECONDS)
                self._pool.release(connection)
                return
        await _close(connection)
        self._pool.discard()

    async def _is_server_there(self) -> bool:
        """Whether a server talks to a newcomer, be it only to refuse."""
        try:
            connection = await asyncpg.connect(self._url, timeout=_PROBE_SECONDS, **self._parameters)
        except asyncpg.PostgresError:
            return True
        except Exception:  # in whatever way it failed, nobody answered
            return False
        await _close(connection)
        return True

    async def _open(self) -> asyncpg.Connection:
        try:
            connection = await asyncpg.connect(
                self._url,
                timeout=_CONNECT_SECONDS,
                statement_cache_size=_CACHED_STATEMENTS,
                max_cached_statement_lifetime=0,
                max_cacheable_statement_size=0,
                server_settings={"application_name": "octavo"},
                **self._parameters,
            )
            await _prepare(connection, self._settings)
        except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise ServiceUnavailable from error
        return connection


def _settings_script(schema: str | None, statement_timeout: float) -> str:
    """What every connection is set to. Statements come once and run often, so plans are made once, for any value."""
    settings = {
        "plan_cache_mode": "force_generic_plan",
        "jit": "off",
        "timezone": "'UTC'",
        "datestyle": "'ISO, YMD'",
        "statement_timeout": str(int(statement_timeout * 1000)),
        "default_transaction_read_only": "on",
    }
    if schema is not None:
        settings["search_path"] = '"{}", public'.format(schema.replace('"', '""'))
    return ";".join(f"SET {name} = {value}" for name, value in settings.items())


async def _prepare(connection: asyncpg.Connection, settings: str) -> None:
    try:
        await connection.execute(settings, timeout=_CONNECT_SECONDS)
    except BaseException:
        connection.terminate()
        raise
    for name in _TEXT_TYPES:
        await connection.set_type_codec(name, schema="pg_catalog", encoder=str, decoder=str, format="text")
    # Answers are built as json: taken as bytes they are neither decoded nor encoded again.
    await connection.set_type_codec("json", schema="pg_catalog", encoder=str.encode, decoder=bytes, format="binary")


async def _close(connection: asyncpg.Connection) -> None:
    """Close in good manners, or, if that takes too long, without."""
    with contextlib.suppress(Exception):
        await connection.close(timeout=_CLEAN_SECONDS)
