"""One replica: its replication progress, and whether it can be read from.

Its position is queried periodically on a separate connection, and compared with the recorded positions of the primary.
Errors there are not passed to callers: the primary is read instead.
"""

import asyncio
import logging
import time
from bisect import bisect_right
from collections.abc import Callable
from contextvars import Context
from dataclasses import field
from typing import Final

import asyncpg

from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.core.values import dataclass
from octavo.database.connection import PageAndCount, Row, Values, Watch
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.postgresql_errors import ConnectionLost
from octavo.database.topology import Freshness, Parameters, Role, ServerUse, Topology

_POSITION: Final = """
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
            row = await self.database.fetch_row(_POSITION)
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


logger = logging.getLogger(__name__)

_WHERE: Final = """
SELECT pg_is_in_recovery(), pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::int8, pg_postmaster_start_time()::text"""
_STARTED: Final = "SELECT pg_postmaster_start_time()::text"
_NEVER: Final = float("-inf")

Made = Callable[[Parameters, Topology, int], PostgresqlDatabase]
"""Creates the driver of a server, with the given number of connections."""


class NoReplica(Exception):
    """A server cannot be used as a replica. The message contains the reason."""


class Replica:
    """`fresh` is the time, by this process's clock, up to which its data is complete."""

    def __init__(self, parameters: Parameters, make: Made, maximum: int, log: PrimaryLog, freshness: Freshness) -> None:
        self.name = f"{parameters['host']}:{parameters['port']}"
        self.replayed = -1
        self.fresh = _NEVER
        self.under_way = 0
        self.reads = 0
        self._failed = 0
        self._log = log
        self._freshness = freshness
        self._complete = time.monotonic()
        self._noted = 0.0
        self._started = ""
        self._reported: str | None = "it was not checked yet"
        standby: Role = "standby"
        self.database = make(parameters, Topology(standby), maximum)
        self.database.check_new_connections(self._check_server)
        self._asking = make(parameters, Topology(), 1)

    def use(self, oldest: float) -> ServerUse:
        """Return its use. `oldest` is the time that its data must not be older than.

        While its position is unknown, its lag grows from the last time when it was known, or from the start.
        """
        lag = max(0.0, time.monotonic() - self._complete)
        size = self._behind if self.replayed >= 0 else None
        return ServerUse(self.name, self.fresh >= oldest, lag, size, self.reads, self._failed)

    @property
    def _behind(self) -> int:
        """The bytes of the primary's log that it has not replayed."""
        return max(0, self._log.position - self.replayed)

    async def read(
        self, text: str, values: Values, watch: Watch | None, apart: PageAndCount | None = None
    ) -> Row | None:
        """Return the first row. Raises any error of the read."""
        self.under_way += 1
        self.reads += 1
        self.database.watch = watch
        try:
            return await self.database.contents.fetch_row(text, values, apart=apart)
        finally:
            self.under_way -= 1

    def note_failure(self, error: Exception) -> None:
        """Record a failed read. If it was the server's fault, the replica is not used until it responds again."""
        self._failed += 1
        if isinstance(error, ServiceUnavailable):
            self._stop_using(reason_of(error))
        else:
            logger.debug("A read failed on the replica %s: %s", self.name, reason_of(error))

    async def watch(self) -> None:
        """Query its position periodically."""
        await self.database.connect()
        await self._asking.connect()
        while True:
            try:
                await self._query_position()
            except (NoReplica, ServiceUnavailable) as error:
                self._stop_using(reason_of(error))
            except Exception:
                self._stop_using("it cannot be reached")
                logger.exception("Cannot read the log position of the replica %s", self.name)
            await asyncio.sleep(self._log.interval)

    async def close(self) -> None:
        """Close its connections."""
        await self._asking.close()
        await self.database.close()

    async def _query_position(self) -> None:
        """Query its position. Raises NoReplica, ServiceUnavailable."""
        ahead = self.replayed > self._log.position and self._log.moment > self._noted
        row = await self._asking.fetch_row(_WHERE)
        assert row is not None
        follows, replayed, started = row
        if not follows:
            raise NoReplica("it does not replicate another server: it was promoted, or is not a replica")
        if replayed is None:
            raise NoReplica("it does not report its replication position")
        if started != self._started:
            await self._accept_server(started)
        self._noted, self.replayed = time.monotonic(), replayed
        if ahead:
            raise NoReplica("it is ahead of the primary, so it replicates another server")
        complete = self._log.seen_by(replayed)
        self._complete = max(self._complete, complete)
        self.fresh = complete if self._behind <= self._freshness.size else _NEVER
        if time.monotonic() - self.fresh > self._freshness.seconds and not self._log.away:
            self._log_once(f"it is {self._behind} bytes behind")
        elif self._reported is not None:
            self._reported = None
            logger.info("The replica %s is in use", self.name)

    async def _accept_server(self, started: str) -> None:
        """Accept a server that is new or was restarted. Raises NoReplica for one of another cluster."""
        self._stop_using(None)
        cluster = await cluster_of(self._asking)
        if cluster and self._log.cluster and cluster != self._log.cluster:
            raise NoReplica("it belongs to a different cluster than the primary")
        self._started = started

    async def _check_server(self, connection: asyncpg.Connection) -> None:
        """Check that it is the server whose position is known: an address can have several. Raises ConnectionLost."""
        async with connection.transaction(readonly=True):
            started = await connection.fetchval(_STARTED)
        if started != self._started:
            raise ConnectionLost(reason=f"{self.name} is not the server that reported its position")

    def _stop_using(self, reason: str | None) -> None:
        self.fresh, self.replayed = _NEVER, -1
        if reason is not None:
            self._log_once(reason)

    def _log_once(self, reason: str) -> None:
        """Log the reason, once each time the replica goes out of use."""
        if self._reported is None:
            logger.warning("The replica %s is not in use: %s", self.name, reason)
        self._reported = reason
