"""Copies by the clock: one process of all looks that each is made, by `octavo db backup --scheduled` beside it.

That is a process of its own: it may take hours, and goes on while definitions change. It ends with the service.
"""

import asyncio
import logging
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from typing import Final

from octavo.backups import record
from octavo.clock import this_moment
from octavo.database.connection import Database
from octavo.jobs.schedule import InvalidSchedule, Schedule
from octavo.outage_log import reason_of, without_secrets
from octavo.runtime.prepare_database import StartFailed
from octavo.settings import Settings

logger = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 30.0
_GRACE_SECONDS: Final = 10.0
_MOST_SAID: Final = 500


def schedule_of(settings: Settings) -> Schedule | None:
    """When copies are made; None if nobody wants any. Raises StartFailed."""
    given = settings.database.backups
    if not given.schedule:
        return None
    try:
        schedule = Schedule(given.schedule, given.time_zone)
        schedule.next_after(this_moment())
    except InvalidSchedule as error:
        raise StartFailed(f"database.backups.schedule: {error}") from None
    return schedule


class ScheduledBackups:
    """Looks after copies for one process, from `run` to `close`."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self.schedule = schedule_of(settings)
        self._made: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Look until cancelled whether one is due. What has begun goes on then."""
        told = False
        while True:
            try:
                await self.look()
                told = False
            except Exception as error:  # whatever it is, the next look may go well
                if not told:
                    logger.warning("No copies of the database by the clock for now: %s", reason_of(error))
                told = True
            await asyncio.sleep(_LOOK_SECONDS)

    async def look(self) -> None:
        """Begin with one that is due."""
        given = self._settings.database.backups
        if self.schedule is None or (self._made is not None and not self._made.done()):
            return
        seen = await record.read_record(self._database)
        if seen.is_due(self.schedule, this_moment(), given.timeout * 1000) and await record.begin(self._database, seen):
            self._made = asyncio.create_task(self._make(float(given.timeout)))

    async def settle(self) -> None:
        """Wait for the one that has begun."""
        if self._made is not None:
            await asyncio.wait([self._made])

    async def close(self) -> None:
        """End what is under way; nothing of it is left."""
        if self._made is not None:
            self._made.cancel()
            await asyncio.wait([self._made])

    async def _make(self, seconds: float) -> None:
        command = ("-m", "octavo", "db", "backup", "--scheduled", "--begun", "--project", str(self._settings.project))
        process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=PIPE, stderr=PIPE)
        try:
            async with asyncio.timeout(seconds):
                said, problem = await process.communicate()
        except TimeoutError:
            await _end(process)
            await self._fail(f"it took longer than {seconds:.0f} s")
            return
        except asyncio.CancelledError:
            await _end(process)
            raise
        if process.returncode == 0:
            logger.info("%s", _shown(said))
        elif process.returncode == 1:  # it has written down why
            logger.error("No copy of the database was made: %s", _shown(problem).removeprefix("Error: "))
        else:
            await self._fail(f"the process that makes it ended with {process.returncode}: {_shown(problem)}")

    async def _fail(self, reason: str) -> None:
        logger.error("No copy of the database was made: %s", reason)
        try:
            await record.failed(self._database, reason)
        except Exception as error:  # it is told above
            logger.warning("That cannot be written down: %s", reason_of(error))


async def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
        try:
            async with asyncio.timeout(_GRACE_SECONDS):
                await process.communicate()
        except TimeoutError:
            process.kill()


def _shown(said: bytes) -> str:
    """The end of what a process said, on one line."""
    return without_secrets(" ".join(said.decode(errors="replace").split()))[-_MOST_SAID:]
