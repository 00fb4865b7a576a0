"""System status, for super admins."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, Final

from octavo.access.authorization.actor import Actor, check_super_admin
from octavo.api.admin.answers import data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.monitoring import SystemAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.slow_requests import SlowRequest, SlowRequests
from octavo.core.clock import format_timestamp
from octavo.core.recent_log import Line, RecentLog

_MOST_REQUESTS: Final = 50


class SystemEndpoints:
    """`/octavo/system`"""

    operations = (
        AdminOperation("GET", "/octavo/system", "show", "Show the state of the service", answer=SystemAnswer),
    )

    def __init__(self, facts: Callable[[], Awaitable[dict[str, Any]]], slow: SlowRequests, recent: RecentLog) -> None:
        self._facts = facts
        self._slow = slow
        self._recent = recent

    async def show(self, _: Request, actor: Actor) -> Response:
        """GET /octavo/system"""
        check_super_admin(actor)
        body = {
            **await self._facts(),
            "slowRequests": [_shown_request(one) for one in self._slow.all()[:_MOST_REQUESTS]],
            "log": [_shown_line(one) for one in self._recent.lines()],
        }
        return data_answer(body)


def _shown_request(one: SlowRequest) -> dict[str, Any]:
    at, milliseconds = format_timestamp(one.at), one.milliseconds
    return {"at": at, "method": one.method, "path": one.path, "status": one.status, "milliseconds": milliseconds}


def _shown_line(one: Line) -> dict[str, Any]:
    return {**asdict(one), "at": format_timestamp(one.at)}
