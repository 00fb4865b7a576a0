"""Background work of a process for the current site.

Delivers the outbox, polls the database for changes, creates declared indexes, schedules future entries and cleans the
change journal.
"""

import asyncio
import logging
import math
import random
import time
from collections.abc import Coroutine
from contextlib import suppress
from contextvars import Context
from typing import Any, Final

from octavo.content.controllers.scheduling import ContentSchedules
from octavo.content.media.file_privacy import FilePrivacy
from octavo.content.media.private_file_mover import PrivateFileMover
from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.database.connection import Database
from octavo.database.declared_indexes import declares_indexes, make_declared_indexes
from octavo.database.leader_election import Leadership
from octavo.database.maintained_counts import CountMaintenance
from octavo.database.substring_indexes import SubstringIndexMaintenance
from octavo.database.version_keeper import VersionTracker
from octavo.events.journal import sweep_journal
from octavo.events.outbox_worker import OutboxWorker
from octavo.events.webhooks.store import Webhooks
from octavo.operations.runtime.infrastructure import Infrastructure, open_account_guard
from octavo.operations.runtime.options import hides_future, maintains_counts
from octavo.operations.runtime.site import Site
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_NO_PERMISSION: Final = "42501"
"""PostgreSQL's code if the role may not do something: no fault of the program, so no stack trace."""

GRACE_SECONDS: Final = 2.0
"""Time that running deliveries have at a stop. Later ones are delivered again, by other processes or the next start."""
_SWEEP_SECONDS: Final = 60.0
_WEBHOOK_SECONDS: Final = 2.0
_LARGEST_JOURNAL: Final = 16 * 1024**2
"""Maximum bytes of stored events, about 200 each."""
_TOTALS_SECONDS: Final = 1.0
_COMPARED_EVERY: Final = 3600.0
_FOLLOW_SECONDS: Final = 1.0


class Background:
    """The background work of one site. It ends when another site replaces this one."""

    def __init__(self, infrastructure: Infrastructure, site: Site, *, polls: bool = True) -> None:
        self._shared = infrastructure
        self._polls = polls
        self._works = infrastructure.settings.server.background
        works = self._works and site.topics
        self._worker = OutboxWorker(infrastructure.database, infrastructure.outbox, site.topics) if works else None
        self._registry = site.registry
        self._plans = site.services.controller.schedules
        self._jobs = site.extending.app.jobs
        self._privacy = site.services.files.privacy
        self._leadership = Leadership(infrastructure.database, "octavo: housekeeping")
        self._tasks: list[asyncio.Task[None]] = []
        self.is_at_work = False

    def start(self) -> None:
        """Start the work: the site serves requests from now on."""
        self.is_at_work = True
        if self._worker is not None:
            self._worker.start()
        if self._polls:
            self._begin(_reload_webhooks(self._shared.webhooks))
        if self._works and self._shared.settings.server.jobs.cron and self._jobs.tasks:
            self._begin(self._jobs.scheduler().run())
        builds = self._works and self._shared.settings.database.update_tables
        if builds and self._shared.database.dialect.aside and declares_indexes(self._registry):
            self._begin(_make_indexes(self._shared.database, self._registry))
        if self._works and self._shared.settings.server.jobs.cron and self._shared.backups.schedule is not None:
            self._begin(self._shared.backups.run())
        totals = self._shared.settings.database.totals
        if self._works and maintains_counts(self._shared.settings):
            keeper = CountMaintenance(self._shared.database, self._registry)
            self._begin(_maintain_counts(keeper, self._leadership, asked=totals == "maintained"))
        if self._works and self._shared.database.dialect.parts:
            self._begin(_maintain_trigram_indexes(SubstringIndexMaintenance(self._shared.database, self._registry)))
        if self._works and self._shared.database.dialect.versions is not None:
            follower = VersionTracker(self._shared.database, self._registry)
            self._begin(_follow_tables(follower, asked=self._shared.settings.api.caching.responses))
        if self._works:
            self._begin_cleaning()

    def _begin_cleaning(self) -> None:
        """Start maintenance that one process does for all."""
        if self._plans is not None and hides_future(self._shared.settings):
            self._begin(_schedule_new_entries(self._plans, self._leadership))
        if self._shared.journal is not None:
            self._begin(_sweep(self._shared, self._leadership))
        self._begin(_end_of_blocked(self._shared, self._leadership))
        self._begin(_clean_storage(self._shared, self._leadership))
        if self._privacy.is_enabled:
            self._begin(_move_private_files(self._shared, self._privacy, self._leadership))

    async def stop(self) -> None:
        """Take no new work, and wait for running work up to the grace period."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        with suppress(ServiceUnavailable):  # the lease expires anyway
            await self._leadership.leave()
        if self._worker is not None:
            await self._worker.stop(GRACE_SECONDS)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task in an empty context, independent of the caller's."""
        self._tasks.append(asyncio.get_running_loop().create_task(work, context=Context()))


