"""Holding SQLite's one writer: a transaction that pauses between its statements while others wait is undone.

Only one transaction may write. One that waits for something else (a service that a project's code asks, a storage, a
hash) would refuse everybody behind it when their patience ends. So who keeps others waiting for longer than a pause may
be gives way, and they do not; with nobody waiting it may take as long as it likes. Statements are no pauses: they have
a time limit of their own.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from octavo.database.sqlite_connection import SqliteConnection

DEPENDED_SECONDS: Final = 0.1
"""How long the pauses of a transaction may be whose end others await that are done and cannot be committed before."""
_LEAST_SECONDS: Final = 0.005
"""How soon a hold is looked at again."""
_LATE_SECONDS: Final = 0.05
"""How late a look is that has waited for the loop."""


class WriterHold:
    """One transaction's time with the connection that writes.

    `lost` is what to raise instead of a statement once the hold was taken away; the connection is another's then.
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
        """Whether a statement runs."""
        return self._busy

    @property
    def paused(self) -> float:
        """Seconds of all pauses since the last call of `count_pauses`."""
        return self._paused if self._busy else self._paused + time.monotonic() - self._since

    def forgive(self, seconds: float) -> None:
        """Leave seconds out in which the transaction could not have gone on."""
        self._paused -= seconds

    def count_pauses(self) -> None:
        """Count pauses from now on: somebody has begun to wait."""
        self._paused = 0.0
        self._since = time.monotonic()

    def check(self) -> None:
        """Raise what the transaction was taken away with."""
        if self.lost is not None:
            raise self.lost

    def begin_statement(self) -> None:
        """End a pause. Raises what the transaction was taken away with."""
        if self.lost is not None:
            raise self.lost
        self._paused += time.monotonic() - self._since
        self._busy = True

    def end_statement(self) -> None:
        """Begin a pause."""
        self._busy = False
        self._since = time.monotonic()


class HoldWatch:
    """Takes the writer from a transaction that keeps others waiting by pauses of more than `longest_pause` seconds."""

    def __init__(self, longest_pause: float) -> None:
        self._longest_pause = longest_pause
        self._waiting = 0
        self._hold: WriterHold | None = None
        self._take_away: Callable[[], None] = lambda: None
        self._depended = False
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, hold: WriterHold, take_away: Callable[[], None], *, depended: bool = False) -> None:
        """Watch a hold; `depended` when others that are done await its end."""
        self._hold = hold
        self._take_away = take_away
        self._depended = depended
        self._arm()

    def end(self) -> None:
        """Watch no more: the transaction is over."""
        self._hold = None

    def close(self) -> None:
        """Watch nothing any more: the database closes."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def add_waiting(self) -> None:
        """Somebody begins to wait for the writer."""
        self._waiting += 1
        if self._waiting == 1 and self._hold is not None and not self._depended:
            self._hold.count_pauses()
        self._arm()

    def remove_waiting(self) -> None:
        """Somebody waits no more, in whatever way that ended."""
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
        self._timer = loop.call_at(when, self._look)

    def _allowed(self) -> float:
        return min(self._longest_pause, DEPENDED_SECONDS) if self._depended else self._longest_pause

    def _look(self) -> None:
        timer, self._timer, hold = self._timer, None, self._hold
        if hold is None or not (self._waiting or self._depended):
            return
        late = 0.0 if timer is None else asyncio.get_running_loop().time() - timer.when()
        if late > _LATE_SECONDS:
            hold.forgive(late)  # the loop was held up, and with it the transaction
        if hold.is_busy or hold.paused < self._allowed():
            self._arm()
        else:
            self._hold = None
            self._take_away()
