"""Write log lines in a thread, so that a slow or broken reader never blocks the service.

Waiting lines are bounded in bytes. Lines that do not fit, or cannot be written, are dropped and counted.
"""

import os
import select
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import Final

_MOST_WAITING: Final = 8 * 1024**2
"""Bytes of lines that can wait."""

_Item = tuple[int, bytes] | threading.Event


class LogWriter:
    """Writes to file descriptors, in order, in a daemon thread that starts with the first line."""

    def __init__(self, most_waiting: int = _MOST_WAITING) -> None:
        self._most_waiting = most_waiting
        self.dropped = 0
        """Number of lines that were not written."""
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        """Begin without lines. A forked process has neither the thread nor its lines."""
        self._lock = threading.Lock()
        self._queue: SimpleQueue[_Item] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._put = 0
        self._taken = 0

    def write(self, descriptor: int, text: str) -> bool:
        """Write text soon. Return False if it is dropped because too much waits."""
        data = text.encode("utf-8", "backslashreplace")
        with self._lock:
            if self._put - self._taken + len(data) > self._most_waiting or not self._is_running():
                self.dropped += 1
                return False
            self._put += len(data)
            self._queue.put((descriptor, data))
        return True

    def keeps_up(self) -> bool:
        """Return whether less than half of the lines that can wait do."""
        return self._put - self._taken < self._most_waiting / 2

    def flush(self, seconds: float) -> bool:
        """Wait until all lines are written, up to a time limit. Return whether they are."""
        if self._thread is None:
            return True
        written = threading.Event()
        self._queue.put(written)
        return written.wait(seconds)

    def _is_running(self) -> bool:
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="octavo-log", daemon=True)
            with suppress(RuntimeError):  # the interpreter is ending
                thread.start()
                self._thread = thread
        return self._thread is not None

    def _run(self) -> None:
        queue = self._queue
        while True:
            item = queue.get()
            if isinstance(item, threading.Event):
                item.set()
                continue
            descriptor, data = item
            try:
                _write_all(descriptor, data)
            except OSError:  # no reader, or no space
                self.dropped += 1
            self._taken += len(data)


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:
            select.select((), (descriptor,), ())


LOG_WRITER: Final = LogWriter()
"""The writer of this process."""
