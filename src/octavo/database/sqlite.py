"""The SQLite driver: one writer and many readers on one file, also from several processes.

Short reads run in the event loop, which is several times faster than in a thread. A read that takes too long is
interrupted there and repeated in a thread. Reads marked as long start in a thread, and move to the loop once they have
proven to be fast. Statements of a transaction also run in the loop; only COMMIT, which waits for the disk, and
statements marked as long run in a thread.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import apsw

from octavo.core.errors import ServiceUnavailable
from octavo.database.ambient import joined
from octavo.database.connection import (
    LARGEST_ANSWER,
    DatabaseMisconfigured,
    PageAndCount,
    Reads,
    Row,
    StatementTimeout,
    TransactionFailed,
    Values,
    Watch,
    check_values,
)
from octavo.database.connection_share import place, request_share
from octavo.database.group_commit import CommitThread, GroupCommit
from octavo.database.index_trials import no_values
from octavo.database.pool import Pool, PoolUse
from octavo.database.read_placement import LOOP_SECONDS, FairLock, Place, ReadDuration, ReadPlacement
from octavo.database.request_coalescing import RequestCoalescer
from octavo.database.sqlite_connection import (
    Collect,
    ResultT,
    SqliteConnection,
    all_rows,
    first_json,
    first_row,
    first_value,
)
from octavo.database.sqlite_transaction import SqliteTransaction, StatementRunner
from octavo.database.topology import ServerUse
from octavo.database.versions import Versions
from octavo.database.writer_time_limit import WriterTimeLimit, WriterUse
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.dialects.sqlite import MEASURE, SQLITE


class FileVersionSnapshot:
    """The version of the database file."""

    __slots__ = ("stamp",)

    def __init__(self, version: Hashable) -> None:
        self.stamp = version

    def of(self, tables: Sequence[str]) -> Hashable:
        """Return the file's version, which covers all tables."""
        del tables
        return self.stamp


class FileVersions:
    """Implements `Versions` for a file. `read` returns the current version, or None if it is not available at once."""

    def __init__(self, read: Callable[[], Hashable]) -> None:
        self._read = read
        self.latest: FileVersionSnapshot | None = None

    def at_once(self) -> FileVersionSnapshot | None:
        version, latest = self._read(), self.latest
        if version is None or (latest is not None and latest.stamp == version):
            return None if version is None else latest
        self.latest = FileVersionSnapshot(version)
        return self.latest

    async def now(self) -> FileVersionSnapshot | None:
        return self.at_once()


class SqliteSnapshot:
    """Implements `Connection` in a read transaction of SQLite. Each statement takes at most `seconds`."""

    def __init__(self, database: StatementRunner, connection: SqliteConnection, seconds: float) -> None:
        self._database = database
        self._connection = connection
        self._seconds = seconds

    async def begin(self) -> None:
        """Begin the transaction. The first read takes the snapshot."""
        await self.fetch_all("BEGIN")
        await self.fetch_value("SELECT count(*) FROM sqlite_schema")

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        return await self._run(all_rows, text, values)

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        return await self._run(first_row, text, values)

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        return await self._run(first_value, text, values)

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return await self._run(first_json, text, values)

    async def execute(self, text: str, values: Values = ()) -> int:
        raise TransactionFailed("a snapshot only reads")

    async def execute_script(self, text: str) -> None:
        raise TransactionFailed("a snapshot only reads")

    async def _run(self, collect: Collect[ResultT], text: str, values: Values) -> ResultT:
        self._database.statements += 1
        check_values(values)
        return await self._database.run_in_thread(
            self._connection, self._connection.run, collect, text, values, self._seconds
        )


EXPLAIN: Final = "EXPLAIN QUERY PLAN "
SCHEMA: Final = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'index', rowid"
STATISTICS: Final = "SELECT tbl, idx, stat FROM sqlite_stat1"
_STATISTICS_TABLE: Final = "sqlite_stat1"


def plan_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return the steps of a plan, indented by nesting."""
    depths: dict[int, int] = {0: -1}
    lines = []
    for number, parent, _, step in rows:
        depths[number] = depth = depths.get(parent, -1) + 1
        lines.append(f"{'  ' * depth}{step}")
    return "\n".join(lines)


def _unmeasured(*values: int | float | Any | str | None) -> int | float | Any | str | None:
    """Stands in for the driver's function, because a plan requires only its name."""
    return values[0]


