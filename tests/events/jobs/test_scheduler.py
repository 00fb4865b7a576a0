"""Scheduled tasks: one of all processes starts each occurrence."""

import asyncio
from dataclasses import dataclass, field

import pytest

from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.jobs import scheduler
from octavo.events.jobs.schedule import Schedule
from octavo.events.jobs.scheduler import GRACE, Scheduler, Task, known_tasks

pytestmark = pytest.mark.anyio

HOUR = 3_600_000
BEGIN = 1_700_000_000_000 // HOUR * HOUR + 1000


@dataclass
class Clock:
    """A clock that a test sets, and the started tasks by occurrence."""

    now: int = BEGIN
    started: list[tuple[str, int]] = field(default_factory=list)

    async def start(self, unit: UnitOfWork, task: Task, occurrence: int) -> None:
        self.started.append((task.name, occurrence))

    def process(self, database: Database, rule: str = "0 * * * *", catches_up: bool = False) -> Scheduler:
        task = Task("hourly", Schedule(rule), print, "src/cron.py", catches_up)
        return Scheduler(database, [task], self.start, lambda: self.now)


@pytest.fixture
async def table(database: Database) -> Database:
    await database.execute_script(scheduler.TABLE.script(database.dialect))
    return database


async def test_one_of_all_processes_starts_each_occurrence(table: Database) -> None:
    clock = Clock()
    processes = [clock.process(table) for _ in range(3)]
    for _ in range(4):
        await asyncio.gather(*(process.look() for process in processes))
        await asyncio.gather(*(process.look() for process in processes))
        clock.now += HOUR
    first = BEGIN - 1000 + HOUR
    assert clock.started == [("hourly", first), ("hourly", first + HOUR), ("hourly", first + 2 * HOUR)]
    (known,) = await known_tasks(table)
    assert (known.name, known.rule, known.zone, known.last_at) == ("hourly", "0 * * * *", "UTC", first + 2 * HOUR)


@pytest.mark.parametrize(
    "late, catches_up, count", [(GRACE // 2, False, 1), (GRACE * 2, False, 0), (GRACE * 2, True, 1)]
)
async def test_missed_occurrences_are_skipped_or_run_once(
    table: Database, late: int, catches_up: bool, count: int
) -> None:
    clock = Clock()
    await clock.process(table, catches_up=catches_up).look()
    clock.now = BEGIN - 1000 + 5 * HOUR + late
    later = clock.process(table, catches_up=catches_up)
    await later.look()
    await later.look()
    assert clock.started == [("hourly", BEGIN - 1000 + 5 * HOUR)] * count
    clock.now += HOUR - late
    await later.look()
    assert len(clock.started) == count + 1


async def test_a_changed_schedule_starts_over(table: Database) -> None:
    clock = Clock()
    await clock.process(table).look()
    clock.now += 3 * HOUR
    changed = clock.process(table, "30 * * * *", catches_up=True)
    await changed.look()
    assert clock.started == []
    clock.now += HOUR
    await changed.look()
    assert len(clock.started) == 1
