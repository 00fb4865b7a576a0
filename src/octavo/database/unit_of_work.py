"""The unit of work: one transaction, what it changes, and what follows once that is durable.

    async with unit_of_work(database) as unit:
        await unit.connection.execute(...)
        unit.record("admin::api-token", token_id, ChangeKind.CREATE)
        unit.after_commit(forget_tokens)

What follows is called in order when the transaction is over, and holds no connection. Of a unit that is undone, also of
one that is run again, nothing follows and nothing counts as changed. Nothing slow belongs inside: on SQLite all other
writers wait for its end.

A unit that is opened where a transaction is ambient is a part of that: undone alone if it fails, and followed by its
followers once the whole is durable.
"""

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final, TypeVar

from octavo.core.errors import ServiceUnavailable
from octavo.core.threads import MOST_COMPUTED_HERE
from octavo.database.ambient import Scope, Unit, ambient, joined, outside
from octavo.database.change_feed import Callback, ChangeFeed, ChangeKind, DataChange, Keeper, Presence
from octavo.database.connection import Database, IdTaken, Transaction, TransactionConflict

logger = logging.getLogger(__name__)

ATTEMPTS: Final = 3
_PAUSE_SECONDS: Final = 0.01
MOST_ROWS_HERE: Final = 256
"""Rows that are read and worked on without leaving the event loop."""

ResultT = TypeVar("ResultT")


_default_hooks: ContextVar[Any] = ContextVar("octavo_default_hooks", default=None)
_default_keepers: ContextVar[tuple[Keeper, ...]] = ContextVar("octavo_default_keepers", default=())


@contextmanager
def with_hooks(hooks: Any) -> Iterator[None]:
    """Let units that are begun inside the block, and are nobody's in particular, tell these hooks: for commands."""
    token = _default_hooks.set(hooks)
    try:
        yield
    finally:
        _default_hooks.reset(token)


def default_hooks() -> Any:
    """The hooks of `with_hooks`, or None."""
    return _default_hooks.get()


@contextmanager
def with_keeper(keeper: Keeper) -> Iterator[None]:
    """Have somebody write down what units change that are begun inside the block, and of no feed: for commands."""
    token = _default_keepers.set((*_default_keepers.get(), keeper))
    try:
        yield
    finally:
        _default_keepers.reset(token)


def default_keepers() -> tuple[Keeper, ...]:
    """Those of `with_keeper`."""
    return _default_keepers.get()


class RunAlone(Exception):
    """A unit finds that it may not share its COMMIT; `run_unit` begins it again, alone."""


class Unforeseen(Exception):
    """A unit that was not cautious met what it had not asked about; `run_unit` begins it again, as a cautious one."""


class UnitOfWork:
    """One transaction. `connection` reads and writes within it.

    `size` is that of its input, in bytes; `is_large` tells whether it computes in a thread; `is_grouped`, whether
    others may wait for its end with their COMMIT. `hooks` are the project's (`events.hooks`). `is_cautious`: whether it
    has to ask before it writes, as it cannot be begun again; others may write what is refused, and raise `Unforeseen`.
    """

    is_grouped = False
    is_cautious = True
    database: object = None
    removes_many = False
    """Whether one request removes several entries; webhooks then receive only the entries' own values, as in v4."""
    adds_localization = False
    """Whether the entry that is created becomes a localization of another one."""

    def __init__(self, connection: Transaction, feed: ChangeFeed | None = None, size: int = 0) -> None:
        self.connection = connection
        self.hooks: Any = default_hooks() if feed is None else feed.hooks
        self.is_large = size > MOST_COMPUTED_HERE
        self._feed = feed
        self._changes: list[DataChange] = []
        self._callbacks: list[Callback] = []
        self._undo_callbacks: list[Callback] = []

    def ambient(self) -> AbstractContextManager[None]:
        """A block in which what is read and written belongs to this unit, whoever does it (`database.ambient`)."""
        return ambient(self.database, self)

    @property
    def changes(self) -> Sequence[DataChange]:
        """What it has changed until now, in order."""
        return tuple(self._changes)

    def record(
        self,
        uid: str,
        entry_id: int,
        kind: ChangeKind,
        before: bytes | None = None,
        *,
        locale: str | None = None,
        was: Presence = Presence.LIVE,
        became: Presence = Presence.LIVE,
    ) -> None:
        """Note that an entry of a type is changed. `was` and `became` are for types with drafts."""
        if kind is ChangeKind.CREATE:
            was = Presence.ABSENT
        elif kind is ChangeKind.DELETE:
            became = Presence.ABSENT
        self._changes.append(DataChange(uid, entry_id, kind, before, None, locale, was, became))

    def after_commit(self, callback: Callback) -> None:
        """Call something once this is durable. What it raises is logged: the data is as it is by then."""
        self._callbacks.append(callback)

    def after_undo(self, callback: Callback) -> None:
        """Call something once this is undone, or may be: a connection lost at the commit leaves that open."""
        self._undo_callbacks.append(callback)

    async def compute(self, work: Callable[[], ResultT], count: int = 0) -> ResultT:
        """Do work on the input, or on so many rows: in a thread from now on where there is much of either."""
        if count > MOST_ROWS_HERE:
            self.is_large = True
        return await self.connection.compute(work) if self.is_large else work()

    async def finish(self) -> None:
        """Read what the changed entries have become, and write the changes down, where somebody asks; the last step
        before the commit."""
        feed = self._feed
        if not self._changes:
            return
        if feed is not None and feed.wants_any_images:
            for index, change in enumerate(self._changes):
                if change.kind is not ChangeKind.DELETE and feed.wants_images(change.uid):
                    self._changes[index] = replace(change, after=await self.read_image(change.uid, change.id))
        for keeper in default_keepers() if feed is None else feed.keepers:
            await keeper(self.connection, self._changes)

    async def read_image(self, uid: str, entry_id: int) -> bytes | None:
        """What a reader of an entry alone is shown; nothing here, where no types are known."""
        return None

    def followers(self) -> list[Callback]:
        """What is to be called after the commit: those who want to know of the changes first."""
        told = self._feed.deliveries(self._changes) if self._feed is not None and self._changes else []
        return [*told, *self._callbacks]

    async def undone(self) -> None:
        """Call what was asked for with `after_undo`."""
        if self._undo_callbacks:
            await _to_the_end(_follow(self._undo_callbacks))

    def hand_over(self, whole: Unit) -> None:
        """Let what follows this follow the whole that it was a part of."""
        for follower in self.followers():
            whole.after_commit(follower)
        for callback in self._undo_callbacks:
            whole.after_undo(callback)


