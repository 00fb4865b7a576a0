"""What pages show first: what has been changed, what is to be done."""

from octavo.admin.answers import data_answer
from octavo.admin.operations import AdminOperation
from octavo.admin.shapes.content import RecentAnswer
from octavo.authorization.actor import Actor
from octavo.content_manager.recent import RecentEntries
from octavo.http.request import Request
from octavo.http.response import Response


class RecentEndpoints:
    """`/octavo/recent`: to each administrator what they may read."""

    operations = (
        AdminOperation(
            "GET", "/octavo/recent", "recent", "Show what was changed, and is planned", answers=RecentAnswer
        ),
    )

    def __init__(self, entries: RecentEntries) -> None:
        self._entries = entries

    async def recent(self, _: Request, actor: Actor) -> Response:
        """GET /octavo/recent"""
        changed, drafts = await self._entries.changed(actor), await self._entries.drafts(actor)
        return data_answer({"changed": changed, "drafts": drafts, "planned": await self._entries.planned(actor)})
