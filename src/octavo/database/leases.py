"""Leases: named locks between all processes of a database, for work outside transactions.

A database lock is held by a transaction, which on SQLite blocks all writers; a lease is a row, and may be held longer.
The lease of a killed process expires.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ServiceUnavailable
from octavo.database.ambient import joined
from octavo.database.connection import Connection, Database, TransactionFailed
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement

TABLE: Final = SystemTable(
    "octavo_leases",
    ("name varchar(255) PRIMARY KEY NOT NULL", "holder varchar(64) NOT NULL", "expires_at bigint NOT NULL"),
    kept=True,
)

LEASE_SECONDS: Final = 300.0
"""How long a lease is valid."""
PATIENCE_SECONDS: Final = 30.0
"""How long others wait for a lease."""
_POLL_SECONDS: Final = 0.05

_TAKE: Final = RawStatement("""
INSERT INTO octavo_leases (name, holder, expires_at) VALUES ({name}, {holder}, {expires_at})
{name:on_conflict}
  holder = CASE WHEN octavo_leases.expires_at <= {now} THEN {holder:proposed} ELSE octavo_leases.holder END,
  expires_at = CASE WHEN octavo_leases.expires_at <= {now} THEN {expires_at:proposed}
                    ELSE octavo_leases.expires_at END
{holder:returning}""")
_HELD: Final = RawStatement("SELECT expires_at FROM octavo_leases WHERE name = {name}")
_END: Final = RawStatement("DELETE FROM octavo_leases WHERE name = {name} AND holder = {holder} {name:returning}")


class LeaseTaken(ServiceUnavailable):
    """Another process holds the lease for too long."""


class Lease:
    """A lease of this holder."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name
        self._holder = secrets.token_hex(16)
        self._is_over = False

    async def end_with(self, unit: UnitOfWork) -> None:
        """Release the lease with a unit of work, which fails if the lease has expired. Raises ServiceUnavailable."""
        if not await self._delete(unit.connection):
            raise ServiceUnavailable(reason=f"the lease {self._name!r} expired")
        unit.after_commit(self._note_end)

    async def take(self, now: float) -> bool:
        """Try to acquire the lease, and return whether that succeeded."""
        dialect, expires_at = self._database.dialect, int(now + LEASE_SECONDS)
        held = await self._database.fetch_value(*_HELD.bind(dialect, name=self._name))
        if held is not None and held > now:
            return False
        taking = _TAKE.bind(dialect, name=self._name, holder=self._holder, expires_at=expires_at, now=int(now))
        async with unit_of_work(self._database) as unit:
            return bool(await unit.connection.fetch_value(*taking) == self._holder)

    async def end(self) -> None:
        """Release the lease."""
        if not self._is_over:
            async with unit_of_work(self._database, in_maintenance=True) as unit:
                await self._delete(unit.connection)

    async def _delete(self, connection: Connection) -> bool:
        ending = _END.bind(self._database.dialect, name=self._name, holder=self._holder)
        return await connection.fetch_value(*ending) is not None

    def _note_end(self) -> None:
        self._is_over = True


@asynccontextmanager
async def lease(database: Database, name: str, clock: Clock = SYSTEM_CLOCK) -> AsyncIterator[Lease]:
    """Hold a lease for the duration of the block, after waiting for other holders. Raises LeaseTaken.

    Inside an ambient transaction it raises TransactionFailed, because others could not see the holder."""
    if joined(database) is not None:
        raise TransactionFailed(f"the lease {name!r} cannot be taken inside a transaction")
    wanted = Lease(database, name)
    deadline = clock.steady() + PATIENCE_SECONDS
    while not await wanted.take(clock.wall()):
        if clock.steady() > deadline:
            raise LeaseTaken(reason=f"another process holds the lease {name!r}")
        await asyncio.sleep(_POLL_SECONDS)
    try:
        yield wanted
    finally:
        await wanted.end()
