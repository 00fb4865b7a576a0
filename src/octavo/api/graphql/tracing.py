"""Apollo tracing: the duration of each stage of an operation, in `extensions.tracing`."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from octavo.core.values import dataclass

PARSING: Final = "parsing"
VALIDATION: Final = "validation"
EXECUTION: Final = "execution"


@dataclass(frozen=True, slots=True)
class TraceClock:
    """The clock of traces: seconds since 1970, and nanoseconds of a monotonic clock."""

    wall: Callable[[], float] = time.time
    steady: Callable[[], int] = time.perf_counter_ns


class Trace:
    """The stages of one operation. Stages that a cached document skips have a duration of 0."""

    def __init__(self, clock: TraceClock) -> None:
        self._clock = clock
        self._started_at = clock.wall()
        self._start = clock.steady()
        self._stages: dict[str, dict[str, Any]] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure the duration of a block."""
        start = self._clock.steady()
        try:
            yield
        finally:
            self._stages[name] = {"startOffset": start - self._start, "duration": self._clock.steady() - start}

    def add_to(self, answer: bytes) -> bytes:
        """Add the times so far to a response, which is a JSON object."""
        spared = {"startOffset": 0, "duration": 0}
        duration = self._clock.steady() - self._start
        tracing = {
            "version": 1,
            "startTime": _instant(self._started_at),
            "endTime": _instant(self._started_at + duration / 1e9),
            "duration": duration,
            **{name: self._stages.get(name, spared) for name in (PARSING, VALIDATION)},
            EXECUTION: {**self._stages.get(EXECUTION, spared), "resolvers": []},
        }
        return b'%b,"extensions":{"tracing":%b}}' % (answer[:-1], orjson.dumps(tracing))


def stage(trace: Trace | None, name: str) -> AbstractContextManager[None]:
    """Measure the duration of a block, if tracing is enabled."""
    return _UNTRACED if trace is None else trace.stage(name)


_UNTRACED: Final = nullcontext()


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
