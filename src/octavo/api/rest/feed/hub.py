"""The hub of the change feed: reads the change journal once for all listeners of a site, and sends each its events.

It reads when this process changes something, and polls twice a second for changes of others. Without listeners it is
idle. Listeners are grouped by what they can see (`Audience`), so permissions are checked per group, not per listener.
A listener that reconnects with a position first gets the changes after it.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from math import inf
from random import randrange
from typing import Final

import orjson

from octavo.access.authentication.authenticator import REMEMBERED_TYPES, Authenticator
from octavo.access.authorization.actor import Actor
from octavo.content.controllers.change_notifications import Audience, ChangeNotification, Looks, VisibleChanges
from octavo.core.clock import SYSTEM_CLOCK, Clock, read_moment
from octavo.core.errors import ForbiddenError, RateLimitError, ServiceUnavailable, UnauthorizedError
from octavo.core.outage_log import reason_of
from octavo.core.values import dataclass
from octavo.events.journal import MOST_READ, START, Journal, JournalRow, Position
from octavo.query.ast import PublicationState
from octavo.schema.content_types import USER, ContentType

_END: Final = b'event: end\ndata: {"reason":"%b"}\n\n'


@dataclass(frozen=True, slots=True)
class FeedFilter:
    """A listener's filters: types, locales and ids (None: all), and the publication state."""

    types: frozenset[str] | None = None
    locales: frozenset[str] | None = None
    ids: frozenset[int] | None = None
    state: PublicationState = PublicationState.LIVE
    with_entries: bool = False

    def include(self, notification: ChangeNotification) -> bool:
        """Return whether a change matches."""
        change = notification.row.change
        return (
            (self.types is None or change.uid in self.types)
            and (self.locales is None or change.locale in self.locales)
            and (self.ids is None or change.id in self.ids)
        )


class Listener:
    """A connection. Its queue is limited in bytes: a listener that falls behind is disconnected."""

    __slots__ = (
        "_give_up",
        "_most",
        "_pieces",
        "_size",
        "_waiter",
        "actor",
        "address",
        "audience",
        "authorization",
        "can_return",
        "ends_at",
        "feed_filter",
        "is_live",
        "is_over",
        "position",
    )

    def __init__(
        self,
        feed_filter: FeedFilter,
        actor: Actor,
        authorization: str | None,
        address: str,
        position: Position | None,
        most: int,
        give_up: Callable[[], None],
    ) -> None:
        self.feed_filter = feed_filter
        self.actor = actor
        self.authorization = authorization
        self.address = address  # of the client that limits count, empty if clients cannot be distinguished
        self.position = position
        """The last position that it received, if it reconnects."""
        self.audience: Audience | None = None
        self.ends_at = inf
        """When its credentials expire, in seconds since 1970."""
        self.is_live = False
        """Whether it has received all earlier changes and now gets new ones."""
        self.is_over = False
        self.can_return = True
        """Whether it may reconnect after the end: it has kept its permission."""
        self._pieces: list[bytes] = []
        self._size = 0
        self._most = most
        self._give_up = give_up
        self._waiter: asyncio.Future[None] | None = None

    def push(self, piece: bytes) -> bool:
        """Queue a chunk. Return False and disconnect the listener if the queue is full."""
        if self.is_over:
            return True
        self._size += len(piece)
        if self._size > self._most:
            self._pieces.clear()
            self.is_over = True
            self._give_up()
            return False
        self._pieces.append(piece)
        self._wake()
        return True

    async def next(self) -> bytes:
        """Return the queued chunks as soon as there are any, or nothing after the end."""
        while not self._pieces and not self.is_over:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        pieces = b"".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        return pieces

    def end(self) -> None:
        """End the connection after sending the queue."""
        self.is_over = True
        self._wake()

    def disconnect(self, reason: str) -> None:
        """End the connection of a listener that has lost its permission, with the reason."""
        if not self.is_over:
            self.can_return = False
            self._pieces = [_END % reason.encode()]  # drop queued changes, which it must not see
            self.end()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


