"""SQLite: one writer and many readers on one file, also from several processes.

Short reads run directly in the event loop, which is several times faster than the way through a thread. A read that
turns out to be long is interrupted there and repeated in a thread. One announced as long begins in a thread, and comes
to the loop from when on it has shown that it is not. Statements of a transaction run in the loop too; only COMMIT,
which waits for the disk, and what is announced as long run in a thread.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import apsw

from octavo.database.connection import LARGEST_ANSWER, Row, StatementTimeout, TransactionFailed, Values
from octavo.database.pool import Pool
from octavo.database.sqlite_groups import Groups
from octavo.database.sqlite_link import (
    Collect,
    Link,
    ResultT,
    all_rows,
    first_json,
    first_row,
    first_value,
    touched,
)
from octavo.database.values import check_values
from octavo.errors import ServiceUnavailable

AnswerT = TypeVar("AnswerT")
Run = Callable[[Collect[ResultT], str, Values, float], ResultT]

_LOOP_SECONDS = 0.02
"""How long a read may occupy the event loop before it is sent to a thread."""
_PAGES_KILOBYTES = 4_000
"""How much of the file a connection keeps in memory, unless it is one of many."""
_LONG_READ_MEMORY_SECONDS = 10.0
_QUICK_SECONDS = 0.002
"""Processor time within which a read announced as long counts as short from then on."""
_MOST_QUICK = 4096
_WRITER_POLL_SECONDS = 0.001
_EXCLUSIVE_PATIENCE_SECONDS = 300.0
_CLOSE_PATIENCE_SECONDS = 20.0


class SqliteTransaction:
    """The protocol's `Transaction` on SQLite."""

    def __init__(self, database: "SqliteDatabase", link: Link, seconds: float) -> None:
        self._database = database
        self._link = link
        self._seconds = seconds
        self._usable = True

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        return await self._run(all_rows, text, values, long)

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        return await self._run(first_row, text, values, long)

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        return await self._run(first_value, text, values, long)

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return await self._run(first_json, text, values, long, self._link.run_limited)

    async def execute(self, text: str, values: Values = ()) -> int:
        before = self._link.connection.total_changes()
        changed = await self._run(touched, text, values, False)
        # SQLite's count is that of the last statement which could change rows: DDL leaves it as it was.
        return changed if self._link.connection.total_changes() != before else 0

    async def execute_script(self, text: str) -> None:
        await self._run(all_rows, text, (), True)

    async def lock(self, name: str) -> None:
        """There is only one writer."""
        self._check()

    def finish(self) -> None:
        """As `end`; refuses if a statement has failed."""
        self._check()
        self.end()

    def end(self) -> None:
        """From now on no statement may come this way."""
        self._usable = False

    def _check(self) -> None:
        if not self._usable:
            raise TransactionFailed("the transaction has failed or is over")

    async def _run(
        self, collect: Collect[ResultT], text: str, values: Values, long: bool, run: Run[ResultT] | None = None
    ) -> ResultT:
        self._check()
        self._usable = False
        self._database.statements += 1
        check_values(values)
        run = run or self._link.run
        if long:
            result = await self._database.run_in_thread(self._link, run, collect, text, values, self._seconds)
        else:
            result = run(collect, text, values, self._seconds)
        self._usable = True
        return result


