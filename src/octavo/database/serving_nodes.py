"""Which options the processes have that serve a database, so that older definitions change nothing while newer serve.

Each process has a row of `octavo_leases`, named by what its content types' options are, and renews it. A process that
was killed is forgotten after a minute.
"""

import secrets
from typing import Final

from octavo.clock import SYSTEM_CLOCK, Clock
from octavo.database.connection import Connection, Database
from octavo.database.leases import TABLE
from octavo.database.unit_of_work import unit_of_work
from octavo.sql.dialects.base import Dialect
from octavo.sql.own_table_statement import OwnStatement

RENEW_SECONDS: Final = 20.0
_LEASE_SECONDS: Final = 60
_PREFIX: Final = "options "

_SAVE: Final = OwnStatement(f"""
INSERT INTO {TABLE.name} (name, holder, expires_at) VALUES ({{name}}, {{holder}}, {{expires_at}})
{{name:on_conflict}} expires_at = {{expires_at:proposed}}""")
_LEAVE: Final = OwnStatement(f"DELETE FROM {TABLE.name} WHERE name = {{name}}")
_COUNT: Final = OwnStatement(f"SELECT count(*) FROM {TABLE.name} WHERE name LIKE {{names}} AND expires_at > {{now}}")


class ServingNode:
    """A process that serves definitions with certain options; `mark` stands for these (`option_changes`)."""

    def __init__(self, database: Database, mark: str, clock: Clock = SYSTEM_CLOCK) -> None:
        self._database = database
        self._clock = clock
        self._holder = secrets.token_hex(16)
        self._name = f"{_PREFIX}{mark} {self._holder}"

    async def renew(self) -> None:
        """Note that this process serves. Raises ServiceUnavailable."""
        expires_at = int(self._clock.wall()) + _LEASE_SECONDS
        saving = _SAVE.bind(self._database.dialect, name=self._name, holder=self._holder, expires_at=expires_at)
        async with unit_of_work(self._database) as unit:
            await unit.connection.execute(*saving)

    async def leave(self) -> None:
        """Note that this process does not serve any more. Raises ServiceUnavailable."""
        async with unit_of_work(self._database) as unit:
            await unit.connection.execute(*_LEAVE.bind(self._database.dialect, name=self._name))


async def others_serve(connection: Connection, dialect: Dialect, mark: str, clock: Clock = SYSTEM_CLOCK) -> bool:
    """Whether a process serves definitions with certain options. The table of leases is there."""
    counting = _COUNT.bind(dialect, names=f"{_PREFIX}{mark} %", now=int(clock.wall()))
    return bool(await connection.fetch_value(*counting))
