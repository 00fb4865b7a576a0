"""Purges: what a change makes worthless in caches in front is written in its transaction, and told to them after it.

A message of the outbox for each transaction names the tags. Whoever delivers it puts it into the lanes (`lane`), which
make few requests of many messages.
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
from octavo.events.purging.cdn_clients import Front
from octavo.events.purging.queue import Lane, LaneOptions, LaneUse, Purge, Send
from octavo.events.purging.tags import ALL, tags_of

TOPIC: Final = "purge"
_AT_ONCE: Final = 512
"""Messages that one process gathers requests from."""
_SECONDS: Final = 120.0
_LEASE: Final = 1.0
"""Seconds after which another process tells what this one says no more of: told twice is no harm, told late is."""
_RETRIES: Final = Retries(attempts=1000, first=1.0, factor=2.0, longest=15.0)
"""For what goes wrong here. A cache that cannot be told is the lane's matter."""


class Purges:
    """The caches in front of one service."""

    def __init__(
        self, database: Database, outbox: Outbox, fronts: Sequence[Front], send: Send, options: LaneOptions
    ) -> None:
        self._database = database
        self._outbox = outbox
        self._lanes = {front.name: Lane(front, send, self._write_down, options) for front in fronts}

    def join(self, feed: ChangeFeed) -> None:
        """From now on write down what every change that a feed is told of makes worthless."""
        if self._lanes:
            feed.keep(self.keep)
            feed.subscribe(lambda _: self._outbox.wake())

    async def keep(self, connection: Connection, changes: Sequence[DataChange]) -> None:
        """Write down, in their transaction, what changes make worthless. Whoever delivers it is to be woken."""
        tags = tags_of(changes) if self._lanes else ()
        if tags:
            await self._outbox.write(connection, TOPIC, {"tags": tags})

    async def purge(self, *tags: str) -> None:
        """Let all caches forget what has one of these tags, or everything."""
        if self._lanes:
            await self._add([({"tags": tags or (ALL,)}, None, None)])

    async def purge_with(self, unit: UnitOfWork) -> None:
        """Let all caches forget everything, as a part of what has replaced everything. The outbox's table is there."""
        if self._lanes:
            await self._outbox.add(unit, TOPIC, {"tags": (ALL,)})

    def uses(self) -> Sequence[LaneUse]:
        """What was done for each cache, by this process."""
        return [lane.use for lane in self._lanes.values()]

    def topic(self) -> Topic:
        """What is done with the messages."""
        return Topic(TOPIC, self._deliver, _RETRIES, _SECONDS, _AT_ONCE, lambda: bool(self._lanes), _LEASE)

    async def _deliver(self, message: Message) -> None:
        """Tell the caches that a message is for: one, or all of them; nobody where it is in front no more."""
        given = message.payload
        purge = Purge(tuple(given["tags"]), given.get("round", 0), given.get("since"))
        names = (given["to"],) if "to" in given else tuple(self._lanes)
        await asyncio.gather(*(self._lanes[name].tell(purge) for name in names if name in self._lanes))

    async def _write_down(self, front: Front, later: Sequence[tuple[Purge, int]]) -> None:
        await self._add(
            [
                ({"tags": one.tags, "to": front.name, "round": one.round, "since": one.since}, moment, one.error)
                for one, moment in later
            ]
        )

    async def _add(self, messages: Sequence[tuple[dict[str, Any], int | None, str | None]]) -> None:
        """Each with the moment when it is due, in milliseconds since 1970, or None: at once; and why it was not told
        before, if it was tried."""
        now = this_moment()

        async def work(unit: UnitOfWork) -> None:
            for payload, moment, error in messages:
                await self._outbox.add(unit, TOPIC, payload, not_before=moment, error=error)

        await run_unit(self._database, UnitOfWork, work, grouped=False)
        for moment in {moment for _, moment, _ in messages if moment is not None}:  # sooner than the worker looks again
            asyncio.get_running_loop().call_later(max(0, moment - now) / 1000, self._outbox.wake)
