"""Pool: a bounded set of connections, each used by one caller at a time. Waiting callers are served first come, first
served; after the pool's patience they get `ServiceUnavailable`.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Generic, TypeVar

from octavo.core.errors import ServiceUnavailable
from octavo.core.values import dataclass

ConnectionT = TypeVar("ConnectionT")


@dataclass(frozen=True, slots=True)
class PoolUse:
    """The use of a pool: open and `idle` connections, the maximum, callers waiting now, how often callers had to wait,
    and the total waiting time in seconds."""

    size: int
    idle: int
    maximum: int
    waiting: int
    waits: int
    waited: float


class Pool(Generic[ConnectionT]):
    """Connections are opened when needed, up to `maximum`, and then reused.

    Every acquired connection must be returned with `release` or, if it is unusable, with `discard`. Idle connections
    that are `special` are lent last, or first to callers that want them.
    """

    def __init__(
        self,
        open_connection: Callable[[], Awaitable[ConnectionT]],
        close_connection: Callable[[ConnectionT], Awaitable[None]],
        is_closed: Callable[[ConnectionT], bool],
        maximum: int,
        patience: float,
        is_special: Callable[[ConnectionT], bool] | None = None,
    ) -> None:
        self._open_connection = open_connection
        self._close_connection = close_connection
        self._is_closed = is_closed
        self._maximum = maximum
        self._patience = patience
        self._is_special = is_special
        self._size = 0
        self._idle: list[ConnectionT] = []
        self._special: list[ConnectionT] = []
        # A waiter gets a connection, or None: the permission to open one.
        self._waiters: deque[asyncio.Future[ConnectionT | None]] = deque()
        self._waits = 0
        self._waited = 0.0
        self._closing = False
        self._returned = asyncio.Event()

    async def acquire(self, patience: float | None = None, *, special: bool = False) -> ConnectionT:
        """Return an idle connection, else a new one, else the next one to be released. `special`: see `take_idle`."""
        connection = self.take_idle(special=special)
        if connection is not None:
            return connection
        seconds = self._patience if patience is None else patience
        try:
            async with asyncio.timeout(seconds):
                return await self._open_or_wait()
        except TimeoutError as error:
            busy = f"none of {self._maximum} connections to the database came free in {seconds:g} s"
            raise ServiceUnavailable(reason=busy) from error

    def use(self) -> PoolUse:
        """Return the pool's use."""
        idle = len(self._idle) + len(self._special)
        return PoolUse(self._size, idle, self._maximum, len(self._waiters), self._waits, self._waited)

    def take_idle(self, *, special: bool = False) -> ConnectionT | None:
        """Return an idle connection if there is one, without waiting: preferably a special one, or one that is not."""
        first, second = (self._special, self._idle) if special else (self._idle, self._special)
        while idle := first or second:
            connection = idle.pop()
            if not self._is_closed(connection):
                return connection
            self._size -= 1
        return None

    def release(self, connection: ConnectionT) -> None:
        """Return a connection to the pool."""
        if self._is_closed(connection):
            self.discard()
        elif not self._serve(connection):
            is_special = self._is_special is not None and self._is_special(connection)
            (self._special if is_special else self._idle).append(connection)
            self._returned.set()

    def discard(self) -> None:
        """Remove a closed connection from the pool."""
        if not self._serve(None):
            self._size -= 1
            self._returned.set()

    async def open_early(self, number: int) -> None:
        """Open connections in advance, so that the first callers need not wait for them.

        Raises ServiceUnavailable; connections opened by then stay in the pool.
        """
        connections: list[ConnectionT] = []
        try:
            while len(connections) < number:
                connections.append(await self.acquire())
        finally:
            for connection in connections:
                self.release(connection)

    def take_all_idle(self) -> list[ConnectionT]:
        """Remove all idle connections from the pool and return them. The caller closes them."""
        idle, self._idle, self._special = [*self._idle, *self._special], [], []
        self._size -= len(idle)
        return idle

    async def close(self, patience: float) -> None:
        """Stop lending connections, wait for those in use, and close all."""
        self._closing = True
        try:
            async with asyncio.timeout(patience):
                while self._size:
                    self._returned.clear()
                    for connection in self.take_all_idle():
                        await self._close_connection(connection)
                    if self._size:
                        await self._returned.wait()
        except TimeoutError:
            pass  # connections still in use stay open until the process ends

    async def _open_or_wait(self) -> ConnectionT:
        if self._closing:
            raise ServiceUnavailable(reason="the database is being closed")
        if self._size < self._maximum:
            self._size += 1
        else:
            connection = await self._wait()
            if connection is not None:
                return connection
        try:
            return await self._open_connection()
        except BaseException:
            self.discard()
            raise

    async def _wait(self) -> ConnectionT | None:
        waiter: asyncio.Future[ConnectionT | None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        self._waits += 1
        began = monotonic()
        try:
            return await waiter
        except BaseException:
            if waiter.done() and not waiter.cancelled():
                self._pass_on(waiter.result())  # it got a connection just as it gave up
            else:
                with contextlib.suppress(ValueError):
                    self._waiters.remove(waiter)
            raise
        finally:
            self._waited += monotonic() - began

    def _pass_on(self, connection: ConnectionT | None) -> None:
        if connection is None:
            self.discard()
        else:
            self.release(connection)

    def _serve(self, connection: ConnectionT | None) -> bool:
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(connection)
                return True
        return False