async def _sweep(infrastructure: Infrastructure, leadership: Leadership) -> None:
    """Clean the change journal periodically, in one process at a time."""
    events = infrastructure.settings.api.events
    out_of_reach = False
    while True:
        await asyncio.sleep(_SWEEP_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        try:
            if await leadership.is_here():
                await sweep_journal(infrastructure.database, events.keep, _LARGEST_JOURNAL)
            out_of_reach = False
        except Exception as error:  # retry after any error
            out_of_reach = _log_once("Could not remove old change records yet", error, out_of_reach)


async def _end_of_blocked(infrastructure: Infrastructure, leadership: Leadership) -> None:
    """Periodically end sessions of accounts that other software has blocked, in one process at a time."""
    guard = open_account_guard(infrastructure.settings, infrastructure.database.dialect)
    out_of_reach = False
    while True:
        await asyncio.sleep(_SWEEP_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        try:
            if await leadership.is_here():
                await guard.end_of_blocked(infrastructure.database)
            out_of_reach = False
        except Exception as error:  # retry after any error
            out_of_reach = _log_once("Could not end the sessions of blocked accounts yet", error, out_of_reach)


async def _clean_storage(infrastructure: Infrastructure, leadership: Leadership) -> None:
    """Periodically remove files from the storage that no row needs, in one process at a time."""
    out_of_reach = False
    while True:
        await asyncio.sleep(_SWEEP_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311 - no secret
        try:
            if await leadership.is_here():
                await infrastructure.media.cleanup.sweep()
            out_of_reach = False
        except Exception as error:  # retry after any error
            out_of_reach = _log_once("Could not remove unneeded files from the storage yet", error, out_of_reach)


async def _move_private_files(infrastructure: Infrastructure, privacy: FilePrivacy, leadership: Leadership) -> None:
    """Once, move private files to where the tables say, in one process. Another one had stopped before it did."""
    mover = PrivateFileMover(infrastructure.database, infrastructure.media.storage)
    out_of_reach = False
    while True:
        try:
            if await leadership.is_here():
                await mover.reconcile_all()
                await privacy.follow_all()
                return
        except Exception as error:  # retry after any error
            out_of_reach = _log_once("Could not compare private files with their table yet", error, out_of_reach)
        await asyncio.sleep(_SWEEP_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311 - no secret


async def _schedule_new_entries(plans: ContentSchedules, leadership: Leadership) -> None:
    """Periodically schedule entries that other software has written with a future publication date, in one process."""
    out_of_reach, looked = False, -math.inf
    while True:
        try:
            if await leadership.is_here() and time.monotonic() > looked + _COMPARED_EVERY:
                await plans.adopt()
                looked = time.monotonic()
            out_of_reach = False
        except Exception as error:  # retry after any error
            out_of_reach = _log_once(
                "Could not schedule entries with a future publication date yet", error, out_of_reach
            )
        await asyncio.sleep(_SWEEP_SECONDS * random.uniform(0.5, 1.5))  # noqa: S311 - no secret


async def _make_indexes(database: Database, registry: Registry) -> None:
    """Create declared indexes, and retry while the database cannot be reached."""
    out_of_reach = False
    while True:
        try:
            await make_declared_indexes(database, registry)
            return
        except Exception as error:  # retry after any error
            out_of_reach = _log_once("Could not create the declared indexes yet", error, out_of_reach)
        await asyncio.sleep(_SWEEP_SECONDS)


async def _maintain_counts(keeper: CountMaintenance, leadership: Leadership, *, asked: bool) -> None:
    """Maintain the totals of lists, in one process at a time, if `asked` or if Octavo created the database."""
    out_of_reach, kept, is_here, compared = False, False, False, time.monotonic()
    while True:
        try:
            is_here = await leadership.is_here()
            if is_here and not await keeper.is_quiet():
                kept = asked or await keeper.is_wanted()
                if kept:
                    await keeper.keep()
                    await keeper.fold()
            if is_here and kept and time.monotonic() > compared + _COMPARED_EVERY:
                compared = time.monotonic()
                await keeper.compare()
            out_of_reach = False
        except Exception as error:  # retry after any error
            out_of_reach = _log_once("Lists are counted for each request for now", error, out_of_reach)
        soon = kept or not is_here
        await asyncio.sleep(_TOTALS_SECONDS * (random.uniform(0.5, 1.5) if soon else _SWEEP_SECONDS))  # noqa: S311 - no secret


async def _maintain_trigram_indexes(keeper: SubstringIndexMaintenance) -> None:
    """Maintain the declared trigram indexes.

    Those no longer declared are deleted later, when other processes have reloaded the definitions and do not use them.
    """
    out_of_reach, others_go = False, time.monotonic() + _SWEEP_SECONDS
    while True:
        try:
            await keeper.keep()
            if time.monotonic() > others_go:
                await keeper.remove_others()
                if not keeper.has_work:
                    return
                others_go = math.inf
            out_of_reach = False
        except Exception as error:  # retry after any error
            out_of_reach = _log_once("Trigram indexes are not maintained for now", error, out_of_reach)
        seconds = _TOTALS_SECONDS if keeper.has_work else _SWEEP_SECONDS
        await asyncio.sleep(seconds * random.uniform(0.5, 1.5))  # noqa: S311 - no secret


async def _follow_tables(keeper: VersionTracker, *, asked: bool) -> None:
    """Maintain the triggers that record changes by table if `asked`; otherwise remove them once."""
    out_of_reach = False
    while True:
        try:
            if not asked:
                await keeper.remove()
                return
            await keeper.keep()
            await keeper.fold()
            out_of_reach = False
        except Exception as error:  # retry after any error
            out_of_reach = _log_once("The response cache is off for now", error, out_of_reach)
        await asyncio.sleep(_FOLLOW_SECONDS * random.uniform(0.5, 1.5) if asked else _SWEEP_SECONDS)  # noqa: S311 - no secret


async def _reload_webhooks(webhooks: Webhooks) -> None:
    out_of_reach = False
    while True:
        await asyncio.sleep(_WEBHOOK_SECONDS)
        try:
            await webhooks.look()
            out_of_reach = False
        except Exception as error:  # retry after any error
            out_of_reach = _log_once("The webhooks cannot be read", error, out_of_reach)


def _log_once(what: str, error: Exception, is_logged: bool) -> bool:
    """Log an outage or a missing database permission once. Always return True: it is logged."""
    if not is_logged:
        is_known = isinstance(error, ServiceUnavailable) or getattr(error, "sqlstate", None) == _NO_PERMISSION
        logger.warning("%s: %s", what, reason_of(error), exc_info=None if is_known else error)
    return True
