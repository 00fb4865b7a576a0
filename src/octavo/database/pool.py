"""Pool: a bounded set of connections, lent one at a time. Who has to wait is served in the order of coming, and waits
no longer than the pool's patience: then `ServiceUnavailable`.
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
    """How a pool fares: connections open and `idle`, how many there may be, who waits now, how often somebody had to
    wait, and for how many seconds together."""

    size: int
    idle: int
    maximum: int
    waiting: int
    waits: int
    waited: float


class Pool(Generic[ConnectionT]):
    """Connections are opened when needed, up to `maximum`, and then kept.

    Every connection taken must come back by `release` or, when it is no longer of use, by `discard`.
    """

    def __init__(
        self,
        open_connection: Callable[[], Awaitable[ConnectionT]],
        close_connection: Callable[[ConnectionT], Awaitable[None]],
        is_closed: Callable[[ConnectionT], bool],
        maximum: int,
        patience: float,
    ) -> None:
        self._open_connection = open_connection
        self._close_connection = close_connection
        self._is_closed = is_closed
        self._maximum = maximum
        self._patience = patience
        self._size = 0
        self._idle: list[ConnectionT] = []
        # A waiter is given a connection, or None: the place of one, to open it itself.
        self._waiters: deque[asyncio.Future[ConnectionT | None]] = deque()
        self._waits = 0
        self._waited = 0.0
        self._closing = False
        self._returned = asyncio.Event()

    async def acquire(self, patience: float | None = None) -> ConnectionT:
        """An idle connection, else a new one, else the next one to come back."""
        connection = self.take_idle()
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
        """Tell how it fares."""
        return PoolUse(self._size, len(self._idle), self._maximum, len(self._waiters), self._waits, self._waited)

    def take_idle(self) -> ConnectionT | None:
        """An idle connection if there is one, without any waiting."""
        while self._idle:
            connection = self._idle.pop()
            if not self._is_closed(connection):
                return connection
            self._size -= 1
        return None

    def release(self, connection: ConnectionT) -> None:
        """Give a connection back."""
        if self._is_closed(connection):
            self.discard()
        elif not self._serve(connection):
            self._idle.append(connection)
            self._returned.set()

    def discard(self) -> None:
        """Give back the place of a connection that has been closed."""
        if not self._serve(None):
            self._size -= 1
            self._returned.set()

    async def open_early(self, number: int) -> None:
        """Have this many connections open, so that the first callers need not wait for them.

        Raises ServiceUnavailable; what is open by then is idle.
        """
        connections: list[ConnectionT] = []
        try:
            while len(connections) < number:
                connections.append(await self.acquire())
        finally:
            for connection in connections:
                self.release(connection)

    def take_all_idle(self) -> list[ConnectionT]:
        """The connections that nobody uses; they are the pool's no longer, the caller closes them."""
        idle, self._idle = self._idle, []
        self._size -= len(idle)
        return idle

    async def close(self, patience: float) -> None:
        """Lend nothing any more, wait for what is lent, close everything."""
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
            pass  # whoever still holds a connection keeps it until the process ends

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
                self._pass_on(waiter.result())  # served at the very moment of giving up
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
