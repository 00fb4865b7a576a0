"""Scheduled backups: one of the processes starts each as a subprocess, `octavo db backup --scheduled`.

A backup may take hours, so its process continues while definitions change. It ends with the service.
"""

import asyncio
import logging
import sys
from contextlib import suppress
from importlib.util import find_spec
from subprocess import PIPE, Popen
from typing import Final

from octavo.core.clock import this_moment
from octavo.core.outage_log import reason_of, without_secrets
from octavo.database.connection import Database
from octavo.events.jobs import backup_records
from octavo.events.jobs.schedule import InvalidSchedule, Schedule
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.settings import Settings

logger = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 30.0
_GRACE_SECONDS: Final = 10.0
_MOST_SAID: Final = 500
_LONGEST: Final = 6 * 3600.0
"""Maximum duration of a backup, in seconds."""


def schedule_of(settings: Settings) -> Schedule | None:
    """Return the schedule of backups, or None. Raises StartFailed."""
    given = settings.database.backups
    if not given.schedule:
        return None
    try:
        schedule = Schedule(given.schedule, settings.server.jobs.time_zone)
        schedule.next_after(this_moment())
    except InvalidSchedule as error:
        raise StartFailed(f"database.backups.schedule: {error}") from None
    if given.bucket.name and find_spec("boto3") is None:
        raise StartFailed("database.backups.bucket: requires a package: pip install 'octavo[s3]'")
    return schedule


class ScheduledBackups:
    """Run scheduled backups in one process, from `run` to `close`."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self.schedule = schedule_of(settings)
        self._made: asyncio.Task[None] | None = None
        self._taken: asyncio.Task[bool] | None = None

    async def run(self) -> None:
        """Start due backups until cancelled. A running backup continues."""
        is_logged = False
        while True:
            try:
                await self.look()
                is_logged = False
            except Exception as error:  # retry after any error
                if not is_logged:
                    logger.warning("Scheduled backups are paused: %s", reason_of(error))
                is_logged = True
            await asyncio.sleep(_LOOK_SECONDS)

    async def look(self) -> None:
        """Start a backup if one is due."""
        if self.schedule is None:
            return
        if self._made is not None and not self._made.done():
            if self._is_ours():
                await backup_records.renew_attempt(self._database)
            return
        seen = await backup_records.read_record(self._database)
        if seen.is_due(self.schedule, this_moment()):
            # A separate task: cancelling this check must not leave a claimed attempt that does not run.
            self._taken = asyncio.create_task(backup_records.begin(self._database, seen))
            self._made = asyncio.create_task(self._attempt(self._taken))

    async def drain(self) -> None:
        """Wait for the running backup."""
        if self._made is not None:
            await asyncio.wait([self._made])

    async def close(self) -> None:
        """End the running backup without a trace, so that another process can start one."""
        if self._made is None or self._taken is None or self._made.done():
            return
        await asyncio.wait([self._taken])
        self._made.cancel()
        await asyncio.wait([self._made])
        if self._is_ours() and self._made.cancelled():
            with suppress(Exception):  # other processes notice later
                await backup_records.take_back(self._database)

    def _is_ours(self) -> bool:
        """Return whether this process has claimed the attempt."""
        taken = self._taken
        return taken is not None and taken.done() and taken.exception() is None and taken.result()

    async def _attempt(self, taken: asyncio.Task[bool]) -> None:
        try:
            is_ours = await asyncio.shield(taken)
        except Exception as error:  # the next check retries
            logger.warning("Could not start a backup: %s", reason_of(error))
            return
        if is_ours:
            await self._make(_LONGEST)

    async def _make(self, seconds: float) -> None:
        try:
            await self._make_beside(seconds)
        except Exception as error:  # report any error
            logger.exception("Could not start the backup process")
            await self._fail(reason_of(error))

    async def _make_beside(self, seconds: float) -> None:
        command = ("-m", "octavo", "db", "backup", "--scheduled", "--begun", "--project", str(self._settings.project))
        # Wait in a thread: the event loop of a worker is not notified when processes end.
        process = _started(sys.executable, *command)
        waiting = asyncio.ensure_future(asyncio.to_thread(process.communicate))
        try:
            async with asyncio.timeout(seconds):
                said, problem = await asyncio.shield(waiting)
        except TimeoutError:
            await _end(process, waiting)
            await self._fail(f"it took longer than {seconds:.0f} s")
            return
        except asyncio.CancelledError:
            await _end(process, waiting)
            raise
        if process.returncode == 0:
            logger.info("%s", _shown(said))
        elif process.returncode == 1:  # it has recorded the reason
            logger.error("The backup failed: %s", _shown(problem).removeprefix("Error: "))
        else:
            await self._fail(f"the backup process exited with {process.returncode}: {_shown(problem)}")

    async def _fail(self, reason: str) -> None:
        logger.error("The backup failed: %s", reason)
        try:
            await backup_records.failed(self._database, reason)
        except Exception as error:  # the reason is logged above
            logger.warning("Could not record: %s", reason_of(error))


def _started(*command: str) -> "Popen[bytes]":
    return Popen(command, stdout=PIPE, stderr=PIPE)


async def _end(process: "Popen[bytes]", waiting: "asyncio.Future[tuple[bytes, bytes]]") -> None:
    process.terminate()
    done, _ = await asyncio.wait([waiting], timeout=_GRACE_SECONDS)
    if not done:
        process.kill()
        await asyncio.wait([waiting])


def _shown(said: bytes) -> str:
    """Return the end of a process's output, on one line."""
    return without_secrets(" ".join(said.decode(errors="replace").split()))[-_MOST_SAID:]
