"""One replica: its replication progress, and whether it can be read from.

Its position is queried periodically on a separate connection, and compared with the recorded positions of the primary.
Errors there are not passed to callers: the primary is read instead.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

import asyncpg

from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.database.connection import PageAndCount, Row, Values, Watch
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.postgresql_errors import ConnectionLost
from octavo.database.primary_log import PrimaryLog, cluster_of
from octavo.database.topology import Freshness, Parameters, Role, ServerUse, Topology

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
                await self._look()
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

    async def _look(self) -> None:
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
