"""Wait for the database at a start: it may be down, out of connections, or locked by another program."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeVar

from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.operations.runtime.prepare_database import DatabaseUnavailable

logger = logging.getLogger(__name__)
T = TypeVar("T")

_PAUSES: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between attempts. The last pause repeats."""


class WaitObserver(Protocol):
    """Informs others while the start waits."""

    async def waiting(self, reason: str, pause: float) -> None:
        """Handle a failed attempt. The next one follows after `pause` seconds."""

    async def finished(self) -> None:
        """Handle the end of the wait, which can have failed."""


class _NoObserver:
    async def waiting(self, reason: str, pause: float) -> None:
        pass

    async def finished(self) -> None:
        pass


class StartWait:
    """How long a start repeats attempts that fail because of the database: `seconds`, or without limit if None."""

    def __init__(
        self, seconds: float | None, *, pauses: Sequence[float] = _PAUSES, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self.observer: WaitObserver = _NoObserver()
        self._seconds = seconds
        self._pauses = pauses
        self._clock = clock
        self._since: float | None = None
        self._failures = 0

    async def until_available(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Return the result of an attempt. Raises DatabaseUnavailable of the last one when the time is over.

        All attempts of a start share its time, which begins with the first failure.
        """
        while True:
            try:
                return await attempt()
            except DatabaseUnavailable as error:
                pause = self._next_pause()
                if pause is None:
                    raise
                logger.warning("%s; the start continues to wait%s and tries again in %g s", error, self._rest(), pause)
                await self.observer.waiting(str(error), pause)
                await asyncio.sleep(pause)

    async def __aenter__(self) -> None:
        """Begin the attempts of a start."""

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the wait. Log how long it took, if the start had to wait."""
        if self._since is not None and kind is None:
            logger.info("The database is available after %.0f s", self._clock.steady() - self._since)
        self._since, self._failures = None, 0
        await self.observer.finished()

    def _next_pause(self) -> float | None:
        """Return the seconds until the next attempt, or None if there is no time left."""
        now = self._clock.steady()
        if self._since is None:
            self._since = now
        pause = self._pauses[min(self._failures, len(self._pauses) - 1)]
        self._failures += 1
        if self._seconds is None:
            return pause
        left = self._since + self._seconds - now
        return min(pause, left) if left > 0 else None

    def _rest(self) -> str:
        if self._seconds is None or self._since is None:
            return ""
        return f" for up to {max(0.0, self._since + self._seconds - self._clock.steady()):.0f} s"
