"""System status and live settings for super admins; all administrators can read the message of maintenance mode."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, Final

from octavo.access.authorization.actor import Actor, check_super_admin
from octavo.accounts.administrators.live_settings import LEVELS, MOST_MESSAGE, LiveSettings, LiveSettingsRows, Name
from octavo.api.admin.answers import data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.monitoring import ChangedLiveSettings, LiveSettingsAnswer, MaintenanceAnswer, SystemAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.slow_requests import SlowRequest, SlowRequests
from octavo.core.clock import format_timestamp
from octavo.core.errors import ValidationError
from octavo.core.forms import Record, Text, at_least, at_most, check
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


_PATH: Final = "/octavo/live-settings"
_FORM: Final = Record(
    {
        "logLevel": Text(nullable=True),
        "maintenance": Text(at_least(1), at_most(MOST_MESSAGE), nullable=True),
    },
    closed=True,
)


class LiveSettingsEndpoints:
    """`/octavo/live-settings` and `/octavo/maintenance`"""

    operations = (
        AdminOperation("GET", _PATH, "show", "Show the log level and maintenance mode", answer=LiveSettingsAnswer),
        AdminOperation(
            "PUT",
            _PATH,
            "change",
            "Set the log level and maintenance mode of all processes",
            answer=LiveSettingsAnswer,
            body=ChangedLiveSettings,
        ),
        AdminOperation(
            "GET",
            "/octavo/maintenance",
            "maintenance",
            "Show whether the service is read-only",
            answer=MaintenanceAnswer,
        ),
    )

    def __init__(self, rows: LiveSettingsRows) -> None:
        self._rows = rows

    async def show(self, _: Request, actor: Actor) -> Response:
        """GET /octavo/live-settings"""
        check_super_admin(actor)
        return data_answer(_shown(await self._rows.read()))

    async def change(self, request: Request, actor: Actor) -> Response:
        """PUT /octavo/live-settings: `null` resets a value; missing ones stay."""
        check_super_admin(actor)
        body: Any = await request.json()
        check(_FORM, body)
        if body.get("logLevel") not in (None, *LEVELS):
            raise ValidationError(f"logLevel must be null or one of {', '.join(LEVELS)}")
        message = body.get("maintenance")
        if message is not None and not message.strip():
            raise ValidationError("maintenance must be null or a message, not only spaces")
        values: dict[Name, str | None] = {}
        if "logLevel" in body:
            values["logLevel"] = body["logLevel"]
        if "maintenance" in body:
            values["maintenance"] = message and message.strip()
        await self._rows.set(values)
        return data_answer(_shown(await self._rows.read()))

    async def maintenance(self, _: Request, __: Actor) -> Response:
        """GET /octavo/maintenance"""
        return data_answer({"message": self._rows.maintenance})


def _shown(found: LiveSettings) -> dict[str, str | None]:
    return {"logLevel": found.log_level, "maintenance": found.maintenance}
