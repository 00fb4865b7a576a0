"""Background tasks: keep references to running tasks, and log their failures."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

logger = logging.getLogger(__name__)
T = TypeVar("T")


class BackgroundTasks:
    """Tasks that run in the background."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            logger.debug("Background work failed", exc_info=error)

    async def drain(self) -> None:
        await asyncio.gather(*self._running, return_exceptions=True)

    async def cancel(self) -> None:
        for task in self._running:
            task.cancel()
        await self.drain()
