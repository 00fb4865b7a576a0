"""Where the primary's log is, and was: so that the position of a replica tells how old its content is.

No clock but that of this process takes part.
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
"""What was committed before this is asked lies before it: commits wait for the flush, unless they are told not to."""
_CLUSTER: Final = "SELECT system_identifier::text FROM pg_control_system()"
_KEPT_SECONDS: Final = 120.0
PATIENCE: Final = 1.0
"""Seconds that whoever wrote waits for the position of it."""


@dataclass(slots=True)
class PrimaryLog:
    """Asks one connection of its own, once for all who want to know meanwhile. `interval` is how often it is asked
    anyway, in seconds."""

    database: PostgresqlDatabase
    interval: float
    position: int = 0
    cluster: str = ""
    """Which cluster the server belongs to."""
    moment: float = float("-inf")
    """When it was asked last."""
    away: bool = True
    """Whether it could not be asked the last time."""
    _started: str = ""
    _moments: list[float] = field(default_factory=list)
    _positions: list[int] = field(default_factory=list)
    _running: asyncio.Task[int] | None = None
    _next: asyncio.Task[int] | None = None

    async def ask(self) -> int:
        """A position behind all that is committed by now. Raises ServiceUnavailable."""
        if self._next is None:
            asking = self._ask_after(self._running)
            self._next = asyncio.get_running_loop().create_task(asking, context=Context())
        async with asyncio.timeout(PATIENCE):
            return await asyncio.shield(self._next)

    def seen_by(self, position: int) -> float:
        """The latest moment known whose commits all lie before a position; minus infinity if none is known."""
        index = bisect_right(self._positions, position)
        return self._moments[index - 1] if index else float("-inf")

    async def watch(self) -> None:
        """Ask again and again."""
        await self.database.connect()
        while True:
            try:
                await self.ask()
            except (ServiceUnavailable, TimeoutError):
                self.away = True  # those who read and write say so
            except Exception:
                self.away = True
                logger.exception("Cannot read the primary's log position: replicas are not used")
            await asyncio.sleep(self.interval)

    async def _ask_after(self, before: "asyncio.Task[int] | None") -> int:
        """What is committed while a question is under way needs the next one."""
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
        """Remember where the log was; of a server that has taken another's place, what was before says nothing."""
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
    """Which cluster a server belongs to; empty where that is not told."""
    try:
        return str(await database.fetch_value(_CLUSTER))
    except asyncpg.InsufficientPrivilegeError:
        return ""