RETRY: Final = b"retry: 3000\n\n"
"""Milliseconds after which a browser reconnects."""
_RETURN: Final = (1000, 5000)
"""The same at the end of a stream, as when the service stops: random, so that not all listeners return at once."""
RESET: Final = b'event: reset\ndata: {"reason":"Some events are missing. Reload your data."}\n\n'


def heartbeat(position: Position) -> bytes:
    """Return a comment with the current position, which browsers store without firing an event."""
    return f": \nid: {position}\n\n".encode()


def event_piece(notification: ChangeNotification, types: Mapping[str, ContentType], most: int) -> bytes:
    """Return the event of a change, without the entry if it would exceed `most` bytes."""
    event = _event(notification, types)
    if notification.entry is not None:
        # The database's JSON can contain line breaks between values, which would end a line of the event.
        entry = notification.entry.replace(b"\n", b" ").replace(b"\r", b" ")
        if len(entry) <= most:
            event = b'%b,"entry":%b}' % (event[:-1], entry)
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (
        str(notification.row.position).encode(),
        notification.name.encode(),
        event,
    )


def _event(notification: ChangeNotification, types: Mapping[str, ContentType]) -> bytes:
    change = notification.row.change
    moment = read_moment(notification.row.created_at)
    assert moment is not None, "it was written as a number"
    event = {
        "event": notification.name,
        "createdAt": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "model": types[change.uid].singular_name,
        "uid": change.uid,
        "id": change.id,
    }
    if change.locale is not None:
        event["locale"] = change.locale
    if notification.gone:
        event["gone"] = True
    return orjson.dumps(event)


logger = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.5
_TICK_SECONDS: Final = 1.0

_MOST_ENTRIES: Final = 4
"""Maximum number of changes with entries that a reconnecting listener gets at once.

An event has at most half of `queue`, so a slow listener uses as much memory as a live one: the chunk being sent, and
its queue.
"""

AudienceKey = tuple[str, PublicationState, bool]


@dataclass(frozen=True, slots=True)
class FeedOptions:
    """Limits of a process: `listeners`, and those `by_address`; `heartbeat` in seconds; `queue` in bytes per listener.

    `types` have events although project code takes part in reading them.
    """

    listeners: int = 2000
    by_address: int = 100
    heartbeat: int = 15
    queue: int = 64 * 1024
    types: tuple[str, ...] = ()


