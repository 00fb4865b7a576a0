"""Observations of the soak: latency, memory, open files, connections and processor time, and whether they are stable.

The trend of a series is its Theil-Sen slope (the median of the slopes of all pairs, which outliers do not affect). Over
the whole series, it may be at most a share of the median, or a small absolute value. Latency and processor time count
only in calm minutes: in the others, requests that do nothing took longer too, so the machine was busy. Fewer than five
calm minutes give no verdict.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from statistics import median

import psutil  # type: ignore[import-untyped]

LEAST_POINTS = 5
YARDSTICK = "nothing"
"""The kind of request that does nothing."""
WARM_SECONDS = 120.0
"""The first seconds of a process do not count, while caches fill and the allocator grows."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The service at one moment: seconds since the beginning, bytes, counts. `life` distinguishes processes."""

    at: float
    life: int
    memory: int
    files: int
    connections: int
    processor: float


@dataclass(slots=True)
class Minute:
    """The latencies of a minute without faults, in milliseconds."""

    times: list[float] = field(default_factory=list)
    yardstick: list[float] = field(default_factory=list)
    failed: int = 0
    broken: set[str] = field(default_factory=set)

    def percentile(self, share: float) -> float:
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0

    @property
    def idle(self) -> float:
        """Return the latency of requests that do nothing."""
        return median(self.yardstick) if self.yardstick else 0.0


@dataclass(slots=True)
class Watch:
    """All observations. `pid` is the process of the service."""

    began: float = field(default_factory=time.monotonic)
    pid: int = 0
    life: int = 0
    samples: list[Sample] = field(default_factory=list)
    minutes: defaultdict[int, Minute] = field(default_factory=lambda: defaultdict(Minute))
    kinds: Counter[str] = field(default_factory=Counter)
    _broken: list[str] = field(default_factory=list)

    def elapsed(self) -> float:
        return time.monotonic() - self.began

    @property
    def minute(self) -> Minute:
        return self.minutes[int(self.elapsed() // 60)]

    @property
    def is_broken(self) -> bool:
        return bool(self._broken)

    @contextmanager
    def breaking(self, name: str) -> Iterator[None]:
        """Mark a block in which requests may fail and latency does not count."""
        self._broken.append(name)
        try:
            with self.noting(name):
                yield
        finally:
            self._broken.remove(name)

    @contextmanager
    def noting(self, name: str) -> Iterator[None]:
        """Record a block with its minutes, if it completes."""
        begun = self.minute
        yield
        for minute in (begun, self.minute):
            minute.broken.add(name)

    def see(self, kind: str, seconds: float) -> None:
        self.kinds[kind] += 1
        if not self._broken:
            (self.minute.yardstick if kind == YARDSTICK else self.minute.times).append(seconds * 1000)

    def see_failure(self, kind: str) -> None:
        self.kinds[f"{kind} failed"] += 1
        self.minute.failed += 1

    def begin_life(self, pid: int) -> None:
        """Observe a new process of the service from now on."""
        self.pid, self.life = pid, self.life + 1

    def sample(self) -> None:
        """Observe the service, if it is running."""
        with suppress(psutil.Error):
            processes = [root := psutil.Process(self.pid), *root.children(recursive=True)]
            self.samples.append(
                Sample(
                    self.elapsed(),
                    self.life,
                    sum(one.memory_info().rss for one in processes),
                    sum(one.num_fds() for one in processes),
                    sum(len(one.net_connections("all")) for one in processes),
                    sum(one.cpu_times().user + one.cpu_times().system for one in processes),
                )
            )

    def verdicts(self) -> list["Verdict"]:
        """Return the verdicts of the longest-lived process, without its first minutes."""
        by_life: defaultdict[int, list[Sample]] = defaultdict(list)
        for one in self.samples:
            by_life[one.life].append(one)
        longest = max(by_life.values(), key=len, default=[])
        kept = [one for one in longest if one.at > longest[0].at + WARM_SECONDS]
        calm = self._calm()
        return [
            verdict("memory, MB", [(one.at, one.memory / 1e6) for one in kept], share=0.1, least=5),
            verdict("open files", [(one.at, one.files) for one in kept], share=0.1, least=8),
            verdict("connections", [(one.at, one.connections) for one in kept], share=0.1, least=8),
            verdict("processor ms a request", self._processor(), share=0.1, least=0.5),
            verdict("p50, ms", [(at, one.percentile(0.5)) for at, one in calm], share=0.25, least=2),
            verdict("p99, ms", [(at, one.percentile(0.99)) for at, one in calm], share=0.5, least=20),
        ]

    def _quiet(self) -> Iterator[tuple[float, Minute]]:
        """Return complete minutes without faults, except the first ones."""
        for number, one in sorted(self.minutes.items()):
            if number * 60 >= WARM_SECONDS and len(one.times) >= 30 and not one.broken:
                yield number * 60.0, one

    def _calm(self) -> list[tuple[float, Minute]]:
        quiet = [*self._quiet()]
        least = min((one.idle for _, one in quiet), default=0.0)
        return [(at, one) for at, one in quiet if one.idle <= 2 * least + 1]

    def _processor(self) -> list[tuple[float, float]]:
        """Return the processor time per request of a minute in milliseconds, including background work."""
        found = []
        for at, minute in self._calm():
            seen = [one for one in self.samples if at <= one.at < at + 60]
            if len(seen) > 1 and seen[0].life == seen[-1].life:
                share = (seen[-1].at - seen[0].at) / 60
                requests = (len(minute.times) + len(minute.yardstick)) * share
                found.append((at, (seen[-1].processor - seen[0].processor) * 1000 / requests))
        return found


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one series: its median, its trend over the whole series, and the allowed trend."""

    name: str
    median: float
    first: float
    last: float
    growth: float
    allowed: float
    points: int

    @property
    def is_told(self) -> bool:
        """Whether there are enough values for a verdict."""
        return self.points >= LEAST_POINTS

    @property
    def is_flat(self) -> bool:
        return not self.is_told or self.growth <= self.allowed


def verdict(name: str, series: Sequence[tuple[float, float]], *, share: float, least: float) -> Verdict:
    """Return the verdict: a series is stable if it grows by at most a share of its median, or by very little."""
    if not series:
        return Verdict(name, 0, 0, 0, 0, least, 0)
    middle = median(value for _, value in series)
    growth = slope(series) * (series[-1][0] - series[0][0])
    return Verdict(name, middle, series[0][1], series[-1][1], growth, max(share * middle, least), len(series))


def slope(series: Sequence[tuple[float, float]], most: int = 400) -> float:
    """Return the Theil-Sen slope of at most `most` points, evenly chosen."""
    step = max(1, len(series) // most)
    points = series[::step]
    slopes = [
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for index, earlier in enumerate(points)
        for later in points[index + 1 :]
        if later[0] > earlier[0]
    ]
    return median(slopes) if slopes else 0.0
