"""The scheduler of tasks. Of all processes using a database, one adds each occurrence to the outbox.

A row for each task stores the last processed occurrence. The process that updates it adds the job in the same
transaction. Occurrences missed while no process was running are skipped, or run once if the task catches up.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

from octavo.core.clock import this_moment
from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork, run_unit
from octavo.events.jobs.schedule import Schedule
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.raw_statement import RawStatement

logger = logging.getLogger(__name__)

TABLE: Final = SystemTable(
    "octavo_cron",
    (
        "name varchar(255) PRIMARY KEY NOT NULL",
        "rule varchar(255) NOT NULL",
        "zone varchar(64) NOT NULL",
        "last_at bigint NOT NULL",
    ),
    kept=True,
)

GRACE: Final = 60_000
"""Milliseconds by which an occurrence may be late without counting as missed: a restart takes that long."""
_LONGEST_SLEEP: Final = 30.0
_SHORTEST_SLEEP: Final = 0.05

_FIND: Final = RawStatement("SELECT rule, zone, last_at FROM octavo_cron WHERE name = {name}")
_BEGIN: Final = RawStatement("""
INSERT INTO octavo_cron (name, rule, zone, last_at) VALUES ({name}, {rule}, {zone}, {now})
{name:on_conflict} rule = {rule:proposed}, zone = {zone:proposed}, last_at = {last_at:proposed}""")
_MOVE: Final = RawStatement("""
UPDATE octavo_cron SET last_at = {occurrence} WHERE name = {name} AND last_at < {occurrence} {name:returning}""")
_LIST: Final = "SELECT name, rule, zone, last_at FROM octavo_cron ORDER BY name"


@dataclass(frozen=True, slots=True)
class Task:
    """A scheduled task. `catches_up`: it runs once for occurrences missed while no process was running."""

    name: str
    schedule: Schedule
    call: Callable[..., Any]
    place: str
    catches_up: bool = False


@dataclass(frozen=True, slots=True)
class KnownTask:
    """A task in the database. `last_at` is its last occurrence, or when it was added."""

    name: str
    rule: str
    zone: str
    last_at: int


async def known_tasks(database: Database) -> list[KnownTask]:
    """Return the tasks that processes have scheduled on a database."""
    return [KnownTask(*row) for row in await database.fetch_all(_LIST)]


Start = Callable[[UnitOfWork, Task, int], Awaitable[object]]
"""Adds the job for an occurrence to a unit of work."""


class Scheduler:
    """Schedules the tasks of one process."""

    def __init__(
        self, database: Database, tasks: Iterable[Task], start: Start, now: Callable[[], int] = this_moment
    ) -> None:
        self._database = database
        self._dialect = database.dialect
        self._tasks = tuple(tasks)
        self._start = start
        self._now = now
        self._seen: dict[str, int] = {}

    async def run(self) -> None:
        """Schedule tasks until cancelled. While the database is unavailable, it keeps trying."""
        out_of_reach = False
        while True:
            try:
                await self.look()
                out_of_reach = False
            except Exception as error:  # the next check may succeed
                if not out_of_reach:
                    unexpected = None if isinstance(error, ServiceUnavailable) else error
                    logger.warning("Scheduled tasks are waiting: %s", reason_of(error), exc_info=unexpected)
                out_of_reach = True
                await asyncio.sleep(1)
            await asyncio.sleep(self._pause())

    async def look(self) -> None:
        """Start due tasks."""
        for task in self._tasks:
            if task.name not in self._seen:
                self._seen[task.name] = await self._begin(task)
            now = self._now()
            occurrence = task.schedule.latest(now)
            if occurrence is not None and occurrence > self._seen[task.name]:
                await self._take(task, occurrence, on_time=now - occurrence <= GRACE)
                self._seen[task.name] = occurrence

    def _pause(self) -> float:
        """Return the seconds until the next occurrence of any task, or until the next regular check."""
        now = self._now()
        coming = [next_time for task in self._tasks if (next_time := task.schedule.next_after(now)) is not None]
        return min(_LONGEST_SLEEP, max(_SHORTEST_SLEEP, (min(coming) - now) / 1000)) if coming else _LONGEST_SLEEP

    async def _begin(self, task: Task) -> int:
        """Return the last processed occurrence; now, if the task is new or its schedule has changed."""
        row = await self._database.fetch_row(*_FIND.bind(self._dialect, name=task.name))
        if row is not None and (row[0], row[1]) == (task.schedule.rule, task.schedule.zone):
            return int(row[2])
        now, schedule = self._now(), task.schedule
        begin = _BEGIN.bind(self._dialect, name=task.name, rule=schedule.rule, zone=schedule.zone, now=now)
        await run_unit(self._database, UnitOfWork, lambda unit: unit.connection.execute(*begin), grouped=False)
        return now

    async def _take(self, task: Task, occurrence: int, *, on_time: bool) -> None:
        async def take(unit: UnitOfWork) -> None:
            moving = _MOVE.bind(self._dialect, name=task.name, occurrence=occurrence)
            if await unit.connection.fetch_value(*moving) is None:
                return  # another process has taken it
            if on_time or task.catches_up:
                await self._start(unit, task, occurrence)
            else:
                logger.info("%s: the last run was missed while the service was down; skipping it", task.name)

        await run_unit(self._database, UnitOfWork, take, grouped=False)
