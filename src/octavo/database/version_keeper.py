"""Track writes to tables in databases that do not report them: create triggers, and fold their ledger.

If this is interrupted at any point, each table is either tracked or not; reads of untracked tables are not cached.
"""

import logging
import time
from contextlib import suppress
from typing import Final

from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.database.connection import Database
from octavo.database.table_lock_retries import retry_locked
from octavo.query.sql.ddl.physical import physical_tables
from octavo.query.sql.ddl.tables import wanted_tables
from octavo.query.sql.dialects.table_versions import FollowedTable, TableVersions
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_LATER_SECONDS: Final = 30.0
"""Seconds after which a failed attempt is repeated."""
_MANY: Final = 50
"""Number of rows that are worth folding."""
_ENOUGH: Final = 1_000
"""Number of folded rows after which their space is freed: each read scans it."""
_NOT_FOLLOWED: Final = "Changes of %s cannot be tracked, so its responses are not cached: %s"


class VersionTracker:
    """Tracks the tables of one registry."""

    def __init__(self, database: Database, registry: Registry) -> None:
        self._database = database
        self._names = frozenset(table.name for table in physical_tables(wanted_tables(registry), database.dialect))
        self._folded = 0
        self._later: dict[str, float] = {}

    async def states(self) -> tuple[FollowedTable, ...]:
        """Return the state of each existing table."""
        versions = self._database.dialect.versions
        if versions is None or not await self._database.fetch_value(versions.begun):
            return ()
        rows = await self._database.fetch_all(versions.found)
        return tuple(FollowedTable(row[0], bool(row[1])) for row in rows if row[0] in self._names)

    async def keep(self) -> int:
        """Create missing triggers, unless another process does so; return how many were created."""
        versions = self._database.dialect.versions
        if versions is None or ((states := await self.states()) and not self._due(states)):
            return 0
        async with self._database.apart() as connection:
            if not await connection.fetch_value(versions.take):
                return 0
            await connection.execute_script(versions.functions)
            due = self._due(await self.states())
            made = 0
            for table in due:
                try:
                    await connection.execute_script(versions.install(table))
                    made += 1
                except ServiceUnavailable:
                    raise
                except Exception as error:  # drivers have different exceptions; other tables may succeed
                    with suppress(Exception):
                        await connection.execute_script("ROLLBACK")
                    self._put_off(table, error)
            return made

    def _due(self, states: tuple[FollowedTable, ...]) -> list[str]:
        now = time.monotonic()
        return [one.name for one in states if not one.is_followed and now >= self._later.get(one.name, 0.0)]

    def _put_off(self, table: str, error: Exception) -> None:
        level = logging.DEBUG if table in self._later else logging.WARNING
        self._later[table] = time.monotonic() + _LATER_SECONDS
        logger.log(level, _NOT_FOLLOWED, table, reason_of(error))

    async def fold(self) -> None:
        """Combine the ledger rows of many writers."""
        versions = self._database.dialect.versions
        waiting = 0 if versions is None else int(await self._database.fetch_value(versions.waiting))
        if versions is None or waiting < _MANY:
            return
        await self._database.execute(versions.fold)
        self._folded += waiting
        if self._folded > _ENOUGH:
            self._folded = 0
            async with self._database.apart() as connection:
                await connection.execute(versions.clean)

    async def remove(self) -> int:
        """Stop tracking; return how many tables were tracked."""
        versions, database = self._database.dialect.versions, self._database
        if versions is None or not await database.fetch_all(versions.triggers):
            return 0
        return await retry_locked(database, lambda: _remove(database, versions))


async def _remove(database: Database, versions: TableVersions) -> int:
    async with database.transaction(exclusive=True) as transaction:
        tables = sorted(str(row[0]) for row in await transaction.fetch_all(versions.triggers))
        await transaction.execute_script(versions.remove(tables))
        return len(tables)
