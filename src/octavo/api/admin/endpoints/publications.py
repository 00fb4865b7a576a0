"""Publish entries with their former publication dates. v4 has no such endpoint."""

from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import plain_answer
from octavo.api.admin.endpoints.entry_changes import check_drafts
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import PublishedAgain
from octavo.api.admin.schemas.media import Counted
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.entry_actions import PUBLISH, EntryActions
from octavo.content.manager.managed_types import managed_type
from octavo.core.clock import this_moment
from octavo.core.errors import ValidationError
from octavo.core.forms import REQUIRED, Id, Items, Record, Text, at_least, check
from octavo.query.dates import read_instant
from octavo.query.numbers import read_entry_id

_ENTRY: Final = Record({"id": Id(REQUIRED), "publishedAt": Text(REQUIRED)}, closed=True)
_FORM: Final = Record({"entries": Items(_ENTRY, at_least(1), REQUIRED)}, closed=True)


class PublicationEndpoints:
    """`/octavo/publications/:uid`"""

    operations = (
        AdminOperation(
            "POST",
            "/octavo/publications/:uid",
            "publish",
            "Publish entries with their previous publication dates",
            takes=PublishedAgain,
            answers=Counted,
        ),
    )

    def __init__(self, actions: EntryActions) -> None:
        self._actions = actions

    async def publish(self, request: Request, actor: Actor) -> Response:
        """POST /octavo/publications/:uid: undoes `bulkUnpublish`, in one transaction."""
        content_type = managed_type(self._actions.registry, request.path_values["uid"], actor, PUBLISH)
        check_drafts(content_type)
        body = await request.json()
        check(_FORM, body)
        moments: dict[int | None, int] = {}
        for one in body["entries"]:
            moments[read_entry_id(one["id"], digits_only=True)] = _past(one["publishedAt"])
        return plain_answer({"count": await self._actions.publish_as_before(content_type, moments, actor)})


def _past(text: str) -> int:
    moment = read_instant(text)
    if moment > this_moment():
        raise ValidationError("publishedAt must not be in the future")
    return moment
