"""Versions on PostgreSQL: read from the ledger of `query.sql.dialects.postgresql_versions`, once for all who wait.

Who asks while a reading is under way waits for the next one: that under way may have begun before the write that they
have to see. So at any time one connection at most is reading versions, however many ask.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from contextvars import Context

import orjson

from octavo.database.connection import Row


class TableMoment:
    """The versions of all tables that are followed, by name; `stamp` stands for all of them."""

    __slots__ = ("stamp", "versions")

    def __init__(self, stamp: str, text: str | None) -> None:
        self.stamp = stamp
        self.versions: Mapping[str, str] = {} if text is None else orjson.loads(text)

    def of(self, tables: Sequence[str]) -> Hashable:
        versions = self.versions
        try:
            return tuple([versions[table] for table in tables])
        except KeyError:
            return None


class LedgerReader:
    """`Versions` of a database. `stamp` reads what stands for all of them; `read` that, and with it the versions."""

    def __init__(self, stamp: Callable[[], Awaitable[str]], read: Callable[[], Awaitable[Row | None]]) -> None:
        self._stamp, self._read = stamp, read
        self._waiting: list[asyncio.Future[TableMoment | None]] = []
        self._reading: asyncio.Task[None] | None = None
        self.latest: TableMoment | None = None

    def at_once(self) -> None:
        """The database has to be asked."""

    def now(self) -> "asyncio.Future[TableMoment | None]":
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[TableMoment | None] = loop.create_future()
        self._waiting.append(waiting)
        if self._reading is None:
            self._reading = loop.create_task(self._read_again_and_again(), context=Context())
        return waiting

    async def _read_again_and_again(self) -> None:
        """Until nobody waits. It begins in the next turn of the loop, when all who ask in this one have asked."""
        try:
            while self._waiting:
                waiting, self._waiting = self._waiting, []
                moment = await self._look()
                for one in waiting:
                    if not one.done():
                        one.set_result(moment)
        finally:
            self._reading = None
            for one in self._waiting:
                one.cancel()

    async def _look(self) -> TableMoment | None:
        latest = self.latest
        try:
            stamp = await self._stamp()
            if latest is not None and latest.stamp == stamp:
                return latest
            row = await self._read()
        except Exception:  # the ledger is not there yet, or the database is away: who reads is told why
            return None
        if row is not None and (latest is None or latest.stamp != row[0]):
            self.latest = latest = TableMoment(row[0], row[1])
        return latest
