"""A service that observes itself, for `benchmarks.hostile`: `python -m benchmarks.hostile_service PROJECT PORT`.

It answers each line of input with a line of JSON: the longest delay of the event loop since the last line, and the peak
memory.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

from octavo.operations.runtime.process import Process
from octavo.operations.runtime.server import serve
from octavo.settings import load_settings

_PAUSE = 0.001
_HIGHEST = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")
_running: set[asyncio.Task[None]] = set()


class Probe:
    """Wakes up every millisecond and records the delay, as far as this process used the processor: other programs delay
    it too."""

    def __init__(self) -> None:
        self._longest = 0.0

    async def run(self) -> None:
        while True:
            start, used = perf_counter(), process_time()
            await asyncio.sleep(_PAUSE)
            late = min(perf_counter() - start - _PAUSE, process_time() - used)
            self._longest = max(self._longest, late)

    def tell(self) -> None:
        sys.stdin.buffer.readline()
        told = {"stall": self._longest * 1000, **memory()}
        self._longest = 0.0
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


def memory() -> dict[str, float]:
    """Return the resident memory now, and the peak since the last call, in megabytes."""
    lines = dict(line.split(":", 1) for line in _STATUS.read_text("ascii").splitlines())
    _HIGHEST.write_text("5", "ascii")
    return {name: int(lines[key].split()[0]) / 1024 for name, key in (("peak", "VmHWM"), ("now", "VmRSS"))}


def watched(service: Process) -> Callable[[], None]:
    """Start to observe, when the service is ready."""

    def begin() -> None:
        probe = Probe()
        _running.add(asyncio.get_running_loop().create_task(probe.run()))
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), probe.tell)
        sys.stdout.write("ready\n")
        sys.stdout.flush()

    return begin


def main(project: Path, port: int) -> None:
    settings = load_settings(project, dict(os.environ), mode="production")
    placed = replace(settings, server=replace(settings.server, host="127.0.0.1", port=port))
    serve(placed, lambda: placed, watched)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
