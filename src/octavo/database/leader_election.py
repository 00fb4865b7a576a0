"""Leader election: of all processes using a database, one runs each background task.

The leader holds a row of `octavo_leases`, which it renews. The others check it periodically, and one of them takes over
when it expires. Tasks must not rely on it for safety: for a moment there may be two leaders, or none.
"""

import secrets
from typing import Final

from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.raw_statement import RawStatement

LEASE_SECONDS: Final = 20.0
_RENEW_SECONDS: Final = 8.0
"""How often the leader renews its row, and others check it."""

_LOOK: Final = RawStatement("SELECT holder, expires_at FROM octavo_leases WHERE name = {name}")
_TAKE: Final = RawStatement("""
INSERT INTO octavo_leases (name, holder, expires_at) VALUES ({name}, {holder}, {expires_at})
{name:on_conflict}
  holder = CASE WHEN octavo_leases.expires_at <= {now} THEN {holder:proposed} ELSE octavo_leases.holder END,
  expires_at = CASE WHEN octavo_leases.expires_at <= {now} OR octavo_leases.holder = {holder}
                    THEN {expires_at:proposed} ELSE octavo_leases.expires_at END
{holder:returning}""")
_LEAVE: Final = RawStatement("DELETE FROM octavo_leases WHERE name = {name} AND holder = {holder}")


class Leadership:
    """Whether this process is the leader for a named task."""

    def __init__(self, database: Database, name: str, clock: Clock = SYSTEM_CLOCK) -> None:
        self._database = database
        self._name = name
        self._clock = clock
        self._holder = secrets.token_hex(16)
        self._is_here = not database.dialect.is_shared
        self._again_at = 0.0

    async def is_here(self) -> bool:
        """Return whether this process is the leader. The result is cached for some seconds. On a database that is not
        shared, the process always is.

        Raises ServiceUnavailable; the process is not the leader then.
        """
        if self._database.dialect.is_shared and self._clock.steady() >= self._again_at:
            self._is_here = False
            self._is_here = await self._take()
            self._again_at = self._clock.steady() + _RENEW_SECONDS
        return self._is_here

    async def leave(self) -> None:
        """Give up leadership, so that another process can take over at once. Raises ServiceUnavailable."""
        if self._database.dialect.is_shared and self._is_here:
            self._is_here, self._again_at = False, self._clock.steady() + _RENEW_SECONDS
            leaving = _LEAVE.bind(self._database.dialect, name=self._name, holder=self._holder)
            async with unit_of_work(self._database, in_maintenance=True) as unit:
                await unit.connection.execute(*leaving)

    async def _take(self) -> bool:
        dialect, now = self._database.dialect, int(self._clock.wall())
        row = await self._database.fetch_row(*_LOOK.bind(dialect, name=self._name))
        if row is not None and row[0] != self._holder and row[1] > now:
            return False
        expires_at = now + int(LEASE_SECONDS)
        taking = _TAKE.bind(dialect, name=self._name, holder=self._holder, expires_at=expires_at, now=now)
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            return bool(await unit.connection.fetch_value(*taking) == self._holder)
