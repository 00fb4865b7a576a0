"""The REST endpoints of content-types: routes, and what each does with a request."""

import math
from collections.abc import Callable
from typing import TypeVar

from octavo.access.actors import Actor
from octavo.access.authenticator import Authenticator
from octavo.content.reading import Prepared
from octavo.controllers import ContentController, PreparedList, require
from octavo.errors import NotFoundError
from octavo.http.request import Request
from octavo.http.response import Response
from octavo.http.router import Router
from octavo.query.ast import EVERYTHING, Query
from octavo.query.numbers import js_number
from octavo.rest.bodies import read_localization, read_write
from octavo.rest.envelope import entry_envelope, list_envelope
from octavo.rest.params import PageLimits, read_query
from octavo.rest.query_string import parse_query_string
from octavo.schema.content_types import ContentType

MAX_ID = 2**31 - 1
MAX_REMEMBERED = 2048
PreparedT = TypeVar("PreparedT", Prepared, PreparedList)


class Memory(dict[tuple[object, ...], PreparedT]):
    """What was prepared, by the text of the request and the permissions; the oldest is forgotten first."""

    def keep(self, key: tuple[object, ...], prepared: PreparedT) -> PreparedT:
        if len(self) >= MAX_REMEMBERED:
            del self[next(iter(self))]
        self[key] = prepared
        return prepared