class SqliteDatabase:
    """The protocol's `Database` on one SQLite file.

    `patience` is how long a caller waits for the writer or a thread, `statement_timeout` how long a statement may run,
    both in seconds; no text that a read makes on its way becomes larger than `largest_answer`.
    """

    dialect = "sqlite"

    def __init__(
        self,
        path: Path | str,
        *,
        readers: int = 4,
        patience: float = 5.0,
        statement_timeout: float = 15.0,
        largest_answer: int = LARGEST_ANSWER,
    ) -> None:
        self.statements = 0
        self.largest_answer = largest_answer
        self.large_reads = max(readers // 2, 1)
        self.path = Path(path)
        self._statement_timeout = statement_timeout
        self._patience = patience
        self._loop_reader: Link | None = None
        self._late: dict[str, float] = {}
        self._quick: set[str] = set()
        self._threads = ThreadPoolExecutor(readers + 1, thread_name_prefix="octavo-sqlite")
        self._readers = Pool(self._open_thread_reader, self._close_link, _is_closed, readers, patience)
        self._writers = Pool(self._open_writer, self._close_link, _is_closed, 1, patience)
        self._groups = Groups(lambda: self._begin(patience), self._commit, self._end, patience)

    async def connect(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ServiceUnavailable from error
        await self._writers.open_early(1)
        self._loop_reader = await self._open_reader()
        self._loop_reader.set_busy_seconds(0)

    async def close(self) -> None:
        await self._readers.close(_CLOSE_PATIENCE_SECONDS)
        await self._writers.close(_CLOSE_PATIENCE_SECONDS)
        if self._loop_reader is not None:
            self._loop_reader.close()
            self._loop_reader = None
        self._threads.shutdown(wait=False)

    async def fetch_all(self, text: str, values: Values = (), *, long: bool = False) -> Sequence[Row]:
        return await self._read(all_rows, text, values, long)

    async def fetch_row(self, text: str, values: Values = (), *, long: bool = False) -> Row | None:
        return await self._read(first_row, text, values, long)

    async def fetch_value(self, text: str, values: Values = (), *, long: bool = False) -> Any:
        return await self._read(first_value, text, values, long)

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return await self._read(first_json, text, values, long)

    async def execute(self, text: str, values: Values = ()) -> int:
        async with self.transaction() as transaction:
            return await transaction.execute(text, values)

    async def execute_script(self, text: str) -> None:
        async with self.transaction() as transaction:
            await transaction.execute_script(text)

    @contextlib.asynccontextmanager
    async def transaction(self, *, exclusive: bool = False, grouped: bool = False) -> AsyncIterator[SqliteTransaction]:
        seconds = float("inf") if exclusive else self._statement_timeout
        async with self._groups.member() if grouped else self._alone(exclusive) as link:
            transaction = SqliteTransaction(self, link, seconds)
            try:
                yield transaction
                transaction.finish()
            finally:
                transaction.end()

    @contextlib.asynccontextmanager
    async def _alone(self, exclusive: bool) -> AsyncIterator[Link]:
        """A transaction with a COMMIT of its own."""
        link = await self._begin(_EXCLUSIVE_PATIENCE_SECONDS if exclusive else self._patience)
        try:
            yield link
            await self._complete(self._in_thread(link.commit))
        finally:
            self._end(link)

    async def run_in_thread(
        self,
        link: Link,
        run: Callable[[Collect[ResultT], str, Values, float], AnswerT],
        collect: Collect[ResultT],
        text: str,
        values: Values,
        seconds: float,
    ) -> AnswerT:
        """Run a statement of the link in a thread; cancelling the caller ends the statement."""
        return await self._complete(self._in_thread(run, collect, text, values, seconds), link.interrupt)

    async def _read(self, collect: Collect[ResultT], text: str, values: Values, long: bool) -> ResultT:
        self.statements += 1
        check_values(values)
        link = self._loop_reader
        if link is None:
            raise ServiceUnavailable
        if (not long or text in self._quick) and not self._is_known_late(text):
            try:
                return link.run(collect, text, values, _LOOP_SECONDS)
            except StatementTimeout:
                self._quick.discard(text)
                self._late[text] = time.monotonic() + _LONG_READ_MEMORY_SECONDS
            except ServiceUnavailable:
                pass  # another process recovers or closes the file: wait for it, but not here
        return await self._read_in_thread(collect, text, values)

    def _is_known_late(self, text: str) -> bool:
        """Whether this statement took too long for the loop a moment ago."""
        if not self._late or text not in self._late:
            return False
        if time.monotonic() < self._late[text]:
            return True
        del self._late[text]
        return False

    async def _read_in_thread(self, collect: Collect[ResultT], text: str, values: Values) -> ResultT:
        link = await self._readers.acquire()
        try:
            timeout = self._statement_timeout
            result, seconds = await self.run_in_thread(link, link.run_timed, collect, text, values, timeout)
        finally:
            self._readers.release(link)
        if seconds < _QUICK_SECONDS:
            self._note_quick(text)
        return result

    def _note_quick(self, text: str) -> None:
        if len(self._quick) >= _MOST_QUICK:
            self._quick.clear()
        self._quick.add(text)

    async def _begin(self, patience: float) -> Link:
        """The writer in a transaction, waiting for other processes without holding up the loop or a thread."""
        link = await self._writers.acquire(patience)
        deadline = time.monotonic() + patience
        try:
            while not link.try_begin():
                if time.monotonic() > deadline:
                    raise ServiceUnavailable
                await asyncio.sleep(_WRITER_POLL_SECONDS)
        except BaseException:
            self._end(link)
            raise
        return link

    def _end(self, link: Link) -> None:
        try:
            link.roll_back()
        except apsw.Error:
            link.close()  # a connection that cannot even roll back is worth nothing
        self._writers.release(link)

    def _commit(self, link: Link) -> "asyncio.Future[None]":
        return self._in_thread(link.commit)

    def _in_thread(self, work: Callable[..., ResultT], *arguments: Any) -> "asyncio.Future[ResultT]":
        return asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    async def _complete(self, work: "asyncio.Future[ResultT]", interrupt: Callable[[], None] | None = None) -> ResultT:
        """The result of work in a thread. A cancelled caller waits for its end too: a connection is never left busy."""
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

    async def _open_reader(self) -> Link:
        return await self._open(writes=False)

    async def _open_thread_reader(self) -> Link:
        """One of several, each with pages of its own."""
        return await self._open(writes=False, pages=_PAGES_KILOBYTES // 2)

    async def _open_writer(self) -> Link:
        link = await self._open(writes=True)
        link.set_busy_seconds(0)
        return link

    async def _open(self, *, writes: bool, pages: int = _PAGES_KILOBYTES) -> Link:
        try:
            made = self._in_thread(lambda: Link(self.path, self.largest_answer, writes=writes, pages=pages))
            return await self._complete(made)
        except apsw.Error as error:
            raise ServiceUnavailable from error

    async def _close_link(self, link: Link) -> None:
        await self._complete(self._in_thread(link.close))


def _is_closed(link: Link) -> bool:
    return link.is_closed
