"""The unit of work: one transaction, its changes, and callbacks after its commit.

    async with unit_of_work(database) as unit:
        await unit.connection.execute(...)
        unit.record("admin::api-token", token_id, ChangeKind.CREATE)
        unit.after_commit(forget_tokens)

Callbacks run in order after the transaction, without a connection. If a unit is rolled back, even if it is retried, its
callbacks and recorded changes are discarded. Avoid slow work inside: on SQLite all other writers wait for its end.

A unit opened inside an ambient transaction is a savepoint of it: it is rolled back alone if it fails, and its callbacks
run after the outer commit.
"""

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final, TypeVar

from octavo.core.errors import ServiceUnavailable
from octavo.core.threads import MOST_COMPUTED_HERE
from octavo.database.ambient import Scope, Unit, ambient, joined, outside
from octavo.database.change_feed import Callback, ChangeFeed, ChangeKind, DataChange, Keeper, Presence
from octavo.database.connection import Database, IdTaken, Transaction, TransactionConflict
from octavo.database.maintenance_mode import check_writable

logger = logging.getLogger(__name__)

_FAILED: Final = "A callback after a commit failed: %s"

ATTEMPTS: Final = 3
_PAUSE_SECONDS: Final = 0.01
MOST_ROWS_HERE: Final = 256
"""Number of rows that are processed in the event loop."""

ResultT = TypeVar("ResultT")


_default_hooks: ContextVar[Any] = ContextVar("octavo_default_hooks", default=None)
_default_keepers: ContextVar[tuple[Keeper, ...]] = ContextVar("octavo_default_keepers", default=())


@contextmanager
def with_hooks(hooks: Any) -> Iterator[None]:
    """Use these hooks as default for units in the block. For commands."""
    token = _default_hooks.set(hooks)
    try:
        yield
    finally:
        _default_hooks.reset(token)


def default_hooks() -> Any:
    """Return the hooks of `with_hooks`, or None."""
    return _default_hooks.get()


@contextmanager
def with_keeper(keeper: Keeper) -> Iterator[None]:
    """Store the changes of units in the block that have no feed with this function. For commands."""
    token = _default_keepers.set((*_default_keepers.get(), keeper))
    try:
        yield
    finally:
        _default_keepers.reset(token)


def default_keepers() -> tuple[Keeper, ...]:
    """Return the functions of `with_keeper`."""
    return _default_keepers.get()


class CannotShareCommit(Exception):
    """The unit cannot share its COMMIT. `run_unit` runs it again, alone."""


class UnexpectedState(Exception):
    """An optimistic unit found a state that it had not checked. `run_unit` runs it again, as a cautious one."""


