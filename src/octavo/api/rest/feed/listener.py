"""Listeners of the change feed: a connection, its filters and its queue."""

import asyncio
from collections.abc import Callable
from math import inf
from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.content.controllers.change_notifications import Audience, ChangeNotification
from octavo.core.values import dataclass
from octavo.events.journal import Position
from octavo.query.ast import PublicationState

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
