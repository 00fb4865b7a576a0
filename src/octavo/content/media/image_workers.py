"""Run functions on image files in a few worker processes, with limits on time and memory.

    measured = await IMAGE_WORKERS.run(partial(prepare_file, path, mime, options))

A decoder can need seconds, hundreds of megabytes, or crash. In its own process it does none of this to the service: the
process is stopped at the limits, and the caller receives an `ApplicationError`. Functions limit the pixels themselves,
because only they know the file's kind.

Functions and their arguments and results are pickled. To keep decoders out of the service, import them inside the
function.
"""

import atexit
import logging
import os
import resource
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar

from octavo.content.media.image_errors import is_machine_error
from octavo.core.errors import ApplicationError, OctavoError, ServiceUnavailable
from octavo.core.threads import in_thread
from octavo.core.values import dataclass

logger = logging.getLogger(__name__)

T = TypeVar("T")

_PROGRAM: Final = "import sys; from octavo.content.media.image_workers import serve; serve(*map(int, sys.argv[1:]))"
_FAILED: Final = "The image cannot be processed. Save it again with another program"
_VARIABLES: Final = ("LD_", "DYLD_", "LC_", "LANG", "HOME", "PATH", "TMPDIR", "TZ")
"""Prefixes of the environment variables that workers receive: no passwords."""
_KILLS: Final = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
_PRIORITY: Final = 10
_SLOW_PRIORITY: Final = 19
_START_SECONDS: Final = 60
_CLOSING_SECONDS: Final = 5
_MEGABYTE: Final = 1 << 20
_CODE: Final = 20 * _MEGABYTE
"""Memory for the code of the interpreter and the decoders, which the limit of the data does not include."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Limits of the workers. Memory is in bytes, and times are in seconds.

    `at_once` functions run at the same time. One that takes longer than `slow_after` makes place for the next one,
    up to `slow` of them. An idle worker stops after `idle`, and one that needed more than `kept_memory` at once.
    """

    seconds: int = 30
    memory: int = 250 * _MEGABYTE
    at_once: int = 2
    slow: int = 2
    slow_after: float = 2.0
    idle: int = 20
    kept_memory: int = 120 * _MEGABYTE


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The result of a function, or its error; `peak` is the most memory that the worker ever needed, in bytes."""

    result: Any = None
    error: Exception | None = None
    traceback: str = ""
    peak: int = 0


class _WorkerLost(Exception):
    """The worker ended before its function."""

    def __init__(self, signal_number: int | None) -> None:
        super().__init__(f"a signal ended it: {signal_number}")
        self.was_killed = signal_number in _KILLS
        """Whether the system or an operator ended it, and not the image."""


class _TooSlow(Exception):
    """The function did not end in time."""


class _Worker:
    """One worker process, which runs one function at a time."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._connection, theirs = Pipe()
        descriptor = theirs.fileno()
        numbers = map(str, (descriptor, limits.memory, limits.seconds, limits.idle))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, *numbers],
            env=_environment(),
            pass_fds=(descriptor,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl+C is for the service, which waits for its requests
        )
        theirs.close()
        self.used = monotonic()
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        """Wait for the start, which does not count as time of a function. Raises OSError."""
        try:
            if not self._connection.poll(_START_SECONDS):
                raise TimeoutError("it does not start")
            self._connection.recv()
        except (EOFError, OSError) as error:
            self.stop()
            raise OSError(f"it ended at the start: {error}") from error

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def call(self, work: Callable[[], Any], limits: WorkerLimits, on_slow: Callable[[], None]) -> _Outcome:
        """Run a function. Calls `on_slow` if it takes long. Raises _TooSlow and _WorkerLost."""
        try:
            self._connection.send(work)
            if not self._connection.poll(min(limits.slow_after, limits.seconds)):
                with suppress(OSError):
                    os.setpriority(os.PRIO_PROCESS, self._process.pid, _SLOW_PRIORITY)
                on_slow()
                if not self._connection.poll(max(limits.seconds - limits.slow_after, 0)):
                    raise _TooSlow
            outcome: _Outcome = self._connection.recv()
        except (EOFError, OSError):
            raise _WorkerLost(self._signal()) from None
        finally:
            self.used = monotonic()
        return outcome

    def _signal(self) -> int | None:
        """Return the signal that ended the process, which is about to end if it has closed the connection."""
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(_CLOSING_SECONDS)
            return -code if code < 0 else None
        return None

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._connection.close()


class _Slot:
    """The right to run one function: first all of `wanted`, then one of the slots for slow functions."""

    def __init__(self, wanted: Sequence[threading.Semaphore], slow: threading.Semaphore) -> None:
        self._held, self._slow = wanted, slow
        self.is_slow = False

    def __enter__(self) -> "_Slot":
        for one in self._held:
            one.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._held:
            one.release()

    def make_place(self) -> None:
        """Let the next function run, unless too many slow ones are running."""
        self.is_slow = True
        if self._slow.acquire(blocking=False):
            self.__exit__()
            self._held = (self._slow,)


