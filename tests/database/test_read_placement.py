"""Which reads run in the event loop, and the memory for their measurements."""

import asyncio
import tracemalloc

import pytest

from octavo.database.read_placement import (
    LOOP_SECONDS,
    MEMORY_SECONDS,
    MOST,
    QUICK_SECONDS,
    SHORT_SECONDS,
    FairLock,
    Place,
    ReadDuration,
    ReadPlacement,
)


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_read_runs_in_the_loop_unless_announced_as_long() -> None:
    reads = ReadPlacement()
    assert reads.place("short", long=False) is Place.HERE
    assert reads.place("long", long=True) is Place.THREAD


def test_a_slow_read_stays_in_the_thread_for_a_while() -> None:
    reads = ReadPlacement(clock := Clock())
    reads.note_late("late")
    assert reads.place("late", long=False) is Place.THREAD
    assert reads.place("other", long=False) is Place.HERE
    clock.seconds = MEMORY_SECONDS
    assert reads.place("late", long=False) is Place.HERE


def test_a_read_announced_as_long_that_is_not() -> None:
    reads = ReadPlacement()
    reads.note_time("slow", ReadDuration(QUICK_SECONDS, 1))
    reads.note_time("quick", ReadDuration(QUICK_SECONDS / 2, 1))
    reads.note_time("short", ReadDuration(SHORT_SECONDS / 2, 1))
    places = [reads.place(text, long=True) for text in ("slow", "quick", "short")]
    assert places == [Place.THREAD, Place.IN_TURN, Place.HERE]
    reads.note_late("quick")
    assert reads.place("quick", long=True) is Place.THREAD


def test_a_read_slowed_by_the_machine_returns_to_the_loop() -> None:
    reads = ReadPlacement(Clock())
    quick, computing, waiting = (
        ReadDuration(0.0, 0.0),
        ReadDuration(QUICK_SECONDS, 0.0),
        ReadDuration(0.0, LOOP_SECONDS),
    )
    for took, is_late in ((quick, False), (computing, True), (waiting, True)):
        reads.note_late("read")
        reads.note_time("read", took, is_late)
        assert reads.place("read", long=False) is Place.THREAD
    reads.note_time("read", quick, is_late=True)
    assert reads.place("read", long=False) is Place.HERE


def test_slow_reads_expire() -> None:
    reads = ReadPlacement(clock := Clock())
    for number in range(1000):
        reads.note_late(f"SELECT {number}")
        clock.seconds += MEMORY_SECONDS / 10
    assert len(reads) == 10


def test_a_repeated_slow_read_renews_its_expiry() -> None:
    reads = ReadPlacement(clock := Clock())
    reads.note_late("again")
    clock.seconds = MEMORY_SECONDS / 2
    reads.note_late("other")
    reads.note_late("again")
    clock.seconds = MEMORY_SECONDS
    reads.note_late("one more")
    assert reads.place("again", long=False) is Place.THREAD


def test_memory_is_bounded() -> None:
    reads = ReadPlacement(Clock())
    tracemalloc.start()
    try:
        for number in range(3 * MOST):
            text = f"SELECT {number} -- {'x' * 10_000}"
            reads.note_time(text, ReadDuration(0.0, 0.0))
            reads.note_late(text + "late")
        assert len(reads) <= 2 * MOST
        assert tracemalloc.get_traced_memory()[0] < 2 * 1024**2
    finally:
        tracemalloc.stop()


@pytest.mark.anyio
async def test_other_tasks_run_between_turns() -> None:
    turns, done = FairLock(), list[str]()

    async def read(name: str) -> None:
        await turns.turn()
        done.append(name)
        asyncio.get_running_loop().call_soon(done.append, f"after {name}")

    await asyncio.gather(read("a"), read("b"), read("c"))
    await read("d")
    assert done == ["a", "after a", "b", "after b", "c", "after c", "d"]


@pytest.mark.anyio
@pytest.mark.parametrize("steps", range(1, 5))
async def test_a_cancelled_read_passes_its_turn_on(steps: int) -> None:
    turns, done = FairLock(), list[str]()

    async def read(name: str) -> None:
        await turns.turn()
        done.append(name)

    tasks = [asyncio.ensure_future(read(name)) for name in "abc"]
    for _ in range(steps):
        await asyncio.sleep(0)
    tasks[1].cancel()
    await asyncio.wait(tasks)
    assert [name for name in done if name != "b"] == ["a", "c"]
    await asyncio.wait_for(read("d"), 60)
