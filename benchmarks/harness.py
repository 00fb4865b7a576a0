"""Measure the median time of a call, calls per second, and the memory that a call takes in Python."""

import gc
import inspect
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

BATCH_SECONDS = 0.001
"""Calls are timed in batches of at least this time, so that reading the clock costs little."""

Call = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Bench:
    """A function to measure. `call` may return an awaitable. `before` is called before each call, unmeasured."""

    stage: str
    name: str
    call: Call
    before: Call | None = None
    few: bool = False
    """Whether it takes long, so that three calls must be enough."""

    @property
    def title(self) -> str:
        return f"{self.stage}: {self.name}"


@dataclass(frozen=True, slots=True)
class Measured:
    """The measurements of one function, per call."""

    median_us: float
    calls_per_second: float
    peak_kb: float


async def once(bench: Bench) -> Any:
    """Call the function once and return its result."""
    if bench.before is not None:
        await _result(bench.before())
    return await _result(bench.call())


async def measure(bench: Bench, seconds: float) -> Measured:
    """Measure for about this time."""
    await once(bench)  # fill the caches first
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
    """Return the time of one call in seconds."""
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
    """Return the peak memory of a call in kB, without the memory of the database."""
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
