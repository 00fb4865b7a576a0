"""Administration of background jobs: scheduled tasks, waiting messages and failed ones."""

from typing import Any, Final

from octavo.core.clock import this_moment
from octavo.core.errors import NotFoundError
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork, run_unit
from octavo.events.dead_letters import DeadLetter, DeadLetters
from octavo.events.jobs.registry import TOPIC
from octavo.events.jobs.schedule import InvalidSchedule, Schedule
from octavo.events.jobs.scheduler import known_tasks
from octavo.events.origin import actor_payload
from octavo.events.outbox import Outbox, Waiting, list_waiting

_MOST: Final = 100


class JobAdmin:
    """The background jobs of one database."""

    def __init__(self, database: Database, outbox: Outbox) -> None:
        self._database = database
        self._outbox = outbox
        self._letters = DeadLetters(database, outbox)

    async def tasks(self) -> list[dict[str, Any]]:
        """Return the scheduled tasks known to the database: name, rule, time zone, last and next run."""
        return [
            {
                "name": one.name,
                "rule": one.rule,
                "zone": one.zone,
                "lastAt": one.last_at,
                "nextAt": _next(one.rule, one.zone),
            }
            for one in await known_tasks(self._database)
        ]

    async def waiting(self) -> list[Waiting]:
        """Return the next due messages."""
        return await list_waiting(self._database, most=_MOST)

    async def given_up(self) -> list[DeadLetter]:
        """Return the failed messages, the newest first."""
        return await self._letters.list(most=_MOST)

    async def run_task(self, name: str) -> int:
        """Run a task now, and return the job's id. Raises NotFoundError."""
        if name not in {task.name for task in await known_tasks(self._database)}:
            raise NotFoundError(f"Unknown task {name}")
        payload = {
            "name": name,
            "args": [],
            "kwargs": {},
            "attempts": 1,
            "occurrence": this_moment(),
            **actor_payload(),
        }

        async def add(unit: UnitOfWork) -> int:
            return await self._outbox.add(unit, TOPIC, payload, ordering_key=f"task {name}")

        return await run_unit(self._database, UnitOfWork, add, grouped=False)

    async def retry(self, letter_id: int) -> int:
        """Retry a failed message, and return its new id. Raises NotFoundError."""
        count = await self._letters.send_again(letter_id)
        if count is None:
            raise NotFoundError(f"No failed job or message has the ID {letter_id}")
        return count


def _next(rule: str, zone: str) -> int | None:
    try:
        return Schedule(rule, zone).next_after(this_moment())
    except InvalidSchedule:
        return None
