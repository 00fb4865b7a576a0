"""Work in threads: what blocks, and what computes for so long that the event loop should not wait for it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, TypeVar
from weakref import WeakSet

T = TypeVar("T")

MOST_COMPUTED_HERE: Final = 16 * 1024
"""Bytes of a body that are read, checked and made rows of without leaving the event loop: a few milliseconds each."""

Work = Callable[[], Any]


class Carrying:
    """Who has something to say to work before it goes into a thread: what it belongs to, as a rule nobody."""

    carried: Callable[[Work], Work] | None = None


CARRYING: Final = Carrying()

_COMPUTING: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="octavo-computing")
"""One thread, so that costly requests wait for one another and half of the processor's time is everybody else's: the
interpreter changes between two threads every few milliseconds."""


class _WithContext(ThreadPoolExecutor):
    """Runs work in a copy of the context in which it is handed over, as `asyncio.to_thread` does."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return super().submit(copy_context().run, fn, *args, **kwargs)


_CARRIES: Final[WeakSet[asyncio.AbstractEventLoop]] = WeakSet()


def carry_context() -> None:
    """Let `loop.run_in_executor(None, ...)` of the running loop carry the context into its thread.

    Code of a project in such a thread then has the same caller as the code that started it.
    """
    loop = asyncio.get_running_loop()
    if loop not in _CARRIES:
        _CARRIES.add(loop)
        loop.set_default_executor(_WithContext(thread_name_prefix="asyncio"))


def is_cancelled() -> bool:
    """Return whether somebody cancels the current task. Where nobody does, code has raised CancelledError itself."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # there is no event loop in this thread
        return False
    return task is not None and task.cancelling() > 0


async def in_thread(work: Callable[[], T], executor: Executor | None = None) -> T:
    """Run blocking work. A cancelled caller waits for it all the same: nothing is written behind its back."""
    carried = work if CARRYING.carried is None else CARRYING.carried(work)
    task: asyncio.Future[T] = asyncio.get_running_loop().run_in_executor(executor, carried)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                continue
        raise


async def in_computing_thread(work: Callable[[], T]) -> T:
    """Do work that takes the processor's time. A cancelled caller waits for it all the same.

    The work must touch nothing that somebody else may change meanwhile.
    """
    return await in_thread(work, _COMPUTING)


async def compute(work: Callable[[], T], size: int, most_here: int = MOST_COMPUTED_HERE) -> T:
    """Do work whose cost grows with the `size` of an input: here if it has at most `most_here` bytes, else in a thread.

    As for `in_computing_thread`.
    """
    return work() if size <= most_here else await in_computing_thread(work)
