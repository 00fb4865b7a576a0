"""Run work in threads: blocking calls, and computations that would block the event loop for too long."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, TypeVar
from weakref import WeakSet

T = TypeVar("T")

MOST_COMPUTED_HERE: Final = 16 * 1024
"""Bytes of a body that are processed in the event loop: parsing, validation and rows take a few milliseconds each."""

Work = Callable[[], Any]


class ThreadContext:
    """A hook that wraps work before it runs in a thread, for example to carry a trace context."""

    carried: Callable[[Work], Work] | None = None


CARRYING: Final = ThreadContext()

_COMPUTING: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="octavo-computing")
"""A single thread, so that expensive requests run one after another and leave half of the processor time to others:
the interpreter switches between two threads every few milliseconds."""


class _WithContext(ThreadPoolExecutor):
    """Runs work in a copy of the submitting context, like `asyncio.to_thread`."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return super().submit(copy_context().run, fn, *args, **kwargs)


_CARRIES: Final[WeakSet[asyncio.AbstractEventLoop]] = WeakSet()


def carry_context() -> None:
    """Make `loop.run_in_executor(None, ...)` of the running loop run in a copy of the current context.

    Project code in such a thread then has the same caller as the code that started it.
    """
    loop = asyncio.get_running_loop()
    if loop not in _CARRIES:
        _CARRIES.add(loop)
        loop.set_default_executor(_WithContext(thread_name_prefix="asyncio"))


def is_cancelled() -> bool:
    """Return whether the current task is being cancelled. If not, code has raised CancelledError without a request."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no event loop in this thread
        return False
    return task is not None and task.cancelling() > 0


async def in_thread(work: Callable[[], T], executor: Executor | None = None) -> T:
    """Run blocking work. A cancelled caller waits for it, so that nothing continues in the background."""
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
    """Run CPU-bound work. A cancelled caller waits for it.

    The work must not use objects that other code may change in the meantime.
    """
    return await in_thread(work, _COMPUTING)


async def compute(work: Callable[[], T], size: int, most_here: int = MOST_COMPUTED_HERE) -> T:
    """Run work that depends on the `size` of an input: here for up to `most_here` bytes, else in a thread.

    See `in_computing_thread`.
    """
    return work() if size <= most_here else await in_computing_thread(work)
