"""Metrics of the process with the names that Prometheus client libraries use, and the build information.

With several workers, CPU, memory and descriptors add up, and the start time is that of the newest worker.
"""

import os
import platform
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from octavo import __version__
from octavo.operations.telemetry.samples import Family, Sample

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
