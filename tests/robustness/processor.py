"""The processor time of a running service: what its work costs, whatever else the machine does meanwhile."""

from collections.abc import Callable

import psutil  # type: ignore[import-untyped]

Clock = Callable[[], float]


def clock_of(pid: int) -> Clock:
    """The seconds of processor time that a process and its present children have used, to 10 ms."""
    process = psutil.Process(pid)
    family = [process, *process.children(recursive=True)]

    def used() -> float:
        times = [member.cpu_times() for member in family]
        return float(sum(time.user + time.system for time in times))

    return used
