"""Synchronize definitions between processes that share a database.

Each process polls a version in the database twice a second. The process that changes definitions increments it after
serving them, and the others reload the project. Distributing the project's files is up to the deployment.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement

logger = logging.getLogger(__name__)

TABLE: Final = SystemTable(
    "octavo_site_version", ("id integer PRIMARY KEY NOT NULL CHECK (id = 1)", "version integer NOT NULL"), kept=True
)
POLL_SECONDS: Final = 0.5
_LONGEST_WAIT: Final = 30.0
"""Maximum delay between attempts to load a version that failed."""

_READ: Final = "SELECT version FROM octavo_site_version WHERE id = 1"
_RAISE: Final = RawStatement("""
INSERT INTO octavo_site_version (id, version) VALUES (1, 1)
{id:on_conflict} version = octavo_site_version.version + 1
{version:returning}""")


async def read_version(database: Database) -> int:
    """Return the version in the database, 0 before the first change."""
    return int(await database.fetch_value(_READ) or 0)


async def raise_version(database: Database) -> int:
    """Increment the version, so that all processes on the database reload. Return the new version."""
    async with unit_of_work(database) as unit:
        return int(await unit.connection.fetch_value(*_RAISE.bind(database.dialect)))


class _Failed(NamedTuple):
    """A version that failed to load; when to retry, in the event loop's seconds; and the delay."""

    version: int = -1
    again_at: float = 0.0
    wait: float = 0.0


class Follower:
    """Follow the version for one process. `database` is called each time, because settings can change it."""

    def __init__(self, database: Callable[[], Database], reload: Callable[[], Awaitable[None]]) -> None:
        self._database = database
        self._reload = reload
        self._seen = 0
        self._failed = _Failed()
        self._out_of_reach = False
        self._look = asyncio.Lock()

    async def begin(self, is_current: Callable[[], Awaitable[bool]]) -> None:
        """Take the current version as the served one, unless the project has changed since it was read."""
        self._seen = await read_version(self._database())
        if not await is_current():
            self._seen = -1

    async def publish(self) -> None:
        """Notify other processes of a change that is served here."""
        async with self._look:  # otherwise `run` could take it for another process's change
            version = await raise_version(self._database())
            if version == self._seen + 1:  # otherwise another process's change came between, and must be loaded
                self._seen = version

    async def run(self) -> None:
        """Poll until cancelled."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            try:
                async with self._look:
                    await self._follow(await read_version(self._database()))
                self._out_of_reach = False
            except Exception as error:  # retry after any error
                if not self._out_of_reach:
                    logger.warning("Cannot read the version of the definitions: %s", error.__cause__ or error)
                self._out_of_reach = True

    async def _follow(self, version: int) -> None:
        failed, now = self._failed, asyncio.get_running_loop().time()
        if version == self._seen or (version == failed.version and now < failed.again_at):
            return
        try:
            await self._reload()
        except Exception:  # `reload` logs it
            wait = min(failed.wait * 2, _LONGEST_WAIT) if version == failed.version else POLL_SECONDS
            self._failed = _Failed(version, now + wait, wait)
        else:
            self._seen = version
