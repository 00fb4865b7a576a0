"""Time limit for SQLite's single writer: a transaction that pauses between its statements while others wait is rolled
back.

Only one transaction can write. If it waits for something else (an external service, a file upload, a password hash),
all others would fail once their patience ends. So a transaction that keeps others waiting for too long is rolled back;
with no one waiting, it may take any time. Running statements are not pauses: they have a separate time limit.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from octavo.database.sqlite_connection import SqliteConnection

DEPENDED_SECONDS: Final = 0.1
"""Maximum pause of a transaction if others are finished and depend on its end for their commit."""
_LEAST_SECONDS: Final = 0.005
"""Minimum interval of the checks."""
_LATE_SECONDS: Final = 0.05
"""Delay of a check that shows that the event loop was blocked."""


class WriterUse:
    """One transaction's use of the connection that writes.

    `lost` is the error to raise instead of running a statement after the connection was taken away.
    """

    __slots__ = ("_busy", "_paused", "_since", "connection", "lost")

    def __init__(self, connection: SqliteConnection) -> None:
        self.connection = connection
        self.lost: Exception | None = None
        self._busy = False
        self._paused = 0.0
        self._since = time.monotonic()

    @property
    def is_busy(self) -> bool:
        """Return whether a statement is running."""
        return self._busy

    @property
    def paused(self) -> float:
        """Seconds of all pauses since the last call of `count_pauses`."""
        return self._paused if self._busy else self._paused + time.monotonic() - self._since

    def exclude_time(self, seconds: float) -> None:
        """Exclude time in which the transaction could not have continued."""
        self._paused -= seconds

    def count_pauses(self) -> None:
        """Count pauses from now on, because another transaction has started to wait."""
        self._paused = 0.0
        self._since = time.monotonic()

    def check(self) -> None:
        """Raise the error that the transaction was rolled back with, if any."""
        if self.lost is not None:
            raise self.lost

    def begin_statement(self) -> None:
        """End a pause. Raises the error that the transaction was rolled back with, if any."""
        if self.lost is not None:
            raise self.lost
        self._paused += time.monotonic() - self._since
        self._busy = True

    def end_statement(self) -> None:
        """Start a pause."""
        self._busy = False
        self._since = time.monotonic()


class WriterTimeLimit:
    """Rolls back a transaction that keeps others waiting by pauses of more than `longest_pause` seconds."""

    def __init__(self, longest_pause: float) -> None:
        self._longest_pause = longest_pause
        self._waiting = 0
        self._hold: WriterUse | None = None
        self._take_away: Callable[[], None] = lambda: None
        self._depended = False
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, hold: WriterUse, take_away: Callable[[], None], *, depended: bool = False) -> None:
        """Watch a hold. `depended`: finished transactions await its end."""
        self._hold = hold
        self._take_away = take_away
        self._depended = depended
        self._arm()

    def end(self) -> None:
        """Stop watching the current transaction, which has ended."""
        self._hold = None

    def close(self) -> None:
        """Stop watching, because the database closes."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def add_waiting(self) -> None:
        """Record that a transaction has started to wait for the writer."""
        self._waiting += 1
        if self._waiting == 1 and self._hold is not None and not self._depended:
            self._hold.count_pauses()
        self._arm()

    def remove_waiting(self) -> None:
        """Record that a transaction has stopped waiting, for whatever reason."""
        self._waiting -= 1

    def _arm(self) -> None:
        if self._hold is None or not (self._waiting or self._depended):
            return
        loop = asyncio.get_running_loop()
        when = loop.time() + max(self._allowed() - self._hold.paused, _LEAST_SECONDS)
        if self._timer is not None:
            if self._timer.when() <= when:
                return
            self._timer.cancel()
        self._timer = loop.call_at(when, self._check_pause)

    def _allowed(self) -> float:
        return min(self._longest_pause, DEPENDED_SECONDS) if self._depended else self._longest_pause

    def _check_pause(self) -> None:
        timer, self._timer, hold = self._timer, None, self._hold
        if hold is None or not (self._waiting or self._depended):
            return
        late = 0.0 if timer is None else asyncio.get_running_loop().time() - timer.when()
        if late > _LATE_SECONDS:
            hold.exclude_time(late)  # the event loop was blocked, and so was the transaction
        if hold.is_busy or hold.paused < self._allowed():
            self._arm()
        else:
            self._hold = None
            self._take_away()
