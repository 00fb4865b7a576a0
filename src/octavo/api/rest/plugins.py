"""REST endpoints that read built-in plugins: users, roles, files, locales. Responses have no envelope.

They use the same reads as content types: one statement each.
"""

from collections.abc import Container
from dataclasses import replace
from typing import Final

import orjson

from octavo.access.authorization.actor import Actor
from octavo.accounts.users.role_management import RoleReading
from octavo.api.http.operations import declare
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Router
from octavo.api.rest.endpoints import read_id
from octavo.api.rest.operations import Handlers
from octavo.api.rest.plugin_operations import READ_FILES, READ_LOCALES, READ_ROLES, READ_USERS
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.prepared_reads import PreparedReads
from octavo.content.reader import PreparedRead
from octavo.core.cache import CacheScope
from octavo.core.errors import NotFoundError, UnauthorizedError
from octavo.query.ast import EVERYTHING, Page, Populate, Query
from octavo.query.numbers import read_entry_id
from octavo.query.params import read_plain_page, read_query
from octavo.query.populate import merge
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import FILE, LOCALE, USER, ContentType

_EVERY_ONE: Final = Query(page=Page(with_count=False))


class PluginEndpoints:
    """The base of plugin endpoints, with reads cached by query string."""

    def __init__(self, controller: ContentController, caches: CacheScope) -> None:
        self._controller = controller
        self._reads = controller.reads
        self._prepared = PreparedReads(caches.cache("REST plugins"))

    def _type(self, uid: str) -> ContentType:
        return self._controller.registry.content_types[uid]

    async def _list(self, uid: str, request: Request, actor: Actor) -> PreparedRead:
        key = ("list", uid, request.query, actor.ability.key)
        return self._prepared.get(key) or await self._prepared.make(
            key, request.query, lambda: self._prepare(self._read_request(uid, request, By.LIST), actor)
        )

    async def _one(self, uid: str, request: Request, actor: Actor) -> PreparedRead:
        key = ("one", uid, request.query, actor.ability.key)
        return self._prepared.get(key) or await self._prepared.make(
            key, request.query, lambda: self._prepare(self._read_request(uid, request, By.ID), actor)
        )

    def _read_request(self, uid: str, request: Request, by: By) -> ReadRequest:
        given = read_params(request)
        asked = read_query(given, split_fields=request.options.split_fields)
        query = replace(asked, page=read_plain_page(given), locales=None)
        return ReadRequest(
            content_type=self._type(uid), query=query, by=by, projection=Form.FLAT, drafts=Drafts.BY_ID, given=given
        )

    def _prepare(self, asked: ReadRequest, actor: Actor) -> PreparedRead:
        return self._reads.prepare(asked, actor.ability)

    async def _array(self, prepared: PreparedRead) -> bytes:
        return (await self._reads.find(prepared))[0]


class UserEndpoints(PluginEndpoints):
    """`/users`"""

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /api/users"""
        return Response(200, await self._array(await self._list(USER, request, actor)))

    async def count(self, request: Request, actor: Actor) -> Response:
        """GET /api/users/count: returns the number of users that match the filters."""
        prepared = self._prepare(self._read_request(USER, request, By.COUNT), actor)
        return Response(200, b"%d" % await self._reads.count(prepared))

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /api/users/:id: 204 if the user does not exist."""
        prepared = await self._one(USER, request, actor)
        try:
            return Response(200, await self._reads.find_one(prepared.bind(id=read_id(request))))
        except NotFoundError:
            return Response(204, content_type="")

    async def me(self, request: Request, actor: Actor) -> Response:
        """GET /api/users/me: rejects API tokens, which have no user."""
        if actor.kind != "user" or actor.id is None:
            raise UnauthorizedError
        prepared = await (self._with_role if request.options.shows_own_role else self._one)(USER, request, actor)
        return Response(200, await self._reads.find_one(prepared.bind(id=actor.id)))

    async def _with_role(self, uid: str, request: Request, actor: Actor) -> PreparedRead:
        """Prepare the read of a user, with the role if the actor can read roles."""

        def prepare() -> PreparedRead:
            asked = self._read_request(uid, request, By.ID)
            populate = merge((*asked.query.populate, Populate(name="role", query=EVERYTHING)))
            return self._prepare(replace(asked, query=replace(asked.query, populate=populate)), actor)

        key = ("with role", uid, request.query, actor.ability.key)
        return self._prepared.get(key) or await self._prepared.make(key, request.query, prepare)


class FileEndpoints(PluginEndpoints):
    """`/upload/files`"""

    def _prepare(self, asked: ReadRequest, actor: Actor) -> PreparedRead:
        """Prepare a read. For one file, `fields` is validated, but all fields are returned (observed)."""
        prepared = super()._prepare(asked, actor)
        if asked.by is not By.ID or asked.query.fields is None:
            return prepared
        return super()._prepare(replace(asked, query=replace(asked.query, fields=None)), actor)

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /api/upload/files"""
        return Response(200, await self._array(await self._list(FILE, request, actor)))

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /api/upload/files/:id"""
        prepared = await self._one(FILE, request, actor)
        try:
            return Response(200, await self._reads.find_one(prepared.bind(id=read_id(request))))
        except NotFoundError:
            raise NotFoundError("file.notFound") from None


class LocaleEndpoints(PluginEndpoints):
    """`/i18n/locales`"""

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /api/i18n/locales: returns all, regardless of parameters."""
        every = ReadRequest(
            content_type=self._type(LOCALE), query=_EVERY_ONE, by=By.LIST, projection=Form.FLAT, drafts=Drafts.ANY
        )
        prepared = self._reads.prepare(every, None)
        default = await self._controller.locales.default()
        locales = orjson.loads(await self._array(prepared))
        return Response(200, orjson.dumps([{**locale, "isDefault": locale["code"] == default} for locale in locales]))


class RoleEndpoints:
    """`/users-permissions`: user roles, and the actions that they can have."""

    def __init__(self, controller: ContentController, _: CacheScope) -> None:
        self._roles = RoleReading(controller)

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /api/users-permissions/roles: all roles, with the number of their users."""
        return Response(200, orjson.dumps({"roles": await self._roles.all()}))

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /api/users-permissions/roles/:id: with all actions, and whether the role has them."""
        return Response(200, orjson.dumps({"role": await self._roles.one(_role_id(request))}))

    async def permissions(self, request: Request, actor: Actor) -> Response:
        """GET /api/users-permissions/permissions: all actions that roles can have."""
        return Response(200, orjson.dumps({"permissions": self._roles.actions()}))


def _role_id(request: Request) -> int | None:
    return read_entry_id(request.path_values["id"], digits_only=request.options.digit_ids)


_ENDPOINTS: Final = (
    ("users-permissions", UserEndpoints, READ_USERS),
    ("upload", FileEndpoints, READ_FILES),
    ("i18n", LocaleEndpoints, READ_LOCALES),
    ("users-permissions", RoleEndpoints, READ_ROLES),
)


def declare_plugin_reads(
    router: Router,
    prefix: str,
    controller: ContentController,
    handlers: Handlers,
    caches: CacheScope,
    plugins: Container[str],
) -> None:
    """Add the routes of the enabled built-in plugins."""
    for plugin, endpoints, operations in _ENDPOINTS:
        if plugin in plugins:
            declare(router, prefix, operations, endpoints(controller, caches), handlers)
