"""Content manager endpoints for relations: the linked entries, and candidates to link."""

from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import NO_STORE, page_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.relations import RelationPage, Relations
from octavo.query.numbers import read_entry_id

PREFIX: Final = "/content-manager/relations/:uid"


class RelationEndpoints:
    """`/content-manager/relations/:uid`. Permissions depend on the content type, the field and the entry."""

    operations = (
        AdminOperation("GET", f"{PREFIX}/:field", "candidates", "Search for entries to relate"),
        AdminOperation("GET", f"{PREFIX}/:id/:field", "existing", "List an entry's related entries"),
    )

    def __init__(self, relations: Relations) -> None:
        self._relations = relations

    async def candidates(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/relations/:uid/:field"""
        values = request.path_values
        return _answer(await self._relations.candidates(values["uid"], values["field"], read_params(request), actor))

    async def existing(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/relations/:uid/:id/:field"""
        values = request.path_values
        entry_id = read_entry_id(values["id"])
        found = await self._relations.existing(values["uid"], entry_id, values["field"], read_params(request), actor)
        return _answer(found)


def _answer(found: RelationPage) -> Response:
    if found.page is None:
        return Response(200, b'{"data":%b}' % found.json, headers=NO_STORE)
    return page_answer(found.json, found.page, found.total)
