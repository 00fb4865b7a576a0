"""Blocking work in threads, for coroutines that may be cancelled while it goes on."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T], executor: Executor | None = None) -> T:
    """Run blocking work. A cancelled caller waits for it all the same: nothing is written behind its back."""
    task = asyncio.get_running_loop().run_in_executor(executor, work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                continue
        raise
