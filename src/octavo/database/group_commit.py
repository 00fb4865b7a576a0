"""Group commit: several short write transactions on SQLite share one COMMIT, which a thread runs.

Only one transaction can be open, and its COMMIT waits for the disk. So if others wait for their turn, a transaction
leaves its changes to them: each is a savepoint of one open database transaction, rolled back alone if it fails, and
done when the COMMIT of the last one has reached the disk. A single transaction is committed at once. One that pauses
while others wait is rolled back (`writer_time_limit`), and its caller retries it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from queue import SimpleQueue
from threading import Thread

from octavo.core.errors import ServiceUnavailable
from octavo.database.connection import TransactionConflict
from octavo.database.sqlite_connection import SqliteConnection
from octavo.database.writer_time_limit import WriterTimeLimit, WriterUse

Commit = Callable[[SqliteConnection], "asyncio.Future[None]"]
End = Callable[[SqliteConnection], None]


class _Group:
    """An open database transaction, and the members that wait for its commit."""

    def __init__(self, connection: SqliteConnection) -> None:
        self.connection = connection
        self.began = time.monotonic()
        self.holds_changes = False
        self._is_over = False
        self._error: BaseException | None = None
        self._members: list[asyncio.Future[None]] = []

    async def committed(self) -> None:
        """Wait for the commit. Raises the error that prevented it."""
        if not self._is_over:
            member = asyncio.get_running_loop().create_future()
            self._members.append(member)
            await member
        elif self._error is not None:
            raise self._error

    def close(self, error: BaseException | None) -> None:
        """Wake the members. `error` is what prevented the commit."""
        self._is_over, self._error = True, error
        for member in self._members:
            if member.done():  # its caller was cancelled
                continue
            if error is None:
                member.set_result(None)
            else:
                member.set_exception(error)


class GroupCommit:
    """The transactions that may be committed together. `begin` opens a transaction, `end` returns the connection."""

    longest = 0.005
    """Seconds for which a group accepts members. It delays the first member, and other processes, by as much."""

    def __init__(
        self,
        begin: Callable[[], Awaitable[SqliteConnection]],
        commit: Commit,
        end: End,
        watch: WriterTimeLimit,
        patience: float,
    ) -> None:
        self._begin = begin
        self._commit = commit
        self._end = end
        self._watch = watch
        self._patience = patience
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._open: _Group | None = None

    @asynccontextmanager
    async def member(self) -> AsyncIterator[WriterUse]:
        """Open a transaction, in the order of the calls. It is committed on normal exit, rolled back on any exception.

        Raises TransactionConflict if another member failed the whole group, or if this one kept others waiting.
        """
        group = await self._join()
        hold = WriterUse(group.connection)
        self._watch.begin(hold, lambda: self._put_off(group, hold), depended=group.holds_changes)
        try:
            group.connection.begin_part()
            yield hold
            hold.check()
            group.connection.end_part()
            group.holds_changes = True
        except BaseException:
            if hold.lost is None:
                self._undo(group)
            raise
        finally:
            if hold.lost is None:
                self._watch.end()
                self._leave_turn()
        await group.committed()

    async def _join(self) -> _Group:
        """Wait for the turn, and return the open group or a new one."""
        await self._take_turn()
        try:
            group = self._open = self._open or _Group(await self._begin())
        except BaseException:
            self._leave_turn()
            raise
        return group

    def _put_off(self, group: _Group, hold: WriterUse) -> None:
        """Roll back a transaction that keeps others waiting: those before it are committed, the next one begins."""
        hold.lost = TransactionConflict("it paused while others waited to write")
        self._undo(group)
        self._leave_turn()

    def _undo(self, group: _Group) -> None:
        if not group.connection.undo_part():
            self._close(group, TransactionConflict("another transaction of the same group failed"))

    async def _take_turn(self) -> None:
        if not (self._waiting or self._turn.locked()):
            await self._turn.acquire()  # returns at once: the lock is free
            return
        self._waiting += 1
        self._watch.add_waiting()
        try:
            async with asyncio.timeout(self._patience):
                await self._turn.acquire()
        except TimeoutError as error:
            busy = f"other writers locked the database for {self._patience:g} s"
            raise ServiceUnavailable(reason=busy) from error
        finally:
            self._waiting -= 1
            self._watch.remove_waiting()
            if not self._turn.locked():  # it gave up, and another member may have left the commit to it
                self._commit_unless_awaited()

    def _leave_turn(self) -> None:
        self._turn.release()
        self._commit_unless_awaited()

    def _commit_unless_awaited(self) -> None:
        group = self._open
        if group is None or (self._waiting and time.monotonic() - group.began < self.longest):
            return
        self._open = None
        if group.holds_changes:
            self._commit(group.connection).add_done_callback(lambda done: self._close(group, done.exception()))
        else:
            self._close(group, None)

    def _close(self, group: _Group, error: BaseException | None) -> None:
        """End a group, committed or not: return the connection and wake all members."""
        if self._open is group:
            self._open = None
        self._end(group.connection)
        group.close(error)


_Task = tuple[Callable[[], None], "asyncio.Future[None]"]


class CommitThread:
    """Runs tasks one after another in a dedicated thread, which starts with the first task."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._thread: Thread | None = None

    def run(self, work: Callable[[], None]) -> "asyncio.Future[None]":
        """Run the work. Returns a future of the running loop, which raises what the work raises."""
        done = asyncio.get_running_loop().create_future()
        if self._thread is None:
            self._thread = Thread(target=_run_tasks, args=(self._tasks,), name=self._name, daemon=True)
            self._thread.start()
        self._tasks.put((work, done))
        return done

    def close(self) -> None:
        """End the thread after its current work."""
        if self._thread is not None:
            self._thread = None
            self._tasks.put(None)


def _run_tasks(tasks: "SimpleQueue[_Task | None]") -> None:
    while (task := tasks.get()) is not None:
        work, done = task
        error: BaseException | None = None
        try:
            work()
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the loop is closed: no caller waits
            done.get_loop().call_soon_threadsafe(_finish, done, error)
        del task, work, done, error  # otherwise they would be referenced until the next task


def _finish(done: "asyncio.Future[None]", error: BaseException | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
