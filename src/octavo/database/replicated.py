"""PostgreSQL with replicas: content is read from replicas that are recent and have what the reader has to see.

The primary serves everything else: writes, transactions, permissions, accounts and background work.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from octavo.database.ambient import joined
from octavo.database.connection import (
    AnswerTooLarge,
    PageAndCount,
    Reads,
    Row,
    StatementTimeout,
    UnsuitableValue,
    Values,
    first_bytes,
)
from octavo.database.pool import PoolUse
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.postgresql_transaction import PostgresqlTransaction
from octavo.database.read_positions import READER, UNKNOWN
from octavo.database.replica import PrimaryLog, Replica
from octavo.database.topology import ALONE, Parameters, ServerUse, Topology

_INTERVALS: Final = 0.05, 1.0
"""Minimum and maximum seconds between two queries of a server's position."""
_LOOKS: Final = 4
"""Number of queries of a server's position within the time that a replica may be behind."""
_OF_THE_CALLER: Final = (AnswerTooLarge, StatementTimeout, UnsuitableValue)
"""Errors that would occur on the primary as well."""
_PATIENCE: Final = 0.5
"""Seconds to wait for a connection to a replica, before the primary is used."""


class ReplicatedDatabase(PostgresqlDatabase):
    """Implements `Database` on a primary with replicas, as defined by its `topology`."""

    def __init__(
        self,
        url: str | None = None,
        *,
        parameters: Parameters | None = None,
        schema: str | None = None,
        maximum: int = 10,
        statement_timeout: float = 15.0,
        topology: Topology = ALONE,
        **options: Any,
    ) -> None:
        given: dict[str, Any] = {"schema": schema, "statement_timeout": statement_timeout}
        super().__init__(url, parameters=parameters, maximum=maximum, topology=topology, **given, **options)
        self._contents = _Contents(self)
        self._freshness = freshness = topology.freshness
        least, most = _INTERVALS
        interval = min(max(freshness.seconds / _LOOKS, least), most)
        limits: dict[str, Any] = {**given, "patience": _PATIENCE, "largest_answer": self.largest_answer}

        def make(place: Parameters, of: Topology, connections: int) -> PostgresqlDatabase:
            return PostgresqlDatabase(parameters=place, topology=of, minimum=0, maximum=connections, **limits)

        asked = topology.direct or parameters or {}
        places = () if topology.direct else topology.places
        self._log = PrimaryLog(
            PostgresqlDatabase(
                None if topology.direct else url,
                parameters=asked,
                topology=Topology("primary", places),
                minimum=0,
                maximum=1,
            ),
            interval,
        )
        self._replicas = [Replica(place, make, maximum, self._log, freshness) for place in topology.replicas]
        self._here = 0
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def contents(self) -> Reads:
        return self._contents

    async def connect(self) -> None:
        await super().connect()
        loop = asyncio.get_running_loop()
        watched = (self._log.watch, *(one.watch for one in self._replicas))
        self._tasks = [loop.create_task(watch()) for watch in watched]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        for replica in self._replicas:
            await replica.close()
        await self._log.database.close()
        await super().close()

    def pools(self) -> Mapping[str, PoolUse]:
        return {**super().pools(), **{one.name: one.database.pools()["connections"] for one in self._replicas}}

    def servers(self) -> Sequence[ServerUse]:
        oldest = self._oldest()
        primary = ServerUse("primary", not self._log.away, 0.0, 0, self._here, 0)
        return [primary, *(one.use(oldest) for one in self._replicas)]

    @asynccontextmanager
    async def transaction(
        self, *, exclusive: bool = False, grouped: bool = False
    ) -> AsyncIterator[PostgresqlTransaction]:
        transaction: PostgresqlTransaction | None = None
        is_to_be_committed = False
        try:
            async with super().transaction(exclusive=exclusive, grouped=grouped) as transaction:
                yield transaction
                is_to_be_committed = True
        finally:  # a failed commit may have been executed nevertheless
            reader = READER.get()
            is_sent = transaction is not None and transaction.commit_sent
            if reader is not None and (is_to_be_committed or is_sent):
                reader.wrote()

    async def execute(self, text: str, values: Values = ()) -> int:
        """Run a single statement on the primary. These are bookkeeping (a token's last use), which is not read as
        content."""
        async with super().transaction() as transaction:
            return await transaction.execute(text, values)

    async def position(self) -> int:
        try:
            return await self._log.ask()
        except Exception:  # the write itself has succeeded
            return UNKNOWN

    def chosen(self) -> Replica | None:
        """Return the least busy replica that the current reader can use, or None for the primary."""
        reader = READER.get()
        if reader is None or joined(self) is not None or not reader.may_lag():
            return None
        oldest, needed = self._oldest(), reader.needed
        replica: Replica | None = None
        for one in self._replicas:
            if one.fresh >= oldest and one.replayed >= needed and (replica is None or _load(one) < _load(replica)):
                replica = one
        if replica is None:
            self._here += 1
        return replica

    def _oldest(self) -> float:
        """Return the time that a replica's data must not be older than."""
        freshness = self._freshness
        return time.monotonic() - freshness.seconds - (freshness.outage if self._log.away else 0.0)


def _load(replica: Replica) -> tuple[int, int]:
    return replica.under_way, replica.reads


class _Contents:
    """Reads content from a replica or the primary."""

    def __init__(self, database: ReplicatedDatabase) -> None:
        self._database = database

    def fetch_row(
        self, text: str, values: Values = (), *, long: bool = False, apart: PageAndCount | None = None
    ) -> Awaitable[Row | None]:
        replica = self._database.chosen()
        if replica is None:
            return self._database.own_contents.fetch_row(text, values, apart=apart)
        return self._read(replica, text, values, apart)

    async def fetch_json(self, text: str, values: Values = (), *, long: bool = False) -> bytes | None:
        return first_bytes(await self.fetch_row(text, values))

    async def _read(self, replica: Replica, text: str, values: Values, apart: PageAndCount | None) -> Row | None:
        """Read from a replica; if it fails for a reason that may not affect the primary, read from the primary."""
        try:
            return await replica.read(text, values, self._database.watch, apart)
        except _OF_THE_CALLER:
            raise
        except Exception as error:
            replica.note_failure(error)
        return await self._database.own_contents.fetch_row(text, values, apart=apart)