class UnitOfWork:
    """One transaction. `connection` reads and writes within it.

    `size` is that of its input, in bytes; `is_large`: it computes in a thread; `is_grouped`: others may wait for its
    end with their COMMIT. `hooks` are the project's (`events.hooks`). `is_cautious`: it has to check before it writes,
    because it cannot be retried; other units may write first, and raise `UnexpectedState` if the database rejects it.
    """

    is_grouped = False
    is_cautious = True
    database: object = None
    removes_many = False
    """Whether one request deletes several entries. Webhooks then receive only the entries' own values, as in v4."""
    adds_localization = False
    """Whether the created entry becomes a localization of another one."""

    def __init__(self, connection: Transaction, feed: ChangeFeed | None = None, size: int = 0) -> None:
        self.connection = connection
        self.hooks: Any = default_hooks() if feed is None else feed.hooks
        self.is_large = size > MOST_COMPUTED_HERE
        self._feed = feed
        self._changes: list[DataChange] = []
        self._callbacks: list[Callback] = []
        self._undo_callbacks: list[Callback] = []
        self.is_committed = False
        """Whether the last statement has committed the unit (`commit_with`)."""
        self.cancelled: asyncio.CancelledError | None = None
        """The cancellation to raise after the callbacks, if the caller was cancelled during that statement."""

    def ambient(self) -> AbstractContextManager[None]:
        """Return a block in which all reads and writes belong to this unit (`database.ambient`)."""
        return ambient(self.database, self)

    @property
    def changes(self) -> Sequence[DataChange]:
        """The changes so far, in order."""
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
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Record a change of an entry. `was` and `became` are for types with drafts, `details` for the audit log."""
        if kind is ChangeKind.CREATE:
            was = Presence.ABSENT
        elif kind is ChangeKind.DELETE:
            became = Presence.ABSENT
        self._changes.append(DataChange(uid, entry_id, kind, before, None, locale, was, became, details))

    def after_commit(self, callback: Callback) -> None:
        """Call a function after the commit. Its errors are logged, because the data is already committed."""
        self._callbacks.append(callback)

    def after_undo(self, callback: Callback) -> None:
        """Call a function after a rollback, or a possible one: after a connection lost at the commit, this is
        unknown."""
        self._undo_callbacks.append(callback)

    async def compute(self, work: Callable[[], ResultT], count: int = 0) -> ResultT:
        """Run work on the input, or on `count` rows: in a thread if either is large, and from then on always."""
        if count > MOST_ROWS_HERE:
            self.is_large = True
        return await self.connection.compute(work) if self.is_large else work()

    async def commit_with(self, uid: str, write: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Run a write of an entry that sends one statement, after which the unit sends no other. If possible, the
        statement also commits the unit. If callbacks follow, it runs to its end even if the caller is cancelled.
        """
        if not self.connection.commit_with_next():
            return await write
        if self._callbacks or (self._feed is not None and self._feed.notifies(uid)):
            result, self.cancelled = await _end_of(write)
        else:
            result = await write
        self.is_committed = True
        return result

    async def finish(self) -> None:
        """Read the changed entries and store the changes, if subscribers need it. This is the last step before the
        commit."""
        feed = self._feed
        if not self._changes or self.is_committed:
            return
        if feed is not None and feed.wants_any_images:
            for index, change in enumerate(self._changes):
                if change.kind is not ChangeKind.DELETE and feed.wants_images(change.uid):
                    self._changes[index] = replace(change, after=await self.read_image(change.uid, change.id))
        for keeper in default_keepers() if feed is None else feed.keepers:
            await keeper(self.connection, self._changes)

    async def read_image(self, uid: str, entry_id: int) -> bytes | None:
        """Return the JSON representation of an entry; None here, because the base class knows no types."""
        return None

    def followers(self) -> list[Callback]:
        """Return the callbacks after the commit: subscribers to changes first."""
        notifications = self._feed.deliveries(self._changes) if self._feed is not None and self._changes else []
        return [*notifications, *self._callbacks]

    async def undone(self) -> None:
        """Run the callbacks of `after_undo`."""
        if self._undo_callbacks:
            await _run_to_end(_follow(self._undo_callbacks))

    def hand_over(self, whole: Unit) -> None:
        """Move this unit's callbacks to the unit that it is a part of."""
        for follower in self.followers():
            whole.after_commit(follower)
        for callback in self._undo_callbacks:
            whole.after_undo(callback)


UnitT = TypeVar("UnitT", bound=UnitOfWork)


@asynccontextmanager
async def unit_of_work(
    database: Database, feed: ChangeFeed | None = None, *, exclusive: bool = False, in_maintenance: bool = False
) -> AsyncIterator[UnitOfWork]:
    """Open a unit that is not retried: if it conflicts with another one, it raises ServiceUnavailable.

    `exclusive`: as for `Database.transaction`, for work that takes minutes. As a part of an ambient transaction it
    raises TransactionConflict instead. `in_maintenance`: it also writes in `maintenance_mode`.
    """

    def make(connection: Transaction) -> UnitOfWork:
        return UnitOfWork(connection, feed)

    try:
        async with open_unit(database, make, exclusive=exclusive, in_maintenance=in_maintenance) as unit:
            yield unit
    except TransactionConflict as error:
        if joined(database) is not None:
            raise
        raise ServiceUnavailable from error


def open_unit(
    database: Database,
    make: Callable[[Transaction], UnitT],
    *,
    exclusive: bool = False,
    grouped: bool = False,
    in_maintenance: bool = False,
) -> AbstractAsyncContextManager[UnitT]:
    """Begin a transaction and create a unit for it; commit and run its callbacks, or roll back.

    Inside an ambient transaction, it is a part of that. `exclusive` and `grouped`: as for `Database.transaction`.
    Raises TransactionConflict, and UnderMaintenance unless `in_maintenance`.
    """
    if database.read_only_message is not None and not in_maintenance:
        check_writable(database.read_only_message)
    scope = joined(database)
    if scope is not None and not exclusive:
        return _part_of(scope, make)
    return _Whole(database, make, exclusive, grouped)


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


