"""Metrics of a process. Requests only append their times; the histograms are updated several times a second.

Process metrics have the names that Prometheus client libraries use.
"""

import os
import platform
import resource
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from octavo import __version__
from octavo.api.http.observers import note_statement
from octavo.api.http.router import METHODS
from octavo.core.cache import CacheBudget
from octavo.core.counters import COUNTERS, JOB_SUCCESS, Counter
from octavo.core.log_writer import LOG_WRITER
from octavo.core.values import dataclass
from octavo.database.connection import Database, Watch
from octavo.database.request_coalescing import RequestCoalescer
from octavo.database.topology import ServerUse
from octavo.events.purging.queue import PurgeStatistics
from octavo.operations.telemetry.samples import Family, Histogram, Labels, Sample

_STATM: Final = Path("/proc/self/statm")
_STAT: Final = Path("/proc/self/stat")
_DESCRIPTORS: Final = (Path("/proc/self/fd"), Path("/dev/fd"))
_START_FIELD: Final = 19
"""The place of the start time in /proc/self/stat after the process's name."""


def resident_bytes() -> int:
    """Return the resident memory in bytes, or the maximum so far if the system does not report it."""
    pages = _memory_pages()
    if pages is not None:
        return pages[1] * resource.getpagesize()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def start_time() -> float:
    """Return when this process started, in seconds since 1970; now, if the system does not report it."""
    now = time.time()
    try:
        ticks = int(_STAT.read_text("ascii", "replace").rpartition(")")[2].split()[_START_FIELD])
        running = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (AttributeError, OSError, ValueError, IndexError):
        return round(now, 2)
    return round(now - running, 2)


def process_families(started: float) -> Iterator[Family]:
    """Yield the metrics of this process. `started` is its start time."""
    about = (("version", __version__), ("python", platform.python_version()))
    yield Family("octavo_build_info", "gauge", "Versions; the value is 1.", [("", about, 1)], "max")
    yield _single("process_start_time_seconds", "Start time of the newest worker.", started, "max")
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu: list[Sample] = [("", (), used.ru_utime + used.ru_stime)]
    yield Family("process_cpu_seconds_total", "counter", "CPU time, user and system.", cpu)
    yield _single("process_resident_memory_bytes", "Resident memory.", resident_bytes())
    pages = _memory_pages()
    yield _single("process_virtual_memory_bytes", "Virtual memory.", pages and pages[0] * resource.getpagesize())
    yield _single("process_open_fds", "Open file descriptors.", _open_descriptors())
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    yield _single(
        "process_max_fds", "Maximum of open file descriptors.", None if limit == resource.RLIM_INFINITY else limit
    )


def _single(name: str, text: str, value: float | None, joins: str = "sum") -> Family:
    """Return a gauge with one sample, or without any if the system does not report the value."""
    samples: list[Sample] = [] if value is None else [("", (), value)]
    return Family(name, "gauge", text, samples, "max" if joins == "max" else "sum")


def _memory_pages() -> tuple[int, int] | None:
    """Return the numbers of virtual and resident pages."""
    try:
        virtual, resident, *_ = _STATM.read_text("ascii").split()
        return int(virtual), int(resident)
    except (OSError, ValueError):
        return None


def _open_descriptors() -> int | None:
    for folder in _DESCRIPTORS:
        try:
            return sum(1 for _ in folder.iterdir()) - 1  # one is open to list them
        except OSError:
            continue
    return None


REQUEST_BOUNDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
STATEMENT_BOUNDS: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0)
LOOP_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
_NOTED_SECONDS: Final = 0.001
"""Shorter statements are not recorded for their request: that would cost more than counting them."""
_MOST_NOTED: Final = 1 << 16
"""Maximum number of times per kind until they are counted."""
_METHODS: Final = frozenset(METHODS)

_Key = tuple[str, str, int]


class _Noted(dict[_Key, deque[float]]):
    """Seconds of requests by kind, created on first use. Unknown methods count as one."""

    def __missing__(self, key: _Key) -> deque[float]:
        method, route, status = key
        known = key if method in _METHODS else ("other", route, status)
        return self.setdefault(known, deque(maxlen=_MOST_NOTED))


