"""Groups: short write transactions on SQLite that reach the disk with one COMMIT.

Only one transaction may be open, and its COMMIT waits for the disk. So a transaction that ends while others wait for
their turn leaves its changes to theirs: each is a savepoint of one open transaction of the database, undone alone if it
fails, and over when the COMMIT of the last one has reached the disk. Who is alone is committed at once.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from octavo.database.connection import TransactionConflict
from octavo.database.sqlite_link import Link
from octavo.errors import ServiceUnavailable

_LONGEST_SECONDS = 0.005
"""How long a group may take others in: who came first waits so much longer, and other processes too."""

Commit = Callable[[Link], "asyncio.Future[None]"]


class _Group:
    """An open transaction of the database. `committed` ends when it is on the disk, or with what prevented that."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.began = time.monotonic()
        self.holds_changes = False
        self.committed: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class Groups:
    """The transactions that may be committed together. `begin` opens a transaction, `end` takes the connection back."""

    def __init__(
        self, begin: Callable[[], Awaitable[Link]], commit: Commit, end: Callable[[Link], None], patience: float
    ) -> None:
        self._begin = begin
        self._commit = commit
        self._end = end
        self._patience = patience
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._open: _Group | None = None

    @asynccontextmanager
    async def member(self) -> AsyncIterator[Link]:
        """One transaction, in the order of coming. It is on the disk on normal exit, and undone on any exception.

        Raises TransactionConflict when another one took the whole group with it.
        """
        await self._take_turn()
        try:
            group = self._open = self._open or _Group(await self._begin())
            try:
                group.link.begin_part()
                yield group.link
                group.link.end_part()
                group.holds_changes = True
            except BaseException:
                if not group.link.undo_part():
                    self._close(group, TransactionConflict())
                raise
        finally:
            self._leave_turn()
        await asyncio.shield(group.committed)

    async def _take_turn(self) -> None:
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                await self._turn.acquire()
        except TimeoutError as error:
            raise ServiceUnavailable from error
        finally:
            self._waiting -= 1
            if not self._turn.locked():  # it did not come to that, and somebody may have counted on it
                self._commit_unless_wanted()

    def _leave_turn(self) -> None:
        self._turn.release()
        self._commit_unless_wanted()

    def _commit_unless_wanted(self) -> None:
        group = self._open
        if group is None or (self._waiting and time.monotonic() - group.began < _LONGEST_SECONDS):
            return
        self._open = None
        if group.holds_changes:
            self._commit(group.link).add_done_callback(lambda done: self._close(group, done.exception()))
        else:
            self._close(group, None)

    def _close(self, group: _Group, error: BaseException | None) -> None:
        """The end of a group, good or bad: the connection goes back, and everybody is told."""
        if self._open is group:
            self._open = None
        self._end(group.link)
        if error is None:
            group.committed.set_result(None)
        else:
            group.committed.set_exception(error)
            group.committed.exception()  # there may be nobody left to tell
