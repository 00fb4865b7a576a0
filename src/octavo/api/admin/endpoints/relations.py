"""Content manager endpoints for relations: linked entries, candidates to link, and the number of linked drafts."""

from typing import Any, Final

from octavo.access.authorization.ability import FIND
from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import NO_STORE, data_answer, page_answer
from octavo.api.admin.endpoints.entries import PREFIX, read_id
from octavo.api.admin.endpoints.entry_changes import SINGLE_TYPES
from octavo.api.admin.operations import AdminOperation
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.draft_relations import DraftRelations
from octavo.content.manager.entry_actions import MOST_AT_ONCE
from octavo.content.manager.entry_writes import EntryWrites
from octavo.content.manager.managed_types import managed_single, managed_type
from octavo.content.manager.relations import RelationPage, Relations
from octavo.core.errors import NotFoundError, Problem, ValidationError
from octavo.query.numbers import read_entry_id

_RELATIONS: Final = "/content-manager/relations/:uid"


class RelationEndpoints:
    """`/content-manager/relations/:uid`. Permissions depend on the content type, the field and the entry."""

    operations = (
        AdminOperation("GET", f"{_RELATIONS}/:field", "candidates", "Search for entries to relate"),
        AdminOperation("GET", f"{_RELATIONS}/:id/:field", "existing", "List an entry's related entries"),
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
        related = await self._relations.existing(values["uid"], entry_id, values["field"], read_params(request), actor)
        return _answer(related)


def _answer(found: RelationPage) -> Response:
    if found.page is None:
        return Response(200, b'{"data":%b}' % found.json, headers=NO_STORE)
    return page_answer(found.json, found.page, found.total)


class DraftRelationEndpoints:
    """`countDraftRelations` of one entry, `countManyEntriesDraftRelations` of several."""

    operations = (
        AdminOperation(
            "GET", f"{PREFIX}/:id/actions/countDraftRelations", "of_one", "Count an entry's draft relations"
        ),
        AdminOperation(
            "GET",
            f"{SINGLE_TYPES}/actions/countDraftRelations",
            "of_single",
            "Count the draft relations of a single type",
        ),
        AdminOperation(
            "GET",
            f"{PREFIX}/actions/countManyEntriesDraftRelations",
            "of_many",
            "Count the draft relations of several entries",
        ),
    )

    def __init__(self, drafts: DraftRelations, writes: EntryWrites) -> None:
        self._drafts = drafts
        self._writes = writes

    async def of_one(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/collection-types/:uid/:id/actions/countDraftRelations"""
        content_type = managed_type(self._writes.registry, request.path_values["uid"], actor)
        return data_answer(await self._drafts.of_one(content_type, read_id(request), actor))

    async def of_single(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/single-types/:uid/actions/countDraftRelations"""
        content_type = managed_single(self._writes.registry, request.path_values["uid"], actor, FIND)
        entry_id = await self._writes.single_id(content_type, read_params(request).get("locale"))
        if entry_id is None:
            raise NotFoundError
        return data_answer(await self._drafts.of_one(content_type, entry_id, actor))

    async def of_many(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/collection-types/:uid/actions/countManyEntriesDraftRelations"""
        content_type = managed_type(self._writes.registry, request.path_values["uid"], actor)
        params = read_params(request)
        ids, locale = _read_ids(params.get("ids")), params.get("locale")
        named = locale if isinstance(locale, str) else None
        return data_answer(await self._drafts.of_many(content_type, ids, named, actor) if ids else 0)


def _read_ids(given: Any) -> list[int]:
    """Parse `ids`. Raises ValidationError if it is missing or too long."""
    if given is None:
        raise ValidationError.from_problems([Problem(("ids",), "ids is a required field")])
    listed = given if isinstance(given, list) else list(given.values()) if isinstance(given, dict) else [given]
    if len(listed) > MOST_AT_ONCE:
        raise ValidationError(f"Expected at most {MOST_AT_ONCE} ids, got {len(listed)}")
    return [entry_id for one in listed if (entry_id := read_entry_id(one, digits_only=True)) is not None]