class ContentEndpoints:
    """The endpoints of one content-type."""

    def __init__(
        self,
        content_type: ContentType,
        controller: ContentController,
        authenticator: Authenticator,
        limits: PageLimits,
    ) -> None:
        self.content_type = content_type
        self._controller = controller
        self._authenticator = authenticator
        self._limits = limits
        self._lists: Memory[PreparedList] = Memory()
        self._reads: Memory[Prepared] = Memory()

    def add_routes(self, router: Router, prefix: str) -> None:
        """Declare the routes below the API's prefix."""
        if self.content_type.is_single:
            path = f"{prefix}/{self.content_type.singular_name}"
            router.add("GET", path, self.find_single)
            router.add("PUT", path, self.update_single)
            router.add("DELETE", path, self.delete_single)
            if self.content_type.localized:
                router.add("POST", f"{path}/localizations", self.create_single_localization)
            return
        path = f"{prefix}/{self.content_type.plural_name}"
        router.add("GET", path, self.find)
        router.add("POST", path, self.create)
        router.add("GET", f"{path}/:id", self.find_one)
        router.add("PUT", f"{path}/:id", self.update)
        router.add("DELETE", f"{path}/:id", self.delete)
        if self.content_type.localized:
            router.add("POST", f"{path}/:id/localizations", self.create_localization)

    async def find(self, request: Request) -> Response:
        """GET /api/:pluralApiId"""
        actor = await self._actor(request, "find")
        locale = await self._locale()
        key = (request.query, actor.permissions.key, locale)
        prepared = self._lists.get(key) or self._lists.keep(
            key,
            self._controller.prepare_list(self.content_type, self._query(request), actor.permissions, locale),
        )
        entries, total = await self._controller.find(prepared)
        return Response(200, list_envelope(entries, prepared.page, total))

    async def find_one(self, request: Request) -> Response:
        """GET /api/:pluralApiId/:id"""
        actor = await self._actor(request, "findOne")
        key = ("one", request.query, actor.permissions.key)
        prepared = self._reads.get(key) or self._reads.keep(
            key, self._controller.prepare_one(self.content_type, self._unpaged(request), actor.permissions)
        )
        return self._entry(await self._controller.find_one(prepared, read_id(request)))

    async def find_single(self, request: Request) -> Response:
        """GET /api/:singularApiId"""
        actor = await self._actor(request, "find")
        locale = await self._locale()
        key = (request.query, actor.permissions.key, locale)
        prepared = self._reads.get(key) or self._reads.keep(
            key,
            self._controller.prepare_single(self.content_type, self._unpaged(request), actor.permissions, locale),
        )
        return self._entry(await self._controller.find_single(prepared))

    async def create(self, request: Request) -> Response:
        """POST /api/:pluralApiId"""
        actor = await self._actor(request, "create")
        answer = self._answer(request, actor)
        return self._entry(await self._create(request, actor, answer))

    async def update(self, request: Request) -> Response:
        """PUT /api/:pluralApiId/:id"""
        actor = await self._actor(request, "update")
        return self._entry(await self._update(request, actor, read_id(request)))

    async def delete(self, request: Request) -> Response:
        """DELETE /api/:pluralApiId/:id"""
        actor = await self._actor(request, "delete")
        answer = self._answer(request, actor)
        return self._entry(await self._controller.delete(self.content_type, read_id(request), answer))

    async def update_single(self, request: Request) -> Response:
        """PUT /api/:singularApiId: changes the entry in the asked locale, or makes the first one."""
        actor = await self._actor(request, "update")
        entry_id = await self._single_id(request)
        if entry_id is not None:
            return self._entry(await self._update(request, actor, entry_id))
        answer = self._answer(request, actor)
        write = await read_write(request)
        await self._controller.check_no_single(self.content_type)
        return self._entry(await self._controller.create(self.content_type, write, answer, actor))

    async def delete_single(self, request: Request) -> Response:
        """DELETE /api/:singularApiId: answers all fields and nothing populated, whatever is asked (observed)."""
        actor = await self._actor(request, "delete")
        entry_id = await self._single_id(request, drafts=False)
        if entry_id is None:
            raise NotFoundError
        answer = self._controller.prepare_answer(self.content_type, EVERYTHING, actor.permissions)
        return self._entry(await self._controller.delete(self.content_type, entry_id, answer))

    async def create_localization(self, request: Request) -> Response:
        """POST /api/:pluralApiId/:id/localizations: the body is flat, and so is the answer."""
        actor = await self._actor(request, "createLocalization")
        return await self._localize(request, actor, read_id(request))

    async def create_single_localization(self, request: Request) -> Response:
        """POST /api/:singularApiId/localizations: another beside the entry that there is, in whatever locale."""
        actor = await self._actor(request, "createLocalization")
        entry_id = await self._controller.single_id(self.content_type, EVERYTHING, "all")
        if entry_id is None:
            raise NotFoundError("Entity not found")
        return await self._localize(request, actor, entry_id)

    async def _localize(self, request: Request, actor: Actor, entry_id: int) -> Response:
        write = await read_localization(request)
        created = await self._controller.create_localization(self.content_type, entry_id, write, actor)
        return Response(200, created)

    async def _create(self, request: Request, actor: Actor, answer: Prepared) -> bytes:
        write = await read_write(request)
        return await self._controller.create(self.content_type, write, answer, actor)

    async def _update(self, request: Request, actor: Actor, entry_id: int) -> bytes:
        answer = self._answer(request, actor)
        write = await read_write(request)
        return await self._controller.update(self.content_type, entry_id, write, answer, actor, sharing=True)

    async def _single_id(self, request: Request, *, drafts: bool = True) -> int | None:
        query = self._unpaged(request)
        return await self._controller.single_id(self.content_type, query, await self._locale(), drafts=drafts)

    def _entry(self, entry: bytes) -> Response:
        return Response(200, entry_envelope(entry))

    async def _actor(self, request: Request, action: str) -> Actor:
        actor = await self._authenticator.authenticate(request.header("authorization"))
        require(actor, self.content_type, action)
        return actor

    async def _locale(self) -> str:
        return await self._controller.locales.default() if self.content_type.localized else ""

    def _query(self, request: Request) -> Query:
        return read_query(parse_query_string(request.query), self._limits)

    def _unpaged(self, request: Request) -> Query:
        return read_query(parse_query_string(request.query))

    def _answer(self, request: Request, actor: Actor) -> Prepared:
        """How to show the entry that a write makes or changes."""
        key = ("answer", request.query, actor.permissions.key)
        return self._reads.get(key) or self._reads.keep(
            key, self._controller.prepare_answer(self.content_type, self._unpaged(request), actor.permissions)
        )


def read_id(request: Request) -> int:
    """The id in the path, cast as JavaScript does (`01` and `1e0` are 1). Raises NotFoundError for no number."""
    number = js_number(request.path_values["id"])
    if math.isnan(number) or not 0 < number <= MAX_ID or number != int(number):
        raise NotFoundError
    return int(number)


NewEndpoints = Callable[[ContentType], ContentEndpoints]


def add_content_routes(router: Router, prefix: str, content_types: list[ContentType], endpoints: NewEndpoints) -> None:
    """The routes of all content-types."""
    for content_type in content_types:
        endpoints(content_type).add_routes(router, prefix)
