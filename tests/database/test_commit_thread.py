"""The thread that commits: order, errors, and callers or loops that have ended."""

import asyncio
import gc
import weakref
from functools import partial
from threading import Event, current_thread

import pytest

from octavo.database.group_commit import CommitThread

pytestmark = pytest.mark.anyio


async def test_work_runs_in_order_in_one_thread() -> None:
    thread = CommitThread("commits")
    ran: list[tuple[int, str]] = []

    def run(number: int) -> None:
        ran.append((number, current_thread().name))

    await asyncio.gather(*(thread.run(partial(run, number)) for number in range(20)))
    thread.close()
    assert ran == [(number, "commits") for number in range(20)]


async def test_an_error_reaches_the_caller_and_the_thread_continues() -> None:
    thread = CommitThread("commits")
    with pytest.raises(ZeroDivisionError):
        await thread.run(_fail)
    await thread.run(lambda: None)
    thread.close()


async def test_a_cancelled_caller_does_not_stop_the_work() -> None:
    thread, may_end, ended = CommitThread("commits"), Event(), Event()
    waiting = thread.run(partial(_wait, may_end, ended))
    waiting.cancel()
    may_end.set()
    await thread.run(lambda: None)
    thread.close()
    assert ended.is_set()


def test_work_ends_though_its_loop_is_closed() -> None:
    thread, may_end, ended = CommitThread("commits"), Event(), Event()

    async def leave() -> None:
        thread.run(partial(_wait, may_end, ended))

    asyncio.run(leave())
    may_end.set()
    assert ended.wait(10)

    async def use_again() -> None:
        await thread.run(lambda: None)

    asyncio.run(use_again())
    thread.close()


async def test_finished_work_is_freed() -> None:
    class Owner:
        def work(self) -> None:
            """Do nothing."""

    thread, owner = CommitThread("commits"), Owner()
    known = weakref.ref(owner)
    await thread.run(owner.work)
    await thread.run(lambda: None)
    del owner
    gc.collect()
    thread.close()
    assert known() is None


def _fail() -> None:
    raise ZeroDivisionError


def _wait(may_end: Event, ended: Event) -> None:
    may_end.wait(10)
    ended.set()