class Hub:
    """The listeners of one site."""

    def __init__(
        self,
        changes: VisibleChanges,
        journal: Journal,
        authenticator: Authenticator,
        options: FeedOptions,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._changes = changes
        self._journal = journal
        self._authenticator = authenticator
        self._options = options
        self._clock = clock
        self._listeners: dict[Listener, None] = {}
        self._addresses: Counter[str] = Counter()
        self._audiences: dict[AudienceKey, Audience] = {}
        self._position = START
        self._turn = asyncio.Lock()
        self._awake = asyncio.Event()
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._end_waking: Callable[[], None] = lambda: None
        self._out_of_reach = False

    # Connecting and disconnecting

    def admit(self, listener: Listener) -> None:
        """Add a listener; `leave` removes it. Raises ServiceUnavailable and RateLimitError if a limit is exceeded."""
        if len(self._listeners) >= self._options.listeners:
            raise ServiceUnavailable("Too many listeners", reason=f"{len(self._listeners)} listeners are connected")
        if listener.address and self._addresses[listener.address] >= self._options.by_address:
            raise RateLimitError("Too many listeners from this address")
        self._listeners[listener] = None
        self._addresses[listener.address] += 1
        self._place(listener, listener.actor)

    def leave(self, listener: Listener) -> None:
        """Remove a listener. After the last one, the journal is no longer read."""
        listener.end()
        del self._listeners[listener]
        self._addresses[listener.address] -= 1
        self._addresses += Counter()  # drops entries with zero
        self._drop_audiences()
        if not self._listeners:
            self._end_waking()
            for task in self._tasks:
                task.cancel()
            self._tasks = ()

    async def begin(self) -> None:
        """Start to follow the journal, unless already started. Raises ServiceUnavailable."""
        async with self._turn:
            if self._tasks or not self._listeners:
                return
            self._position = await self._journal.last()
            self._end_waking = self._journal.on_change(self._awake.set)
            loop = asyncio.get_running_loop()
            self._tasks = (loop.create_task(self._follow()), loop.create_task(self._tick()))

    async def pieces(self, listener: Listener) -> AsyncGenerator[bytes, None]:
        """Yield the chunks for a listener, from the first to the end."""
        yield RETRY
        async for piece in self._catch_up(listener):
            yield piece
        while piece := await listener.next():
            yield piece
        if listener.can_return:
            yield b"retry: %d\n\n" % randrange(*_RETURN)  # noqa: S311 - no secret

    def _place(self, listener: Listener, actor: Actor) -> None:
        """Add a listener to the group with the same permissions."""
        feed_filter = listener.feed_filter
        key = (actor.ability.key, feed_filter.state, feed_filter.with_entries)
        audience = self._audiences.get(key)
        if audience is None:
            audience = self._audiences[key] = Audience(actor.ability, feed_filter.state, feed_filter.with_entries)
        listener.actor, listener.audience = actor, audience
        listener.ends_at = self._authenticator.expires_at(listener.authorization)

    def _drop_audiences(self) -> None:
        used = {id(listener.audience) for listener in self._listeners}
        self._audiences = {key: one for key, one in self._audiences.items() if id(one) in used}

    # Sending

    async def _catch_up(self, listener: Listener) -> AsyncGenerator[bytes, None]:
        """Yield the changes after the listener's position. It is live afterwards."""
        try:
            if listener.position is not None and not await self._can_go_on(listener.position):
                listener.position = None
                yield RESET
            most = _MOST_ENTRIES if listener.feed_filter.with_entries else MOST_READ
            while not listener.is_live and not listener.is_over:
                piece = await self._next_missed(listener, most)
                if piece:
                    yield piece
            if listener.position is not None:
                yield heartbeat(listener.position)
        except ServiceUnavailable as error:
            logger.info("Disconnected a listener, which can reconnect: %s", reason_of(error))
            listener.end()

    async def _next_missed(self, listener: Listener, most: int) -> bytes:
        """Return the next missed changes, at most so many. The listener is live after the last ones."""
        rows = await self._missed(listener)
        if len(rows) >= most:
            return await self._part_of(rows[:most], listener)
        async with self._turn:
            rows = await self._missed(listener)
            if len(rows) >= most:
                return await self._part_of(rows[:most], listener)
            listener.is_live = True
            listener.position = self._position
            return await self._piece_of(rows, listener)

    async def _part_of(self, rows: Sequence[JournalRow], listener: Listener) -> bytes:
        piece = await self._piece_of(rows, listener)
        listener.position = rows[-1].position
        return piece

    async def _can_go_on(self, position: Position) -> bool:
        """Return whether the journal has all changes after a position, which can be ahead of this process."""
        if position > self._position:
            async with self._turn:
                await self._read_new()
        return position <= self._position and await self._journal.keeps_all_after(position)

    async def _missed(self, listener: Listener) -> list[JournalRow]:
        if listener.position is None or listener.position >= self._position:
            return []
        rows = await self._journal.read(listener.position)
        return [row for row in rows if row.position <= self._position]

    async def _piece_of(self, rows: Sequence[JournalRow], listener: Listener) -> bytes:
        if not rows or listener.audience is None:
            return b""
        notifications = await self._changes.visible_changes(rows, listener.audience, {})
        return b"".join(self._render(one) for one in notifications if listener.feed_filter.include(one))

    def _render(self, notification: ChangeNotification) -> bytes:
        return event_piece(notification, self._changes.types, self._options.queue // 2)

    async def _follow(self) -> None:
        while True:
            self._awake.clear()
            try:
                async with self._turn:
                    await self._read_new()
                self._out_of_reach = False
            except ServiceUnavailable as error:
                if not self._out_of_reach:
                    logger.warning("Cannot read changes: %s", reason_of(error))
                self._out_of_reach = True
                await asyncio.sleep(_TICK_SECONDS)
            except Exception:
                logger.exception("Cannot send events; all listeners can reconnect")
                self._end(self._listeners)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._awake.wait(), POLL_SECONDS)

    async def _read_new(self) -> None:
        """Read new changes and send them to live listeners."""
        while True:
            rows = await self._journal.read(self._position)
            if rows:
                await self._publish(rows)
                self._position = rows[-1].position
            if len(rows) < MOST_READ:
                return

    async def _publish(self, rows: Sequence[JournalRow]) -> None:
        await self._check_those_changed(rows)
        looks: Looks = {}
        audiences = {id(one.audience): one.audience for one in self._listeners if one.is_live and one.audience}
        rendered = {key: await self._rendered(rows, audience, looks) for key, audience in audiences.items()}
        for listener in tuple(self._listeners):
            if not listener.is_live:
                continue
            for one, piece in rendered.get(id(listener.audience), ()):
                if listener.feed_filter.include(one) and not listener.push(piece):
                    logger.info("Disconnected a listener at %s because it reads too slowly", listener.address)
                    break

    async def _rendered(
        self, rows: Sequence[JournalRow], audience: Audience, looks: Looks
    ) -> list[tuple[ChangeNotification, bytes]]:
        return [(one, self._render(one)) for one in await self._changes.visible_changes(rows, audience, looks)]

    # Permissions of listeners

    async def _check_those_changed(self, rows: Iterable[JournalRow]) -> None:
        """Check permissions again before sending later changes, if users, roles or permissions have changed."""
        changed = {(row.change.uid, row.change.id) for row in rows if row.change.uid in REMEMBERED_TYPES}
        if not changed:
            return
        self._authenticator.invalidate()
        users = {entry_id for uid, entry_id in changed if uid == USER}
        concerns_all = any(uid != USER for uid, _ in changed)
        await self._check(
            one
            for one in tuple(self._listeners)
            if concerns_all or (one.actor.kind == "user" and one.actor.id in users)
        )

    async def _check(self, listeners: Iterable[Listener]) -> None:
        for listener in listeners:
            if listener.is_over:
                continue
            try:
                actor = await self._authenticator.authenticate(listener.authorization)
                check_feed_filter(listener.feed_filter, actor, self._changes)
            except UnauthorizedError:
                listener.disconnect("unauthorized")
            except ForbiddenError:
                listener.disconnect("forbidden")
            else:
                if actor.ability.key != listener.actor.ability.key:
                    self._place(listener, actor)
        self._drop_audiences()

    async def _tick(self) -> None:
        """Once a second, check listeners with expired credentials and a part of all others."""
        number = 0
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            number += 1
            listeners, now = tuple(self._listeners), self._clock.wall()
            turn = listeners[number % self._options.heartbeat :: self._options.heartbeat]
            due = [one for one in listeners if one.ends_at <= now or one.actor.kind == "administrator"]
            try:
                await self._check((*due, *turn))
            except ServiceUnavailable:
                continue  # the database cannot be read, so nothing is sent either
            for one in turn:
                if one.is_live:
                    one.push(heartbeat(self._position))

    def _end(self, listeners: Iterable[Listener]) -> None:
        for listener in tuple(listeners):
            listener.end()


def check_feed_filter(feed_filter: FeedFilter, actor: Actor, changes: VisibleChanges) -> None:
    """Raise ForbiddenError for requested types that the actor cannot read, or if it can read none at all."""
    may = [changes.may_find(uid, actor.ability) for uid in feed_filter.types or changes.types]
    if not (all(may) if feed_filter.types is not None else any(may)):
        raise ForbiddenError