class _Whole(AbstractAsyncContextManager[UnitT]):
    """A unit with its own transaction. A class for the reason of `postgresql._Opened`."""

    def __init__(
        self, database: Database, make: Callable[[Transaction], UnitT], exclusive: bool, grouped: bool
    ) -> None:
        self._database = database
        self._make = make
        self._grouped = grouped
        self._transaction = database.transaction(exclusive=exclusive, grouped=grouped)

    async def __aenter__(self) -> UnitT:
        unit = self._unit = self._make(await self._transaction.__aenter__())
        unit.is_grouped, unit.database = self._grouped, self._database
        return unit

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if self._unit.is_committed:
            await self._follow_committed()
            return
        if error is not None:
            await self._undo(error)
            return
        try:
            await self._unit.finish()
        except BaseException as failure:
            await self._undo(failure)
            raise
        followers = self._unit.followers()
        try:
            if followers:
                await _run_to_end(_commit_and_follow(self._transaction, followers))
            else:
                await self._transaction.__aexit__(None, None, None)
        except Exception:
            await self._unit.undone()
            raise

    async def _follow_committed(self) -> None:
        await self._transaction.__aexit__(None, None, None)
        if self._unit.changes:
            await _follow_here(self._unit.followers())
        else:
            await self._unit.undone()
        if self._unit.cancelled is not None:
            raise self._unit.cancelled

    async def _undo(self, error: BaseException) -> None:
        await self._transaction.__aexit__(type(error), error, error.__traceback__)
        await self._unit.undone()


async def run_unit(
    database: Database,
    make: Callable[[Transaction], UnitT],
    work: Callable[[UnitT], Awaitable[ResultT]],
    *,
    grouped: bool = True,
    in_maintenance: bool = False,
    mend: Callable[[], Awaitable[object]] | None = None,
) -> ResultT:
    """Run work in a unit, and retry it in a new one if it conflicts with another transaction.

    It is also retried, once, if the database generated ids that are already used and `mend` can fix that. `grouped`: it
    may be committed together with others, except for the last attempt. `in_maintenance`: it also writes in
    `maintenance_mode`. Raises ServiceUnavailable; as a part of an ambient transaction, it is not retried and raises
    TransactionConflict.
    """
    is_part = joined(database) is not None
    for attempt in range(1, ATTEMPTS + 1):
        try:
            is_grouped = grouped and attempt < ATTEMPTS
            async with open_unit(database, make, grouped=is_grouped, in_maintenance=in_maintenance) as unit:
                unit.is_cautious = attempt > 1
                return await work(unit)
        except UnexpectedState:
            continue
        except CannotShareCommit:
            return await run_unit(database, make, work, grouped=False, in_maintenance=in_maintenance, mend=mend)
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


async def _follow_here(followers: Sequence[Callback]) -> None:
    """Call callbacks without a new task as long as none of them has to wait."""
    for index, follower in enumerate(followers):
        try:
            called = follower()
        except Exception:
            logger.exception(_FAILED, follower)
            continue
        if inspect.isawaitable(called):
            await _run_to_end(_follow_on(follower, called, followers[index + 1 :]))
            return


async def _follow_on(follower: Callback, called: Awaitable[object], others: Sequence[Callback]) -> None:
    """Wait for a callback, then call the others."""
    try:
        await called
    except Exception:
        logger.exception(_FAILED, follower)
    await _follow(others)


async def _follow(followers: Sequence[Callback]) -> None:
    for index, follower in enumerate(followers):
        try:
            called = follower()
            if inspect.isawaitable(called):
                await called
        except Exception:
            logger.exception(_FAILED, follower)
        except BaseException:
            logger.error("A callback after a commit did not run: %s", followers[index:])
            raise


async def _run_to_end(work: Coroutine[Any, Any, None]) -> None:
    """Run work to its end, even if the caller is cancelled: the cancellation is raised afterwards."""
    _, cancelled = await _end_of(work)
    if cancelled is not None:
        raise cancelled


async def _end_of(work: Coroutine[Any, Any, ResultT]) -> tuple[ResultT, asyncio.CancelledError | None]:
    """Return the result of work, and the cancellation if the caller was cancelled meanwhile. If both fail, the
    cancellation is raised."""
    task = asyncio.get_running_loop().create_task(work, context=outside())
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None and (task.cancelled() or task.exception() is not None):
        raise cancelled
    return task.result(), cancelled
