"""Replaced sites: close a site, and its infrastructure if that was replaced as well, after its last response."""

import logging
from collections.abc import Callable
from contextlib import AsyncExitStack

from octavo.api.http.application import HttpApplication
from octavo.api.http.dispatcher import Dispatcher
from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.events.purging.purges import Purges
from octavo.operations.runtime.background import Background
from octavo.operations.runtime.infrastructure import Infrastructure
from octavo.operations.runtime.site import Site
from octavo.operations.runtime.tasks import BackgroundTasks

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReplacedSite:
    """A site that was replaced. `infrastructure` is None if its successor uses the same one."""

    dispatcher: Dispatcher
    site: Site
    background: Background
    infrastructure: Infrastructure | None


class ReplacedSites:
    """Closes replaced sites in the background, and purges CDNs and reverse proxies with the current `purges`.

    `databases` are those that are still open.
    """

    def __init__(self, purges: Callable[[], Purges]) -> None:
        self._purges = purges
        self.databases: list[Database] = []
        self._closing = BackgroundTasks()

    def retire(self, replaced: ReplacedSite, application: HttpApplication) -> None:
        """Close a site after its last response."""
        if replaced.infrastructure is not None:
            self.databases.append(replaced.infrastructure.database)
        self._closing.start(self._close(replaced, application))

    async def closed(self) -> None:
        """Wait until all replaced sites are closed."""
        await self._closing.drain()

    async def _close(self, replaced: ReplacedSite, application: HttpApplication) -> None:
        try:
            async with AsyncExitStack() as stack:  # each step runs even if an earlier one fails
                if replaced.infrastructure is not None:
                    stack.callback(self.databases.remove, replaced.infrastructure.database)
                    stack.push_async_callback(replaced.infrastructure.close)
                stack.push_async_callback(replaced.site.close)
                stack.push_async_callback(self._purge)
                stack.push_async_callback(application.drain, replaced.dispatcher)
                stack.callback(application.end_live, replaced.dispatcher)
                await replaced.background.stop()
        except Exception:
            logger.exception("Could not close the previous version of the site")

    async def _purge(self) -> None:
        try:
            await self._purges().purge()
        except ServiceUnavailable as error:
            logger.warning("Could not purge CDNs and reverse proxies after a reload: %s", reason_of(error))
