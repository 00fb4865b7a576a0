"""Background: what a process does besides answering: it delivers what is in the outbox, for the site in force."""

import asyncio
import logging
import random
from typing import Final

from octavo.errors import ServiceUnavailable
from octavo.events.delivery import Worker
from octavo.events.journal_sweep import sweep_journal
from octavo.outage_log import reason_of
from octavo.runtime.infrastructure import Infrastructure
from octavo.runtime.site import Site

logger = logging.getLogger(__name__)

_SWEEP_SECONDS: Final = 60.0

GRACE_SECONDS = 2.0
"""What deliveries under way have at a stop. Those that take longer are delivered again, by others or the next start."""


class Background:
    """The work in the background for one site. When another site takes its place this ends, and that has its own."""

    def __init__(self, infrastructure: Infrastructure, site: Site) -> None:
        works = infrastructure.settings.server.background and site.topics
        shared = infrastructure
        self._worker = Worker(shared.database, shared.outbox, site.topics) if works else None
        self._infrastructure = infrastructure
        self._sweeping: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin: the site is in force."""
        if self._worker is not None:
            self._worker.start()
        if self._infrastructure.journal is not None and self._infrastructure.settings.server.background:
            self._sweeping = asyncio.get_running_loop().create_task(_sweep(self._infrastructure))

    async def stop(self) -> None:
        """Take nothing more, and wait for what is under way, as long as it may take."""
        if self._sweeping is not None:
            self._sweeping.cancel()
            await asyncio.wait((self._sweeping,))
        if self._worker is not None:
            await self._worker.stop(GRACE_SECONDS)


async def _sweep(infrastructure: Infrastructure) -> None:
    """Sweep the journal of changes again and again; each process does it, at moments of its own."""
    events = infrastructure.settings.api.events
    while True:
        await asyncio.sleep(_SWEEP_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        try:
            await sweep_journal(infrastructure.database, events.keep, events.keep_bytes)
        except ServiceUnavailable as error:
            logger.warning("Old changes are not removed yet: %s", reason_of(error))
        except Exception:
            logger.exception("Old changes cannot be removed")
