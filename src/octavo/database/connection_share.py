"""Limits of connections: how many one request uses at once, and how many prepared statements each holds.

The limit applies to everything that starts inside `request_share`, including other tasks. Only reads outside
transactions count: each finishes without needing another connection, so there are no deadlocks.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Final

_MOST: Final = 4
_PART: Final = 4

_places: ContextVar[asyncio.Semaphore | None] = ContextVar("octavo_places_of_request", default=None)
"""The request's connection slots; None if nothing is counted: outside a share, and while holding a slot."""


def share_of(connections: int) -> int:
    """Return how many of `connections` one request may use at once: a quarter, at least one, at most four."""
    return max(1, min(connections // _PART, _MOST))


@contextmanager
def request_share(connections: int) -> Iterator[None]:
    """Limit the reads inside the block to one request's share of `connections`."""
    token = _places.set(asyncio.Semaphore(share_of(connections)))
    try:
        yield
    finally:
        _places.reset(token)


def is_shared() -> bool:
    """Return whether a read has to acquire a slot first."""
    return _places.get() is not None


@asynccontextmanager
async def place() -> AsyncIterator[None]:
    """Acquire a slot of this request; reads inside the block need no further one."""
    places = _places.get()
    if places is None:
        yield
        return
    async with places:
        token = _places.set(None)
        try:
            yield
        finally:
            _places.reset(token)


MOST_TEXT: Final = 512 * 1024
"""Bytes of text of the statements that one connection has prepared: about forty of the longest that clients use."""


class StatementTexts:
    """The texts that a connection has prepared since it last discarded them. Texts over `largest` are not cached."""

    def __init__(self, largest: int, most: int = MOST_TEXT) -> None:
        self._largest = largest
        self._most = most
        self._known: set[int] = set()
        self._size = 0

    def overflow(self, text: str, times: int = 1) -> bool:
        """Count a text, `times` times; return whether the connection has to discard its statements before it."""
        key = hash(text)
        if key in self._known or len(text) > self._largest:
            return False
        size = len(text) * times
        self._known.add(key)
        self._size += size
        if self._size <= self._most:
            return False
        self._known, self._size = {key}, size
        return True