class ImageWorkers:
    """The worker processes of this process. They start on demand and stop when they are idle."""

    def __init__(self, limits: WorkerLimits | None = None) -> None:
        self._limits = limits or WorkerLimits()
        self._threads = ThreadPoolExecutor(self._limits.at_once + self._limits.slow, "octavo-images")
        self._heavy_threads = ThreadPoolExecutor(1 + self._limits.slow, "octavo-heavy-images")
        self._normal = threading.Semaphore(self._limits.at_once)
        self._heavy = threading.Semaphore(1)
        self._slow = threading.Semaphore(self._limits.slow)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []

    async def run(self, work: Callable[[], T], *, heavy: bool = False) -> T:
        """Run a function in a worker and return its result. A cancelled caller waits for it.

        `heavy`: it can need most of the memory, so others of this kind wait for it. They don't delay the rest.
        Raises the function's errors, ApplicationError at a limit, and ServiceUnavailable if no worker can start, if it
        is killed, or for errors of the machine such as a full disk.
        """
        threads = self._heavy_threads if heavy else self._threads
        return await in_thread(lambda: self.run_blocking(work, heavy=heavy), threads)

    def run_blocking(self, work: Callable[[], T], *, heavy: bool = False) -> T:
        """Run a function as `run` does, and block."""
        wanted = (self._heavy, self._normal) if heavy else (self._normal,)
        with _Slot(wanted, self._slow) as slot:
            worker = self._take()
            try:
                outcome = worker.call(work, self._limits, slot.make_place)
            except _TooSlow:
                worker.stop()
                raise self._too_slow() from None
            except _WorkerLost as error:
                worker.stop()
                if error.was_killed:
                    raise ServiceUnavailable(reason=f"a worker for images was stopped: {error}") from None
                raise ApplicationError(_FAILED) from None
            except BaseException:
                worker.stop()
                raise
            self._keep(worker, outcome, is_slow=slot.is_slow)
        result: T = self._result(outcome)
        return result

    def close(self) -> None:
        """Stop the idle workers."""
        with self._lock:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.stop()

    def _take(self) -> _Worker:
        """Return an idle worker, or a new one. Raises ServiceUnavailable."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive() and monotonic() - worker.used < self._limits.idle:
                    return worker
                worker.stop()
        try:
            return _Worker(self._limits)
        except OSError as error:
            raise ServiceUnavailable("Images cannot be processed", reason=f"no worker can start: {error}") from error

    def _keep(self, worker: _Worker, outcome: _Outcome, *, is_slow: bool) -> None:
        if is_slow or isinstance(outcome.error, MemoryError) or outcome.peak > self._limits.kept_memory:
            worker.stop()
            return
        with self._lock:
            self._idle.append(worker)

    def _result(self, outcome: _Outcome) -> Any:
        match outcome.error:
            case None:
                return outcome.result
            case OctavoError():
                raise outcome.error
            case OSError() as error if is_machine_error(error):
                raise ServiceUnavailable(reason="an image cannot be processed") from error
            case MemoryError():
                raise self._too_much_memory()
        logger.error("an image could not be processed:\n%s", outcome.traceback)
        raise ApplicationError(_FAILED)

    def _too_slow(self) -> ApplicationError:
        seconds = self._limits.seconds
        return ApplicationError(f"The image needs more than {seconds} seconds to process. Save it with fewer pixels")

    def _too_much_memory(self) -> ApplicationError:
        megabytes = self._limits.memory // _MEGABYTE
        return ApplicationError(f"The image needs more than {megabytes} MB of memory. Save it with fewer pixels")


def _environment() -> Mapping[str, str]:
    """Return the environment of a worker, which imports the same modules as this process."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(_VARIABLES)}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


# In the worker


def serve(descriptor: int, memory: int, seconds: int, idle: int) -> None:
    """Report the start, and run the functions that arrive at a connection until it is closed or idle for long."""
    _limit(memory)
    connection = Connection(descriptor)
    with suppress(EOFError, BrokenPipeError):
        connection.send(None)
        while connection.poll(2 * idle):
            signal.alarm(seconds + _CLOSING_SECONDS)  # ends this process if the service has been killed
            connection.send(_run(connection.recv))
            signal.alarm(0)


def _limit(memory: int) -> None:
    """Limit the memory of this process, and let the service run first."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (memory - _CODE,) * 2)
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, _PRIORITY)


def _run(receive: Callable[[], Callable[[], Any]]) -> _Outcome:
    try:
        result = receive()()
    except EOFError:
        raise
    except Exception as error:
        known = error if isinstance(error, OctavoError | OSError | MemoryError) else RuntimeError(str(error))
        return _Outcome(error=known.with_traceback(None), traceback=traceback.format_exc(), peak=_peak())
    return _Outcome(result, peak=_peak())


def _peak() -> int:
    """Return the most memory that this process ever needed, in bytes."""
    if sys.platform == "linux":  # there, `ru_maxrss` includes the process that started this one
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


IMAGE_WORKERS: Final = ImageWorkers()
"""The workers that all libraries of this process share."""
atexit.register(IMAGE_WORKERS.close)