UnitT = TypeVar("UnitT", bound=UnitOfWork)


@asynccontextmanager
async def unit_of_work(
    database: Database, feed: ChangeFeed | None = None, *, exclusive: bool = False
) -> AsyncIterator[UnitOfWork]:
    """A unit that is not run again: when another is in its way, who asked is told to come back.

    `exclusive`: as for `Database.transaction`; for what takes minutes. Raises ServiceUnavailable, for a part of an
    ambient transaction TransactionConflict.
    """
    try:
        async with open_unit(database, lambda connection: UnitOfWork(connection, feed), exclusive=exclusive) as unit:
            yield unit
    except TransactionConflict as error:
        if joined(database) is not None:
            raise
        raise ServiceUnavailable from error


def open_unit(
    database: Database, make: Callable[[Transaction], UnitT], *, exclusive: bool = False, grouped: bool = False
) -> AbstractAsyncContextManager[UnitT]:
    """Begin a transaction and make a unit of it; commit and let follow what follows, or undo everything.

    Where a transaction is ambient it is a part of that. `exclusive` and `grouped`: as for `Database.transaction`.
    Raises TransactionConflict.
    """
    scope = joined(database)
    if scope is not None and not exclusive:
        return _part_of(scope, make)
    return _whole(database, make, exclusive, grouped)


@asynccontextmanager
async def _part_of(scope: Scope, make: Callable[[Transaction], UnitT]) -> AsyncIterator[UnitT]:
    unit: UnitT | None = None
    try:
        async with scope.part() as connection:
            unit = make(connection)
            unit.database = scope.database
            with unit.ambient():
                yield unit
            await unit.finish()
    except BaseException:
        if unit is not None:
            await unit.undone()
        raise
    unit.hand_over(scope.unit)


@asynccontextmanager
async def _whole(
    database: Database, make: Callable[[Transaction], UnitT], exclusive: bool, grouped: bool
) -> AsyncIterator[UnitT]:
    transaction = database.transaction(exclusive=exclusive, grouped=grouped)
    unit = make(await transaction.__aenter__())
    unit.is_grouped, unit.database = grouped, database
    try:
        yield unit
        await unit.finish()
    except BaseException as error:
        await transaction.__aexit__(type(error), error, error.__traceback__)
        await unit.undone()
        raise
    followers = unit.followers()
    try:
        if followers:
            await _to_the_end(_commit_and_follow(transaction, followers))
        else:
            await transaction.__aexit__(None, None, None)
    except Exception:
        await unit.undone()
        raise


async def run_unit(
    database: Database,
    make: Callable[[Transaction], UnitT],
    work: Callable[[UnitT], Awaitable[ResultT]],
    *,
    grouped: bool = True,
    mend: Callable[[], Awaitable[object]] | None = None,
) -> ResultT:
    """Do work in a unit; again from the beginning, in a new one, if another transaction stood in the way.

    So too, once, where the database has given ids that are taken and `mend` can help that. `grouped`: whether it may be
    committed together with others; the last attempt never is. Raises ServiceUnavailable; a part of an ambient
    transaction is not run again when that is in another's way, and raises TransactionConflict.
    """
    is_part = joined(database) is not None
    for attempt in range(1, ATTEMPTS + 1):
        try:
            async with open_unit(database, make, grouped=grouped and attempt < ATTEMPTS) as unit:
                unit.is_cautious = attempt > 1
                return await work(unit)
        except Unforeseen:
            continue
        except RunAlone:
            return await run_unit(database, make, work, grouped=False, mend=mend)
        except TransactionConflict as error:
            if is_part:
                raise
            if attempt == ATTEMPTS:
                raise ServiceUnavailable from error
            await asyncio.sleep(_PAUSE_SECONDS * attempt)
        except IdTaken:
            if mend is None or attempt == ATTEMPTS:
                raise
            await mend()
            mend = None
    raise AssertionError("the last attempt returns or raises")


async def _commit_and_follow(transaction: AbstractAsyncContextManager[Any], followers: Sequence[Callback]) -> None:
    await transaction.__aexit__(None, None, None)
    await _follow(followers)


async def _follow(followers: Sequence[Callback]) -> None:
    for index, follower in enumerate(followers):
        try:
            called = follower()
            if inspect.isawaitable(called):
                await called
        except Exception:
            logger.exception("A callback after a commit failed: %s", follower)
        except BaseException:
            logger.error("A callback after a commit was not called: %s", followers[index:])
            raise


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Run work that a cancelled caller leaves neither half done nor behind: they wait for its end."""
    task = asyncio.get_running_loop().create_task(work, context=outside())
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        if not task.cancelled():
            task.exception()
        raise cancelled
    task.result()
