"""Data of the home page: recent changes, drafts and schedules."""

from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import PlannedAnswer, RecentAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.managed_types import managed_type
from octavo.content.manager.recent import RecentEntries


class RecentEndpoints:
    """`/octavo/recent`, `/octavo/schedules/:uid`: limited to entries that the administrator can read."""

    operations = (
        AdminOperation("GET", "/octavo/recent", "recent", "Show recent changes and schedules", answers=RecentAnswer),
        AdminOperation(
            "GET", "/octavo/schedules/:uid", "planned", "Show the schedules of entries", answers=PlannedAnswer
        ),
    )

    def __init__(self, entries: RecentEntries) -> None:
        self._entries = entries

    async def recent(self, _: Request, actor: Actor) -> Response:
        """GET /octavo/recent"""
        changed, drafts = await self._entries.changed(actor), await self._entries.drafts(actor)
        return data_answer({"changed": changed, "drafts": drafts, "planned": await self._entries.planned(actor)})

    async def planned(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/schedules/:uid: the next 200 schedules of entries that the administrator can read."""
        content_type = managed_type(self._entries.registry, request.path_values["uid"], actor)
        return data_answer(await self._entries.planned_of(content_type, actor))
