"""Background work, for super admins: scheduled tasks, queued work and dead letters."""

from typing import Any

from octavo.access.authorization.actor import Actor, check_super_admin
from octavo.api.admin.answers import data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.monitoring import WorkAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.clock import format_timestamp
from octavo.events.dead_letters import DeadLetter
from octavo.events.jobs.admin import JobAdmin
from octavo.events.outbox import Waiting, describe_message
from octavo.query.numbers import read_entry_id


class WorkEndpoints:
    """`/octavo/jobs`"""

    operations = (
        AdminOperation("GET", "/octavo/jobs", "find", "Show background jobs", answer=WorkAnswer),
        AdminOperation("POST", "/octavo/jobs/tasks/:name/run", "run", "Run a scheduled task now"),
        AdminOperation("POST", "/octavo/jobs/given-up/:id/retry", "retry", "Retry failed jobs"),
    )

    def __init__(self, jobs: JobAdmin) -> None:
        self._jobs = jobs

    async def find(self, _: Request, actor: Actor) -> Response:
        """GET /octavo/jobs"""
        check_super_admin(actor)
        body = {
            "tasks": [_task(one) for one in await self._jobs.tasks()],
            "waiting": [_waiting(one) for one in await self._jobs.waiting()],
            "givenUp": [_given_up(one) for one in await self._jobs.given_up()],
        }
        return data_answer(body)

    async def run(self, request: Request, actor: Actor) -> Response:
        """POST /octavo/jobs/tasks/:name/run: queues the task."""
        check_super_admin(actor)
        return data_answer({"id": await self._jobs.run_task(request.path_values["name"])}, status=202)

    async def retry(self, request: Request, actor: Actor) -> Response:
        """POST /octavo/jobs/given-up/:id/retry"""
        check_super_admin(actor)
        letter = read_entry_id(request.path_values["id"]) or 0
        return data_answer({"id": await self._jobs.retry(letter)}, status=202)


def _task(one: dict[str, Any]) -> dict[str, Any]:
    after = one["nextAt"]
    return {
        **one,
        "lastAt": format_timestamp(one["lastAt"]),
        "nextAt": None if after is None else format_timestamp(after),
    }


def _waiting(one: Waiting) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.topic,
        "what": describe_message(one.payload),
        "dueAt": format_timestamp(one.due_at),
        "attempts": one.attempts,
        "error": one.error,
    }


def _given_up(one: DeadLetter) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.topic,
        "what": describe_message(one.payload),
        "diedAt": format_timestamp(one.died_at),
        "attempts": one.attempts,
        "error": one.error,
    }
