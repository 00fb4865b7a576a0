"""Whether a process can take requests, and why not: it has not started, it is about to end, or its database is away."""

import asyncio
from collections.abc import Callable
from typing import Final

from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import report_outage
from octavo.database.connection import Database

_SECONDS: Final = 2.0
"""How long the database has for a sign of life."""
_KEPT_SECONDS: Final = 0.5
"""How long its last sign counts, or the lack of one, from when it is known: callers must not make it busy, nor wait for
more than one look."""


class Readiness:
    """Asked by whoever sends requests here."""

    def __init__(self, database: Callable[[], Database], clock: Clock = SYSTEM_CLOCK) -> None:
        self.started = False
        self.draining = False
        self._database = database
        self._clock = clock
        self._known: tuple[float, str | None] | None = None
        self._turn = asyncio.Lock()

    async def reasons(self) -> list[str]:
        """Why it is not ready, in words that tell nothing of the inside; nothing when it is."""
        reasons = [] if self.started else ["starting: the database is not up to date yet"]
        if self.draining:
            reasons.append("draining: the service is about to end")
        async with self._turn:
            if self._known is None or self._clock.steady() - self._known[0] >= _KEPT_SECONDS:
                reason = await self._look()
                self._known = self._clock.steady(), reason
        return [*reasons, *filter(None, [self._known[1]])]

    async def _look(self) -> str | None:
        try:
            async with asyncio.timeout(_SECONDS):
                await self._database().fetch_value("SELECT 1")
        except ServiceUnavailable as error:
            report_outage(error)
        except TimeoutError as error:
            outage = ServiceUnavailable(reason=f"the database gave no sign of life in {_SECONDS:g} s")
            outage.__cause__ = error
            report_outage(outage)
        else:
            return None
        return "database: it cannot be reached"
