"""The log positions of the primary over time, to compute the age of a replica's data from its position.

Only this process's clock is used.
"""

import asyncio
import logging
import time
from bisect import bisect_right
from contextvars import Context
from dataclasses import field
from typing import Final

import asyncpg

from octavo.core.errors import ServiceUnavailable
from octavo.core.values import dataclass
from octavo.database.postgresql import PostgresqlDatabase

logger = logging.getLogger(__name__)

_WHERE: Final = """
SELECT pg_wal_lsn_diff(CASE WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
    ELSE pg_current_wal_flush_lsn() END, '0/0')::int8, pg_postmaster_start_time()::text"""
"""Commits before this query are below this position: they wait for the flush, unless configured otherwise."""
_CLUSTER: Final = "SELECT system_identifier::text FROM pg_control_system()"
_KEPT_SECONDS: Final = 120.0
PATIENCE: Final = 1.0
"""Seconds that a writer waits for the position of its commit."""


@dataclass(slots=True)
class PrimaryLog:
    """Queries the position on a separate connection, once for all concurrent callers, and at least every `interval`
    seconds."""

    database: PostgresqlDatabase
    interval: float
    position: int = 0
    cluster: str = ""
    """The cluster that the server belongs to."""
    moment: float = float("-inf")
    """The time of the last query."""
    away: bool = True
    """Whether the last query failed."""
    _started: str = ""
    _moments: list[float] = field(default_factory=list)
    _positions: list[int] = field(default_factory=list)
    _running: asyncio.Task[int] | None = None
    _next: asyncio.Task[int] | None = None

    async def ask(self) -> int:
        """Return a position after all commits so far. Raises ServiceUnavailable."""
        if self._next is None:
            asking = self._ask_after(self._running)
            self._next = asyncio.get_running_loop().create_task(asking, context=Context())
        async with asyncio.timeout(PATIENCE):
            return await asyncio.shield(self._next)

    def seen_by(self, position: int) -> float:
        """Return the latest known time whose commits are all below a position, or minus infinity."""
        index = bisect_right(self._positions, position)
        return self._moments[index - 1] if index else float("-inf")

    async def watch(self) -> None:
        """Query the position periodically."""
        await self.database.connect()
        while True:
            try:
                await self.ask()
            except (ServiceUnavailable, TimeoutError):
                self.away = True  # reads and writes report the error
            except Exception:
                self.away = True
                logger.exception("Cannot read the primary's log position: replicas are not in use")
            await asyncio.sleep(self.interval)

    async def _ask_after(self, before: "asyncio.Task[int] | None") -> int:
        """Start a query after the running one: commits made during that one need a new query."""
        if before is not None:
            await asyncio.wait((before,))
        self._running, self._next = self._next, None
        moment = time.monotonic()
        try:
            row = await self.database.fetch_row(_WHERE)
            assert row is not None
            position, started = row
            if started != self._started:
                self.cluster = await cluster_of(self.database)
        except BaseException:
            self.away = True
            raise
        self._note(moment, position, started)
        return int(position)

    def _note(self, moment: float, position: int, started: str) -> None:
        """Record the log's position. If the server was replaced, earlier positions are discarded."""
        if started != self._started or position < self.position:
            self._moments.clear()
            self._positions.clear()
        self.away, self._started, self.position, self.moment = False, started, position, moment
        moments, positions = self._moments, self._positions
        if positions and (positions[-1] == position or (len(moments) > 1 and moment - moments[-2] < self.interval / 2)):
            moments[-1], positions[-1] = moment, position
        else:
            moments.append(moment)
            positions.append(position)
        if moments[0] < moment - 2 * _KEPT_SECONDS:
            keep = bisect_right(moments, moment - _KEPT_SECONDS)
            del moments[:keep], positions[:keep]


async def cluster_of(database: PostgresqlDatabase) -> str:
    """Return the cluster that a server belongs to, or an empty text if it is not accessible."""
    try:
        return str(await database.fetch_value(_CLUSTER))
    except asyncpg.InsufficientPrivilegeError:
        return ""
