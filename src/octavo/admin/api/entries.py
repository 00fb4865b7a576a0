"""The content manager's routes for entries of collection types."""

from typing import Final

from octavo.admin.answers import NO_STORE
from octavo.admin.operations import AdminOperation
from octavo.authorization.actor import Actor
from octavo.content_manager.entries import ManagedEntries
from octavo.content_manager.managed import managed_type
from octavo.errors import NotFoundError
from octavo.http.request import Request
from octavo.http.response import Response
from octavo.query.numbers import read_entry_id

PREFIX: Final = "/content-manager/collection-types/:uid"


class EntryEndpoints:
    """`/content-manager/collection-types/:uid`. Who may depends on the content-type and on the entry."""

    operations = (AdminOperation("GET", f"{PREFIX}/:id", "find_one", "Show an entry"),)

    def __init__(self, entries: ManagedEntries) -> None:
        self._entries = entries

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/collection-types/:uid/:id"""
        content_type = managed_type(self._entries.registry, request.path_values["uid"], actor)
        return Response(200, await self._entries.one(content_type, read_id(request), actor), headers=NO_STORE)


def read_id(request: Request) -> int:
    """The id in the path. Raises NotFoundError for what is none."""
    entry_id = read_entry_id(request.path_values["id"])
    if entry_id is None:
        raise NotFoundError
    return entry_id
