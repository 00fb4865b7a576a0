"""Purges: the responses in CDNs that a change makes outdated are recorded in its transaction, and purged after it.

An outbox message for each transaction lists the tags. Its delivery adds them to the queues of the caches (`queue`),
which combine many messages in few requests.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from octavo.core.clock import this_moment
from octavo.database.change_feed import ChangeFeed, DataChange
from octavo.database.connection import Connection, Database
from octavo.database.unit_of_work import UnitOfWork, run_unit
from octavo.events.messages import Message, Retries, Topic
from octavo.events.outbox import Outbox
from octavo.events.purging.cdn_clients import HttpCache
from octavo.events.purging.queue import Purge, PurgeQueue, PurgeQueueOptions, PurgeStatistics, Send
from octavo.events.purging.tags import ALL, file_tag, tags_of

TOPIC: Final = "purge"
_AT_ONCE: Final = 512
"""Number of messages that one process combines."""
_SECONDS: Final = 120.0
_MOST_FILES: Final = 500
"""Number of files in one message."""
_LEASE: Final = 1.0
"""Lease in seconds, after which another process takes over: purging twice is harmless, purging late is not."""
_RETRIES: Final = Retries(attempts=1000, first=1.0, factor=2.0, longest=15.0)
"""Retries after errors of Octavo or its database. The queue of a cache handles errors of the cache."""


class Purges:
    """The CDNs in front of one service."""

    def __init__(
        self, database: Database, outbox: Outbox, caches: Sequence[HttpCache], send: Send, options: PurgeQueueOptions
    ) -> None:
        self._database = database
        self._outbox = outbox
        self._queues = {cache.name: PurgeQueue(cache, send, self._write_down, options) for cache in caches}

    def join(self, feed: ChangeFeed) -> None:
        """Record the tags of every change of a feed from now on."""
        if self._queues:
            feed.keep(self.keep)
            feed.subscribe(lambda _: self._outbox.wake())

    async def keep(self, connection: Connection, changes: Sequence[DataChange]) -> None:
        """Record the tags of changes, in their transaction. The caller has to wake the worker."""
        tags = tags_of(changes) if self._queues else ()
        if tags:
            await self._outbox.write(connection, TOPIC, {"tags": tags})

    async def purge(self, *tags: str) -> None:
        """Purge the responses with one of these tags, or everything, from all caches."""
        if self._queues:
            await self._add([({"tags": tags or (ALL,)}, None, None)])

    async def purge_with(self, unit: UnitOfWork) -> None:
        """Purge everything from all caches, in a unit that replaces all content. The outbox's table must exist."""
        if self._queues:
            await self._outbox.add(unit, TOPIC, {"tags": (ALL,)})

    async def purge_files_with(self, unit: UnitOfWork, names: Sequence[str]) -> None:
        """Purge uploaded files with these names in the storage from all caches, after the unit's commit."""
        tags = [file_tag(name) for name in names] if self._queues else []
        for start in range(0, len(tags), _MOST_FILES):
            await self._outbox.add(unit, TOPIC, {"tags": tags[start : start + _MOST_FILES]})

    def uses(self) -> Sequence[PurgeStatistics]:
        """Return the statistics of each cache, for this process."""
        return [queue.use for queue in self._queues.values()]

    def topic(self) -> Topic:
        """Return the topic of the messages."""
        return Topic(TOPIC, self._deliver, _RETRIES, _SECONDS, _AT_ONCE, lambda: bool(self._queues), _LEASE)

    async def _deliver(self, message: Message) -> None:
        """Purge the caches of a message: one, or all of them. Caches that are no longer configured are skipped."""
        given = message.payload
        purge = Purge(tuple(given["tags"]), given.get("round", 0), given.get("since"))
        names = (given["to"],) if "to" in given else tuple(self._queues)
        await asyncio.gather(*(self._queues[name].purge(purge) for name in names if name in self._queues))

    async def _write_down(self, cache: HttpCache, later: Sequence[tuple[Purge, int]]) -> None:
        await self._add(
            [
                ({"tags": one.tags, "to": cache.name, "round": one.round, "since": one.since}, moment, one.error)
                for one, moment in later
            ]
        )

    async def _add(self, messages: Sequence[tuple[dict[str, Any], int | None, str | None]]) -> None:
        """Add messages, each with its due time in milliseconds since 1970, or None for now; and the error of the last
        attempt, if there was one."""
        now = this_moment()

        async def work(unit: UnitOfWork) -> None:
            for payload, moment, error in messages:
                await self._outbox.add(unit, TOPIC, payload, not_before=moment, error=error)

        await run_unit(self._database, UnitOfWork, work, grouped=False)
        for moment in {moment for _, moment, _ in messages if moment is not None}:  # before the next check
            asyncio.get_running_loop().call_later(max(0, moment - now) / 1000, self._outbox.wake)