@dataclass(slots=True)
class Measures:
    """The metrics of one process. `database`, `caches` and `purges` return the current ones."""

    database: Callable[[], Database]
    caches: Callable[[], CacheBudget]
    running: Callable[[], int]
    purges: Callable[[], Sequence[PurgeStatistics]] = lambda: ()
    requests: dict[_Key, Histogram] = field(default_factory=dict)
    statements: Histogram = field(default_factory=lambda: Histogram(STATEMENT_BOUNDS))
    noted_requests: dict[_Key, deque[float]] = field(default_factory=_Noted)
    noted_statements: deque[float] = field(default_factory=lambda: deque(maxlen=_MOST_NOTED))
    loop_delay: Histogram = field(default_factory=lambda: Histogram(LOOP_BOUNDS))
    started: float = field(default_factory=start_time)

    def watch(self) -> Watch:
        """Return the observer of statements, which also records longer ones for their request."""
        return Watch(self.noted_statements.append, note_statement, _NOTED_SECONDS)

    def count(self) -> None:
        """Add the recorded times to the histograms."""
        for key, noted in self.noted_requests.items():
            if noted:
                self.requests.setdefault(key, Histogram(REQUEST_BOUNDS)).add_all(noted)
                noted.clear()
        self.statements.add_all(self.noted_statements)
        self.noted_statements.clear()

    def families(self) -> list[Family]:
        """Return all metrics with their current values."""
        self.count()
        return [
            *self._request_families(),
            *self._database_families(),
            *self._cache_families(),
            *self._purge_families(),
            *_counter_families(),
            *self._own_families(),
            *process_families(self.started),
        ]

    def _request_families(self) -> Iterator[Family]:
        counted: list[Sample] = []
        routes: dict[Labels, Histogram] = {}
        for (method, route, status), times in tuple(self.requests.items()):
            labels = (("method", method), ("route", route))
            counted.append(("", (*labels, ("status", str(status))), sum(times.counts)))
            routes.setdefault(labels, Histogram(REQUEST_BOUNDS)).join(times)
        timed = [sample for labels, times in routes.items() for sample in times.samples(labels)]
        yield Family("octavo_requests_total", "counter", "Completed requests.", counted)
        yield Family("octavo_request_seconds", "histogram", "Duration of requests.", timed)
        yield Family("octavo_requests_running", "gauge", "Running requests.", [("", (), self.running())])

    def _database_families(self) -> Iterator[Family]:
        yield Family(
            "octavo_statement_seconds",
            "histogram",
            "Duration of statements, including waits.",
            self.statements.samples(),
        )
        pools = self.database().pools()
        held: list[Sample] = []
        for name, one in pools.items():
            held.append(("", (("pool", name), ("state", "used")), one.size - one.idle))
            held.append(("", (("pool", name), ("state", "idle")), one.idle))
        yield Family("octavo_pool_connections", "gauge", "Open database connections.", held)
        most: list[Sample] = [("", (("pool", name),), one.maximum) for name, one in pools.items()]
        yield Family("octavo_pool_connections_limit", "gauge", "Maximum database connections.", most)
        waiting: list[Sample] = [("", (("pool", name),), one.waiting) for name, one in pools.items()]
        yield Family("octavo_pool_waiting", "gauge", "Requests that wait for a connection.", waiting)
        waited: list[Sample] = [("", (("pool", name),), one.waits) for name, one in pools.items()]
        yield Family("octavo_pool_waits_total", "counter", "Number of waits for a connection.", waited)
        seconds: list[Sample] = [("", (("pool", name),), one.waited) for name, one in pools.items()]
        yield Family("octavo_pool_wait_seconds_total", "counter", "Duration of waits for a connection.", seconds)
        text = "Reads answered by request coalescing."
        yield Family("octavo_reads_joined_total", "counter", text, [("", (), RequestCoalescer.joined)])
        yield from _server_families(self.database().servers())

    def _cache_families(self) -> Iterator[Family]:
        reports = self.caches().reports()
        asked: list[Sample] = []
        for one in reports:
            asked.append(("", (("cache", one.name), ("found", "yes")), one.hits))
            asked.append(("", (("cache", one.name), ("found", "no")), one.misses))
        held: list[Sample] = [("", (("cache", one.name),), one.size) for one in reports]
        yield Family("octavo_cache_bytes", "gauge", "Size of caches.", held)
        yield Family("octavo_cache_bytes_limit", "gauge", "Maximum size of caches.", [("", (), self.caches().limit)])
        yield Family("octavo_cache_requests_total", "counter", "Cache lookups.", asked)

    def _purge_families(self) -> Iterator[Family]:
        requests: list[Sample] = []
        for one in self.purges():
            requests.append(("", (("cache", one.name), ("outcome", "sent")), one.sent))
            requests.append(("", (("cache", one.name), ("outcome", "failed")), one.failed))
        yield Family("octavo_purge_requests_total", "counter", "Purge requests.", requests)

    def _own_families(self) -> Iterator[Family]:
        delay = self.loop_delay.samples()
        yield Family("octavo_loop_delay_seconds", "histogram", "Delay of the event loop.", delay)
        memory: list[Sample] = [("", (), resident_bytes())]
        yield Family("octavo_memory_bytes", "gauge", "Memory of workers, including shared memory.", memory)
        yield Family("octavo_workers", "gauge", "Workers that respond.", [("", (), 1)])
        dropped: list[Sample] = [("", (), LOG_WRITER.dropped)]
        yield Family("octavo_log_lines_dropped_total", "counter", "Log lines that were not written.", dropped)


def _counter_families() -> Iterator[Family]:
    for one in COUNTERS:
        yield Family(one.name, "counter", one.help, _counted(one))
    yield Family(JOB_SUCCESS.name, "gauge", JOB_SUCCESS.help, _counted(JOB_SUCCESS), "max")


def _counted(counter: Counter) -> list[Sample]:
    return [("", tuple(zip(counter.labels, values, strict=True)), v) for values, v in counter.values.items()]


def _server_families(servers: Sequence[ServerUse]) -> Iterator[Family]:
    """Yield the metrics of replicas, without samples if there are none."""
    replicas = servers[1:]
    used: list[Sample] = [("", (("server", one.name),), int(one.used)) for one in replicas]
    yield Family("octavo_replica_used", "gauge", "Whether Octavo reads from a replica.", used, "max")
    late: list[Sample] = [("", (("server", one.name),), one.seconds) for one in replicas]
    yield Family("octavo_replica_lag_seconds", "gauge", "Maximum age of a replica's data.", late, "max")
    size: list[Sample] = [("", (("server", one.name),), one.size) for one in replicas if one.size is not None]
    yield Family("octavo_replica_lag_bytes", "gauge", "Replication lag of a replica in its log.", size, "max")
    reads: list[Sample] = [("", (("server", one.name),), one.reads) for one in servers]
    yield Family("octavo_content_reads_total", "counter", "Reads that can use replicas, by server.", reads)
    failed: list[Sample] = [("", (("server", one.name),), one.failed) for one in replicas]
    yield Family("octavo_replica_failures_total", "counter", "Reads that the primary repeated.", failed)
