"""What is measured, and how: the median time of a call, calls a second, and the memory of Python a call takes."""

import gc
import inspect
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

BATCH_SECONDS = 0.001
"""Calls are timed in batches of at least this time, so that the clock costs nothing."""

Call = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Bench:
    """Something to measure. `call` may answer an awaitable; `before` is called before it, and not measured."""

    stop: str
    name: str
    call: Call
    before: Call | None = None
    few: bool = False
    """Takes long: three times have to be enough."""

    @property
    def title(self) -> str:
        return f"{self.stop}: {self.name}"


@dataclass(frozen=True, slots=True)
class Measured:
    """What came out, for one call."""

    median_us: float
    calls_per_second: float
    peak_kb: float


async def once(bench: Bench) -> Any:
    """Call it a single time; what it answers."""
    if bench.before is not None:
        await _result(bench.before())
    return await _result(bench.call())


async def measure(bench: Bench, seconds: float) -> Measured:
    """Measure for about that time."""
    await once(bench)  # what is made once and kept is not measured
    gc.collect()
    gc.disable()
    try:
        times = await (_few(bench) if bench.few else _many(bench, seconds))
    finally:
        gc.enable()
    return Measured(median(times) * 1e6, 1 / median(times), await _peak(bench))


async def _few(bench: Bench) -> list[float]:
    return [await _batch(bench, 1) for _ in range(3)]


async def _many(bench: Bench, seconds: float) -> list[float]:
    calls = 1
    while bench.before is None and await _batch(bench, calls) * calls < BATCH_SECONDS:
        calls *= 2
    until = perf_counter() + seconds
    times = [await _batch(bench, calls)]
    while perf_counter() < until:
        times.append(await _batch(bench, calls))
    return times


async def _batch(bench: Bench, calls: int) -> float:
    """The time of one call, in seconds."""
    if bench.before is not None:
        await _result(bench.before())
    call = bench.call
    if inspect.iscoroutinefunction(call):
        start = perf_counter()
        for _ in range(calls):
            await call()
    else:
        start = perf_counter()
        for _ in range(calls):
            call()
    return (perf_counter() - start) / calls


async def _peak(bench: Bench) -> float:
    """How much memory a call has at most, in kB; what the database takes is not seen."""
    tracemalloc.start()
    try:
        await once(bench)
        if bench.before is not None:
            await _result(bench.before())
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        await _result(bench.call())
        return (tracemalloc.get_traced_memory()[1] - before) / 1024
    finally:
        tracemalloc.stop()


async def _result(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
