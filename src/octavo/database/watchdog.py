"""Watchdog: terminates statements that never get a response because the server is gone without notice: the network
drops all packets, a proxy holds the connection without a server, or the server's machine is frozen.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

_SECONDS = 1.0


class Terminable(Protocol):
    """A connection that can be terminated without contacting the server."""

    def terminate(self) -> None:
        """Terminate it. A waiting caller gets the error of a lost connection."""


class Watchdog:
    """Checks once a second for statements that run longer than that; if there are any, calls `is_server_there`."""

    def __init__(self, is_server_there: Callable[[], Awaitable[bool]]) -> None:
        self._is_server_there = is_server_there
        self._begun: dict[Terminable, float] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start watching."""
        self._task = asyncio.get_running_loop().create_task(self._watch())

    async def stop(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def begin(self, connection: Terminable) -> None:
        """Record that a statement starts on a connection."""
        self._begun[connection] = time.monotonic()

    def end(self, connection: Terminable) -> None:
        """Record that the statement has ended."""
        del self._begun[connection]

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS)
            limit = time.monotonic() - _SECONDS
            waiting = [(connection, begun) for connection, begun in self._begun.items() if begun < limit]
            if waiting and not await self._is_server_there():
                self._terminate(waiting)

    def _terminate(self, waiting: list[tuple[Terminable, float]]) -> None:
        for connection, begun in waiting:
            if self._begun.get(connection) == begun:
                connection.terminate()
