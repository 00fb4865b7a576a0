"""Content manager endpoints to read entries of collection types and single types."""

from typing import Any, Final

from octavo.access.authorization.ability import CREATE, FIND
from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import page_answer
from octavo.api.admin.endpoints.preconditions import entry_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import EntryPage
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.entries import ManagedEntries
from octavo.content.manager.managed_types import managed_type
from octavo.core.errors import ForbiddenError, NotFoundError
from octavo.query.numbers import read_entry_id

PREFIX: Final = "/content-manager/collection-types/:uid"
SINGLE: Final = "/content-manager/single-types/:uid"


class EntryEndpoints:
    """`/content-manager/collection-types/:uid`. Permissions depend on the content type and the entry."""

    operations = (
        AdminOperation("GET", PREFIX, "find", "List entries", answers=EntryPage),
        AdminOperation("GET", f"{PREFIX}/:id", "find_one", "Show an entry", answers=dict[str, Any]),
        AdminOperation("GET", SINGLE, "find_single", "Show the entry of a single type", answers=dict[str, Any]),
    )

    def __init__(self, entries: ManagedEntries) -> None:
        self._entries = entries

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/collection-types/:uid"""
        content_type = managed_type(self._entries.registry, request.path_values["uid"], actor)
        entries, page, total = await self._entries.page(
            content_type, request.query, lambda: read_params(request), actor
        )
        return page_answer(entries, page, total)

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/collection-types/:uid/:id"""
        content_type = managed_type(self._entries.registry, request.path_values["uid"], actor)
        return entry_answer(await self._entries.one(content_type, read_id(request), actor))

    async def find_single(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/single-types/:uid: 404 if the entry is missing and the caller can create it."""
        ability, uid = actor.ability, request.path_values["uid"]
        may_find = ability.may(FIND, uid)
        content_type = managed_type(self._entries.registry, uid, actor, FIND if may_find else CREATE)
        found = await self._entries.single(content_type, read_params(request), actor) if may_find else None
        if found is None:
            raise NotFoundError if ability.may(CREATE, uid) else ForbiddenError
        return entry_answer(found)


def read_id(request: Request) -> int:
    """Return the id in the path. Raises NotFoundError for other texts."""
    entry_id = read_entry_id(request.path_values["id"])
    if entry_id is None:
        raise NotFoundError
    return entry_id