def plan_in_copy(schema: Iterable[Sequence[Any]], statistics: Iterable[Sequence[Any]], more: str, text: str) -> str:
    """Return the plan of a statement if `more` were added to the schema: in an in-memory copy without rows.

    The planner uses the statistics of the tables, if they have been collected. Raises apsw.Error.
    """
    copy = apsw.Connection(":memory:")
    try:
        copy.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        copy.create_scalar_function(MEASURE, _unmeasured, 2)
        for kind, name, made in schema:
            if kind in ("table", "index") and not name.startswith("sqlite_"):
                with suppress(apsw.Error):  # a virtual table creates its inner tables itself
                    copy.execute(made).fetchall()
        copy.execute(more).fetchall()
        known = [*statistics]
        if known:
            copy.execute("ANALYZE").fetchall()
            copy.execute(f"DELETE FROM {_STATISTICS_TABLE}").fetchall()
            copy.executemany(f"INSERT INTO {_STATISTICS_TABLE} VALUES (?, ?, ?)", known).fetchall()
            copy.execute("ANALYZE sqlite_schema").fetchall()
        return plan_text(copy.execute(EXPLAIN + text, no_values(text)).fetchall())
    finally:
        copy.close(True)


AnswerT = TypeVar("AnswerT")

_Later = tuple[Collect[Any], str, bool, bool]
"""A read that does not run at once: its statement, whether it waits for its turn in the loop or runs in a thread, and
whether it has just been too slow in the loop."""

_PAGES_KILOBYTES = 4_000
"""Page cache size of the connection that reads in the event loop. A page of thirty entries with relations reads six
hundred pages of the file; if these do not fit, each is read from the operating system again, which takes a third of
the time. The writer has half as much, each reader in a thread a quarter."""
_WRITER_POLL_SECONDS = 0.001
_CLOSE_PATIENCE_SECONDS = 20.0
_MISCONFIGURED = (apsw.CantOpenError, apsw.NotADBError, apsw.CorruptError, apsw.ReadOnlyError, OSError)
"""Causes that waiting does not change."""


