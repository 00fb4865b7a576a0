"""The thread that commits SQLite transactions and passes results to the event loop with one call.

An executor's future has a lock and callbacks, which take longer than the rest of a small write in Python.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

_Task = tuple[Callable[[], None], "asyncio.Future[None]"]


class CommitThread:
    """Runs tasks one after another in a dedicated thread, which starts with the first task."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._thread: Thread | None = None

    def run(self, work: Callable[[], None]) -> "asyncio.Future[None]":
        """Run the work. Returns a future of the running loop, which raises what the work raises."""
        done = asyncio.get_running_loop().create_future()
        if self._thread is None:
            self._thread = Thread(target=_run_tasks, args=(self._tasks,), name=self._name, daemon=True)
            self._thread.start()
        self._tasks.put((work, done))
        return done

    def close(self) -> None:
        """End the thread after its current work."""
        if self._thread is not None:
            self._thread = None
            self._tasks.put(None)


def _run_tasks(tasks: "SimpleQueue[_Task | None]") -> None:
    while (task := tasks.get()) is not None:
        work, done = task
        error: BaseException | None = None
        try:
            work()
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the loop is closed: no caller waits
            done.get_loop().call_soon_threadsafe(_settle, done, error)
        del task, work, done, error  # otherwise they would be referenced until the next task


def _settle(done: "asyncio.Future[None]", error: BaseException | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
