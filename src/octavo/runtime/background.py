"""Background: what a process does besides answering: it delivers what is in the outbox, for the site in force."""

from octavo.events.delivery import Worker
from octavo.runtime.infrastructure import Infrastructure
from octavo.runtime.site import Site

GRACE_SECONDS = 2.0
"""What deliveries under way have at a stop. Those that take longer are delivered again, by others or the next start."""


class Background:
    """The work in the background for one site. When another site takes its place this ends, and that has its own."""

    def __init__(self, infrastructure: Infrastructure, site: Site) -> None:
        works = infrastructure.settings.server.background and site.topics
        shared = infrastructure
        self._worker = Worker(shared.database, shared.outbox, site.topics) if works else None

    def start(self) -> None:
        """Begin: the site is in force."""
        if self._worker is not None:
            self._worker.start()

    async def stop(self) -> None:
        """Take nothing more, and wait for what is under way, as long as it may take."""
        if self._worker is not None:
            await self._worker.stop(GRACE_SECONDS)
