"""Watchdog: ends statements that will never be answered, because the server is no longer there and nobody said so: the
network swallows everything, a proxy holds the line without a server behind it, the server's machine is frozen.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

_SECONDS = 1.0


class Terminable(Protocol):
    """A connection that can be ended without asking the other side."""

    def terminate(self) -> None:
        """End it; whoever waits for an answer is told that the connection is lost."""


class Watchdog:
    """Looks once a second whether a statement has been running for longer than that; if so, asks `is_server_there`."""

    def __init__(self, is_server_there: Callable[[], Awaitable[bool]]) -> None:
        self._is_server_there = is_server_there
        self._begun: dict[Terminable, float] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to watch."""
        self._task = asyncio.get_running_loop().create_task(self._watch())

    async def stop(self) -> None:
        """Watch no more."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def begin(self, connection: Terminable) -> None:
        """A statement begins on a connection."""
        self._begun[connection] = time.monotonic()

    def end(self, connection: Terminable) -> None:
        """The statement is over, in whatever way."""
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