class SqliteDatabase:
    """Implements `Database` on one SQLite file.

    `patience` is how long a caller waits for the writer or a thread, `exclusive_patience` how long an exclusive
    transaction does, `longest_pause` how long a transaction may keep others waiting between its statements,
    `statement_timeout` how long a statement may run, all in seconds. No text that a read builds may exceed
    `largest_answer`. An `untouched` file must exist, and is only read and never modified.
    """

    dialect: Dialect = SQLITE

    def __init__(
        self,
        path: Path | str,
        *,
        readers: int = 4,
        patience: float = 5.0,
        exclusive_patience: float = 300.0,
        lock_timeout: float = 1.0,
        longest_pause: float = 1.0,
        statement_timeout: float = 15.0,
        largest_answer: int = LARGEST_ANSWER,
        untouched: bool = False,
        simple: bool = False,
    ) -> None:
        self.statements = 0
        self.simple = simple
        self.watch: Watch | None = None
        self.read_only_message: str | None = None
        self.largest_answer = largest_answer
        self.large_reads = max(readers // 2, 1)
        self.lock_timeout = lock_timeout
        self.path = Path(path)
        self._untouched = untouched
        self._statement_timeout = statement_timeout
        self._thread_readers = readers
        self._patience = patience
        self._exclusive_patience = exclusive_patience
        self._loop_reader: SqliteConnection | None = None
        self._opened = 0
        self._loop_reads = ReadPlacement()
        self._turns = FairLock()
        self._joint = RequestCoalescer(self._read_later, shares=not simple)
        self._threads = ThreadPoolExecutor(readers + 1, thread_name_prefix="octavo-sqlite")
        self._commits = CommitThread("octavo-sqlite-commit")
        self._readers = Pool(self._open_thread_reader, self._close_connection, _is_closed, readers, patience)
        self._writers = Pool(self._open_writer, self._close_connection, _is_closed, 1, patience)
        self._watch = WriterTimeLimit(longest_pause)
        self._groups = GroupCommit(lambda: self._begin(patience), self._commit, self._end, self._watch, patience)

    async def connect(self) -> None:
        if not self._untouched:
            await self._make()
        self._loop_reader = await self._open(writes=False, pages=_PAGES_KILOBYTES)
        self._loop_reader.set_busy_seconds(0)
        self._opened += 1

    async def _make(self) -> None:
        """Create the folder and the file if they are missing."""
        try:
            self.path.parent.mkdir(0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise DatabaseMisconfigured(reason=f"SQLite at {self.path}") from error
        await self._writers.open_early(1)

    async def close(self) -> None:
        await self._readers.close(_CLOSE_PATIENCE_SECONDS)
        await self._writers.close(_CLOSE_PATIENCE_SECONDS)
        self._watch.close()
        if self._loop_reader is not None:
            self._loop_reader.close()
            self._loop_reader = None
        self._threads.shutdown(wait=False)
        self._commits.close()

    def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Coroutine[Any, Any, Sequence[Row]]:
        return self._read(all_rows, text, values, long)

    def fetch_row(
        self, text: str, values: Values = (), *, long: bool = False, apart: PageAndCount | None = None
    ) -> Coroutine[Any, Any, Row | None]:
        return self._read(first_row, text, values, long)

    def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Coroutine[Any, Any, Any]:
        return self._read(first_value, text, values, long)

    def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> Coroutine[Any, Any, bytes | None]:
        return self._read(first_json, text, values, long)

    async def execute(self, text: str, values: Values = ()) -> int:
        async with self.transaction() as transaction:
            return await transaction.execute(text, values)

    async def execute_script(self, text: str) -> None:
        async with self.transaction() as transaction:
            await transaction.execute_script(text)

    def request_share(self) -> contextlib.AbstractContextManager[None]:
        return request_share(self._thread_readers)

    @property
    def contents(self) -> Reads:
        return self

    def servers(self) -> Sequence[ServerUse]:
        return ()

    async def is_read_only(self) -> bool:
        return False

    async def position(self) -> int:
        return 0

    def pools(self) -> Mapping[str, PoolUse]:
        return {"readers": self._readers.use(), "writer": self._writers.use()}

    def versions(self) -> Versions:
        return FileVersions(self._version)

    def _version(self) -> Hashable:
        """Return the file's version as seen by the connection that reads in the loop; a new connection restarts
        counting."""
        reader = self._loop_reader
        version = None if reader is None else reader.version()
        return None if version is None else (self._opened, version)

    async def plan_of(self, text: str) -> str:
        return plan_text(await self.fetch_all(EXPLAIN + text, no_values(text), long=True))

    async def plan_with(self, table: str, more: str, text: str) -> str:
        del table  # the copy contains all tables of the file
        schema = await self.fetch_all(SCHEMA)
        known = any(name == "sqlite_stat1" for _, name, _ in schema)
        statistics = await self.fetch_all(STATISTICS) if known else ()
        return await self._in_thread(plan_in_copy, schema, statistics, more, text)

    async def lock_holders(self, tables: Sequence[str]) -> Sequence[str]:
        """Return nothing: there are no table locks, because there is one writer, and readers do not block."""
        return ()

    @contextlib.asynccontextmanager
    async def transaction(self, *, exclusive: bool = False, grouped: bool = False) -> AsyncIterator[SqliteTransaction]:
        scope = joined(self)
        if scope is not None:
            async with scope.inner(exclusive=exclusive) as connection:
                yield connection
            return
        seconds = float("inf") if exclusive else self._statement_timeout
        async with self._groups.member() if grouped else self._alone(exclusive) as hold:
            transaction = SqliteTransaction(self, hold, seconds)
            try:
                yield transaction
                transaction.check()
            finally:
                transaction.end()

    def apart(self) -> contextlib.AbstractAsyncContextManager[SqliteTransaction]:
        return self.transaction(exclusive=True)

    @contextlib.asynccontextmanager
    async def snapshot(self) -> AsyncIterator[SqliteSnapshot]:
        connection = await self._readers.acquire()
        snapshot = SqliteSnapshot(self, connection, self._statement_timeout)
        try:
            await snapshot.begin()
            yield snapshot
        finally:
            connection.roll_back()
            self._readers.release(connection)

    @contextlib.asynccontextmanager
    async def _alone(self, exclusive: bool) -> AsyncIterator[WriterUse]:
        """Run a transaction with a separate COMMIT."""
        hold = WriterUse(await self._begin(self._exclusive_patience if exclusive else self._patience))
        if not exclusive:
            self._watch.begin(hold, lambda: self._take_away(hold))
        try:
            yield hold
            hold.begin_statement()
            await self._complete(self._in_thread(hold.connection.commit))
        finally:
            if hold.lost is None:
                self._watch.end()
                self._end(hold.connection)

    def _take_away(self, hold: WriterUse) -> None:
        """Roll back a transaction that keeps others waiting."""
        hold.lost = ServiceUnavailable(reason="the transaction paused while others waited to write")
        self._end(hold.connection)

    async def run_in_thread(
        self,
        connection: SqliteConnection,
        run: Callable[[Collect[ResultT], str, Values, float], AnswerT],
        collect: Collect[ResultT],
        text: str,
        values: Values,
        seconds: float,
    ) -> AnswerT:
        """Run a statement of the connection in a thread. Cancelling the caller interrupts the statement."""
        return await self._complete(self._in_thread(run, collect, text, values, seconds), connection.interrupt)

    async def _read(self, collect: Collect[ResultT], text: str, values: Values, long: bool) -> ResultT:
        scope = joined(self)
        if scope is not None:
            async with scope.turn() as transaction:
                return cast(ResultT, await transaction.read(collect, text, values, long))
        check_values(values)
        connection = self._loop_reader
        if connection is None:
            raise ServiceUnavailable(reason="the database is not open")
        watch = self.watch
        began = 0.0 if watch is None else time.perf_counter()
        is_late = False
        try:
            where = self._loop_reads.place(text, long)
            if where is Place.HERE:
                self.statements += 1
                try:
                    return connection.run(collect, text, values, LOOP_SECONDS)
                except StatementTimeout:
                    is_late = True
                    self._loop_reads.note_late(text)
                except ServiceUnavailable:
                    pass  # another process recovers or closes the file: wait for it in a thread
            answer: ResultT = await self._joint.read((collect, text, where is Place.IN_TURN, is_late), values)
            return answer
        finally:
            if watch is not None:
                seconds = time.perf_counter() - began
                watch.note(seconds)
                if seconds >= watch.seen_from:
                    watch.see(text, seconds)

    async def _read_later(self, what: _Later, values: Values) -> Any:
        """Run a read that does not run at once: in turn, or in a thread."""
        collect, text, in_turn, is_late = what
        connection = self._loop_reader
        self.statements += not is_late
        if in_turn and connection is not None:
            await self._turns.turn()
            try:
                return connection.run(collect, text, values, LOOP_SECONDS)
            except StatementTimeout:
                is_late = True
                self._loop_reads.note_late(text)
            except ServiceUnavailable:
                pass
        async with place():
            result, took = await self._read_in_thread(collect, text, values)
        self._loop_reads.note_time(text, took, is_late)
        return result

    async def _read_in_thread(
        self, collect: Collect[ResultT], text: str, values: Values
    ) -> tuple[ResultT, ReadDuration]:
        connection = await self._readers.acquire()
        try:
            timeout = self._statement_timeout
            return await self.run_in_thread(connection, connection.run_timed, collect, text, values, timeout)
        finally:
            self._readers.release(connection)

    async def _begin(self, patience: float) -> SqliteConnection:
        """Return the writer in a transaction. Waiting for other processes blocks neither the loop nor a thread."""
        self._watch.add_waiting()
        try:
            connection = await self._writers.acquire(patience)
        finally:
            self._watch.remove_waiting()
        deadline = time.monotonic() + patience
        try:
            while not connection.try_begin():
                if time.monotonic() > deadline:
                    busy = f"another process held the database for {patience:g} s"
                    raise ServiceUnavailable(reason=busy)
                await asyncio.sleep(_WRITER_POLL_SECONDS)
        except BaseException:
            self._end(connection)
            raise
        return connection

    def _end(self, connection: SqliteConnection) -> None:
        try:
            connection.roll_back()
        except apsw.Error:
            connection.close()  # a connection that cannot even roll back is unusable
        self._writers.release(connection)

    def _commit(self, connection: SqliteConnection) -> "asyncio.Future[None]":
        return self._commits.run(connection.commit)

    def _in_thread(self, work: Callable[..., ResultT], *arguments: Any) -> "asyncio.Future[ResultT]":
        return asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    async def _complete(self, work: "asyncio.Future[ResultT]", interrupt: Callable[[], None] | None = None) -> ResultT:
        """Return the result of work in a thread. A cancelled caller waits for it, too, so that no connection stays
        busy."""
        cancelled: asyncio.CancelledError | None = None
        while not work.done():
            try:
                await asyncio.wait((work,))
            except asyncio.CancelledError as error:
                cancelled = error
                if interrupt is not None:
                    interrupt()
        if cancelled is not None:
            work.exception()
            raise cancelled
        return work.result()

    async def _open_thread_reader(self) -> SqliteConnection:
        """Open one of several readers, each with its own page cache."""
        return await self._open(writes=False, pages=_PAGES_KILOBYTES // 4)

    async def _open_writer(self) -> SqliteConnection:
        connection = await self._open(writes=True, pages=_PAGES_KILOBYTES // 2)
        connection.set_busy_seconds(0)
        return connection

    async def _open(self, *, writes: bool, pages: int) -> SqliteConnection:
        try:
            made = self._in_thread(
                lambda: SqliteConnection(
                    self.path,
                    self.largest_answer,
                    writes=writes,
                    pages=pages,
                    untouched=self._untouched,
                    keeps_long=not self.simple,
                )
            )
            return await self._complete(made)
        except (apsw.Error, OSError) as error:
            kind = DatabaseMisconfigured if isinstance(error, _MISCONFIGURED) else ServiceUnavailable
            raise kind(reason=f"SQLite at {self.path}") from error

    async def _close_connection(self, connection: SqliteConnection) -> None:
        await self._complete(self._in_thread(connection.close))


def _is_closed(connection: SqliteConnection) -> bool:
    return connection.is_closed
