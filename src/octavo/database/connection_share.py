"""One request's share in the connections: however much it reads at once, others find connections free.

A share holds for whatever is begun inside `request_share`, in other tasks too. Only reads outside transactions count:
each comes to its end by itself, so nobody who has a place ever waits for another one.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Final

_MOST: Final = 4
_PART: Final = 4

_places: ContextVar[asyncio.Semaphore | None] = ContextVar("octavo_places_of_request", default=None)
"""The places of this request; None where nothing is to be counted: outside a share, and inside a place."""


def share_of(connections: int) -> int:
    """Tell how many of so many connections one request may hold at once: a quarter, at least one, at most four."""
    return max(1, min(connections // _PART, _MOST))


@contextmanager
def request_share(connections: int) -> Iterator[None]:
    """Let the reads begun inside hold at most the share of one request in so many connections."""
    token = _places.set(asyncio.Semaphore(share_of(connections)))
    try:
        yield
    finally:
        _places.reset(token)


def is_shared() -> bool:
    """Whether a read has to take a place first."""
    return _places.get() is not None


@asynccontextmanager
async def place() -> AsyncIterator[None]:
    """Wait for a place of this request, and hold it; what is read inside needs no further one."""
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
