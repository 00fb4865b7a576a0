"""The REST endpoints of content types: the handlers of `api.rest.content_operations`."""

from functools import partial
from typing import Any

from octavo.access.authorization.actor import Actor
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.rest.bodies import read_localization, read_write
from octavo.api.rest.data_envelope import cursor_envelope, entry_envelope, list_envelope
from octavo.api.rest.list_shapes import ListShapes, shape_of
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.prepared_reads import PreparedReads, prepare_query
from octavo.content.controllers.writing import Sharing
from octavo.content.reader import PreparedRead
from octavo.core.cache import CacheScope, RecentKeys
from octavo.core.errors import NotFoundError
from octavo.query.ast import ALL_LOCALES, EVERYTHING, Page
from octavo.query.numbers import read_entry_id
from octavo.query.params import PageLimits, read_query
from octavo.query.request import By, Drafts, ReadRequest
from octavo.schema.content_types import ContentType


class ContentEndpoints:
    """The endpoints of one content type."""

    def __init__(
        self,
        content_type: ContentType,
        controller: ContentController,
        limits: PageLimits,
        caches: CacheScope,
    ) -> None:
        self.content_type = content_type
        self._controller = controller
        self._reads = controller.reads
        self._writes = controller.writes
        self._limits = limits
        self._lists = PreparedReads(caches.cache("REST lists"))
        self._list_shapes = ListShapes(caches.cache("REST list shapes"), caches.cache("REST lists by shape"))
        self._recent = RecentKeys()
        self._entries = PreparedReads(caches.cache("REST entries"))

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /api/:pluralApiId"""
        locale = await self._locale()
        key = (request.query, actor.ability.key, locale)
        prepared = self._lists.get(key) or await self._new_list(request, actor, locale, key)
        page = prepared.page or Page()
        if page.after is not None:
            entries, total, cursor = await self._reads.find_behind(prepared)
            return Response(200, cursor_envelope(entries, page, total, cursor))
        entries, total = await self._reads.find(prepared)
        return Response(200, list_envelope(entries, page, total))

    async def _new_list(self, request: Request, actor: Actor, locale: str, key: tuple[Any, ...]) -> PreparedRead:
        """Return a list whose query string is not cached: by its shape, otherwise prepared."""
        has_rules = request.overlay is not None or request.options.merged_queries
        shape = None if has_rules else shape_of(request.query)
        found = None if shape is None else self._list_shapes.get(shape, key[1:])
        if found is not None:  # most values come once, and would displace others
            return self._lists.keep(key, found) if self._recent.repeats(key) else found

        given = None if shape is None else shape.given()
        prepared = await prepare_query(
            request.query, lambda: self._prepare(request, actor, By.LIST, Drafts.ASKED, locale, given)
        )
        if shape is not None and given is not None and self._list_shapes.keep(shape, key[1:], prepared):
            return prepared
        return self._lists.keep(key, prepared)

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /api/:pluralApiId/:id"""
        key = ("one", request.query, actor.ability.key)
        prepared = self._entries.get(key) or await self._entries.make(
            key, request.query, lambda: self._prepare(request, actor, By.ID, Drafts.BY_ID)
        )
        entry = await self._reads.find_any(prepared.bind(id=read_id(request)))
        if entry is None:
            raise NotFoundError
        return Response(200, entry_envelope(entry))

    async def find_single(self, request: Request, actor: Actor) -> Response:
        """GET /api/:singularApiId"""
        locale = await self._locale()
        key = (request.query, actor.ability.key, locale)
        prepared = self._entries.get(key) or await self._entries.make(
            key, request.query, lambda: self._prepare(request, actor, By.SINGLE, Drafts.ASKED, locale)
        )
        return self._entry(await self._reads.find_one(prepared))

    async def create(self, request: Request, actor: Actor) -> Response:
        """POST /api/:pluralApiId"""
        answer = await self._answer(request, actor)
        return self._entry(await self._create(request, actor, answer))

    async def update(self, request: Request, actor: Actor) -> Response:
        """PUT /api/:pluralApiId/:id"""
        return self._entry(await self._update(request, actor, read_id(request)))

    async def delete(self, request: Request, actor: Actor) -> Response:
        """DELETE /api/:pluralApiId/:id"""
        answer = await self._answer(request, actor)
        return self._entry(await self._writes.delete(self.content_type, read_id(request), answer, actor))

    async def update_single(self, request: Request, actor: Actor) -> Response:
        """PUT /api/:singularApiId: updates the entry in the requested locale, or creates it."""
        entry_id = await self._single_id(request, Drafts.ANY)
        if entry_id is not None:
            return self._entry(await self._update(request, actor, entry_id))
        answer = await self._answer(request, actor)
        write = await read_write(request)
        again = partial(self._single_id, request, Drafts.ANY)
        return self._entry(await self._writes.create_single(self.content_type, write, answer, actor, again))

    async def delete_single(self, request: Request, actor: Actor) -> Response:
        """DELETE /api/:singularApiId: returns all fields and populates none, regardless of parameters (observed)."""
        entry_id = await self._single_id(request, Drafts.ASKED)
        if entry_id is None:
            raise NotFoundError
        shown = ReadRequest(content_type=self.content_type, by=By.ID, drafts=Drafts.ANY)
        answer = self._reads.prepare(shown, actor.ability)
        return self._entry(await self._writes.delete(self.content_type, entry_id, answer, actor))

    async def create_localization(self, request: Request, actor: Actor) -> Response:
        """POST /api/:pluralApiId/:id/localizations: body and response have no envelope."""
        return await self._localize(request, actor, read_id(request))

    async def create_single_localization(self, request: Request, actor: Actor) -> Response:
        """POST /api/:singularApiId/localizations: adds a localization to the existing entry in any locale."""
        entry_id = await self._reads.single_id(self.content_type, EVERYTHING, ALL_LOCALES, Drafts.ANY)
        if entry_id is None:
            raise NotFoundError("Entity not found")
        return await self._localize(request, actor, entry_id)

    async def _localize(self, request: Request, actor: Actor, entry_id: int) -> Response:
        write = await read_localization(request)
        created = await self._writes.create_localization(self.content_type, entry_id, write, actor)
        return Response(200, created)

    async def _create(self, request: Request, actor: Actor, answer: PreparedRead) -> bytes:
        write = await read_write(request)
        return await self._writes.create(self.content_type, write, answer, actor)

    async def _update(self, request: Request, actor: Actor, entry_id: int) -> bytes:
        answer = await self._answer(request, actor)
        write = await read_write(request)
        return await self._writes.update(self.content_type, entry_id, write, answer, actor, sharing=Sharing.SHOWN)

    async def entry_id(self, request: Request) -> int:
        """Return the id of the requested entry, in any publication state. Raises NotFoundError."""
        entry_id = await self._single_id(request, Drafts.ANY) if self.content_type.is_single else read_id(request)
        if entry_id is None:
            raise NotFoundError
        return entry_id

    async def _single_id(self, request: Request, drafts: Drafts) -> int | None:
        query = read_query(self._given(request), split_fields=request.options.split_fields)
        return await self._reads.single_id(self.content_type, query, await self._locale(), drafts)

    def _entry(self, entry: bytes) -> Response:
        return Response(200, entry_envelope(entry))

    async def _locale(self) -> str:
        if not self.content_type.localized:
            return ""
        locales = self._controller.locales
        return locales.default_at_once() or await locales.default()

    async def _answer(self, request: Request, actor: Actor) -> PreparedRead:
        """Prepare the read of the created or updated entry."""
        key = ("answer", request.query, actor.ability.key)
        return self._entries.get(key) or await self._entries.make(
            key, request.query, lambda: self._prepare(request, actor, By.ID, Drafts.ANY)
        )

    def _given(self, request: Request) -> dict[str, Any]:
        """Return the parsed query."""
        return read_params(request)

    def _prepare(
        self,
        request: Request,
        actor: Actor,
        by: By,
        drafts: Drafts,
        locale: str | None = None,
        given: dict[str, Any] | None = None,
    ) -> PreparedRead:
        given = self._given(request) if given is None else given
        limits = self._limits if by is By.LIST else None
        query = read_query(given, limits, split_fields=request.options.split_fields)
        read = ReadRequest(
            content_type=self.content_type, query=query, by=by, drafts=drafts, locale=locale, given=given
        )
        return self._reads.prepare(read, actor.ability)


def read_id(request: Request) -> int:
    """Return the id in the path, by JavaScript's rules (`1e0` is 1) or digits only. Raises NotFoundError if invalid."""
    entry_id = read_entry_id(request.path_values.get("id", ""), digits_only=request.options.digit_ids)
    if entry_id is None:
        raise NotFoundError
    return entry_id
