"""Processes of the systems: start them, wait until they answer, and read their CPU time and memory."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import psutil  # type: ignore[import-untyped]

START_SECONDS = 120.0


class StartFailed(RuntimeError):
    """A system did not start."""


@dataclass(frozen=True, slots=True)
class Service:
    """A running system."""

    port: int
    pid: int


@contextmanager
def serving(
    command: Sequence[str | Path], folder: Path, variables: Mapping[str, str], port: int, ready: str
) -> Iterator[Service]:
    """Run a command until the block ends. It is ready when the path `ready` returns no error of the server.

    Its output is in `output.log` in the folder. Raises StartFailed.
    """
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    log = folder / "output.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            env={**environment, **variables},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait(process, f"http://127.0.0.1:{port}{ready}", log)
        yield Service(port, process.pid)
    finally:
        _stop(process)


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise StartFailed(f"{process.args!r} exited with {process.returncode}:\n{log.read_text('utf-8')[-2000:]}")
        if _answers(url):
            return
        time.sleep(0.1)
    raise StartFailed(f"no answer from {url} in {START_SECONDS:.0f} s:\n{log.read_text('utf-8')[-2000:]}")


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5):
            return True
    except HTTPError as error:
        return error.code < 500
    except OSError:
        return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the process and everything it started: they are in one session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


CpuTimes = dict[int, int]
"""Nanoseconds by process id."""


def cpu_times(pid: int | None) -> CpuTimes:
    """Return the CPU times of a process and its children. Short rounds need the precise times of the scheduler."""
    if pid is None:
        return {}
    root = psutil.Process(pid)
    return {process.pid: _cpu_nanoseconds(process.pid) for process in (root, *root.children(recursive=True))}


def spent_seconds(before: CpuTimes, after: CpuTimes) -> float:
    """Return the CPU time between two readings, without processes that exited in between."""
    return sum(time - before.get(pid, 0) for pid, time in after.items() if time >= before.get(pid, 0)) / 1e9


def _cpu_nanoseconds(pid: int) -> int:
    """Return the time of all threads, 0 for a process that has exited."""
    total = 0
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                total += int((thread / "schedstat").read_text("ascii").split()[0])
    return total


def peak_megabytes(pid: int) -> float:
    """Return the highest resident memory of a process and its children, in MB."""
    root = psutil.Process(pid)
    total = 0
    for process in (root, *root.children(recursive=True)):
        with suppress(OSError):
            status = Path(f"/proc/{process.pid}/status").read_text("ascii")
            total += next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return total / 1000
