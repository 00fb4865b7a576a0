"""The read endpoints of the built-in plugins: users, roles, files, locales. Their answers have no envelope.

Every answer comes the same road as the entries of content-types: one statement each.
"""

from collections.abc import Container
from dataclasses import replace
from typing import Final

import orjson

from octavo.authentication.authenticator import Authenticator
from octavo.authorization.actions import LIST_ACTIONS, LIST_LOCALES, action_on, action_tree
from octavo.authorization.actor import Actor
from octavo.cache import CacheScope
from octavo.content.reader import PreparedRead
from octavo.controllers.content import ContentController
from octavo.errors import NotFoundError, UnauthorizedError
from octavo.http.request import Request
from octavo.http.response import Response
from octavo.http.router import Router
from octavo.query.ast import EVERYTHING, Page, Populate, Query
from octavo.query.merging import merge
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.rest.endpoints import read_id
from octavo.rest.params import read_plain_page, read_query
from octavo.rest.prepared_reads import PreparedReads
from octavo.rest.query_string import read_params
from octavo.schema.content_types import ContentType
from octavo.schema.uids import FILE, LOCALE, ROLE, USER

_EVERY_ONE: Final = Query(page=Page(with_count=False))
_ROLES_WITH_USERS: Final = replace(_EVERY_ONE, populate=(Populate(name="users", query=Query(), count=True),))
_ROLE_WITH_ACTIONS: Final = Query(populate=(Populate(name="permissions", query=Query(fields=("action",))),))


class PluginEndpoints:
    """What the endpoints share: who asks, and reads prepared once for each query string."""

    def __init__(self, controller: ContentController, authenticator: Authenticator, caches: CacheScope) -> None:
        self._controller = controller
        self._reads = controller.reads
        self._authenticator = authenticator
        self._prepared = PreparedReads(caches.cache("REST plugins"))

    async def _actor(self, request: Request, action: str) -> Actor:
        return await self._authenticator.admit(request.header("authorization"), action)

    def _type(self, uid: str) -> ContentType:
        return self._controller.registry.content_types[uid]

    async def _list(self, uid: str, request: Request, actor: Actor) -> PreparedRead:
        key = ("list", uid, request.query, actor.ability.key)
        return self._prepared.get(key) or await self._prepared.make(
            key, request.query, lambda: self._prepare(self._asked(uid, request, By.LIST), actor)
        )

    async def _one(self, uid: str, request: Request, actor: Actor) -> PreparedRead:
        key = ("one", uid, request.query, actor.ability.key)
        return self._prepared.get(key) or await self._prepared.make(
            key, request.query, lambda: self._prepare(self._asked(uid, request, By.ID), actor)
        )

    def _asked(self, uid: str, request: Request, by: By) -> ReadRequest:
        given = read_params(request)
        asked = read_query(given, split_fields=request.options.split_fields)
        query = replace(asked, page=read_plain_page(given), publication_state=None, locales=None)
        return ReadRequest(
            content_type=self._type(uid), query=query, by=by, projection=Form.FLAT, drafts=Drafts.BY_ID, given=given
        )

    def _prepare(self, asked: ReadRequest, actor: Actor) -> PreparedRead:
        return self._reads.prepare(asked, actor.ability)

    def _prepare_own(self, uid: str, query: Query, by: By) -> PreparedRead:
        """A query of our own, taken as it is."""
        own = ReadRequest(content_type=self._type(uid), query=query, by=by, projection=Form.FLAT, drafts=Drafts.ANY)
        return self._reads.prepare(own, None)

    async def _array(self, prepared: PreparedRead) -> bytes:
        return (await self._reads.find(prepared))[0]


class UserEndpoints(PluginEndpoints):
    """`/users`"""

    def add_routes(self, router: Router, prefix: str) -> None:
        """Declare the routes below the API's prefix."""
        router.add("GET", f"{prefix}/users", self.find)
        router.add("GET", f"{prefix}/users/count", self.count)
        router.add("GET", f"{prefix}/users/me", self.me)
        router.add("GET", f"{prefix}/users/:id", self.find_one)

    async def find(self, request: Request) -> Response:
        """GET /api/users"""
        actor = await self._actor(request, f"{USER}.find")
        return Response(200, await self._array(await self._list(USER, request, actor)))

    async def count(self, request: Request) -> Response:
        """GET /api/users/count: a bare number, of those that the filters leave."""
        actor = await self._actor(request, f"{USER}.count")
        prepared = self._prepare(self._asked(USER, request, By.COUNT), actor)
        return Response(200, b"%d" % await self._reads.count(prepared))

    async def find_one(self, request: Request) -> Response:
        """GET /api/users/:id: nothing (204) when there is none."""
        actor = await self._actor(request, f"{USER}.findOne")
        prepared = await self._one(USER, request, actor)
        try:
            return Response(200, await self._reads.find_one(prepared.bind(id=read_id(request))))
        except NotFoundError:
            return Response(204, content_type="")

    async def me(self, request: Request) -> Response:
        """GET /api/users/me: an API token is nobody's."""
        actor = await self._actor(request, f"{USER}.me")
        if actor.kind != "user" or actor.id is None:
            raise UnauthorizedError
        prepared = await (self._with_role if request.options.shows_own_role else self._one)(USER, request, actor)
        return Response(200, await self._reads.find_one(prepared.bind(id=actor.id)))

    async def _with_role(self, uid: str, request: Request, actor: Actor) -> PreparedRead:
        """Also the role, if the actor may read roles."""

        def prepare() -> PreparedRead:
            asked = self._asked(uid, request, By.ID)
            populate = merge((*asked.query.populate, Populate(name="role", query=EVERYTHING)))
            return self._prepare(replace(asked, query=replace(asked.query, populate=populate)), actor)

        key = ("with role", uid, request.query, actor.ability.key)
        return self._prepared.get(key) or await self._prepared.make(key, request.query, prepare)


class FileEndpoints(PluginEndpoints):
    """`/upload/files`"""

    def _prepare(self, asked: ReadRequest, actor: Actor) -> PreparedRead:
        """Of one file `fields` is checked like everything else, yet it is shown whole (observed)."""
        prepared = super()._prepare(asked, actor)
        if asked.by is not By.ID or asked.query.fields is None:
            return prepared
        return super()._prepare(replace(asked, query=replace(asked.query, fields=None)), actor)

    def add_routes(self, router: Router, prefix: str) -> None:
        """Declare the routes below the API's prefix."""
        router.add("GET", f"{prefix}/upload/files", self.find)
        router.add("GET", f"{prefix}/upload/files/:id", self.find_one)

    async def find(self, request: Request) -> Response:
        """GET /api/upload/files"""
        actor = await self._actor(request, action_on(FILE, "find"))
        return Response(200, await self._array(await self._list(FILE, request, actor)))

    async def find_one(self, request: Request) -> Response:
        """GET /api/upload/files/:id"""
        actor = await self._actor(request, action_on(FILE, "findOne"))
        prepared = await self._one(FILE, request, actor)
        try:
            return Response(200, await self._reads.find_one(prepared.bind(id=read_id(request))))
        except NotFoundError:
            raise NotFoundError("file.notFound") from None


class LocaleEndpoints(PluginEndpoints):
    """`/i18n/locales`"""

    def add_routes(self, router: Router, prefix: str) -> None:
        """Declare the routes below the API's prefix."""
        router.add("GET", f"{prefix}/i18n/locales", self.find)

    async def find(self, request: Request) -> Response:
        """GET /api/i18n/locales: all of them, whatever is asked."""
        await self._actor(request, LIST_LOCALES)
        prepared = self._prepare_own(LOCALE, _EVERY_ONE, By.LIST)
        default = await self._controller.locales.default()
        found = orjson.loads(await self._array(prepared))
        return Response(200, orjson.dumps([{**locale, "isDefault": locale["code"] == default} for locale in found]))


class RoleEndpoints(PluginEndpoints):
    """`/users-permissions`: roles, and what can be granted to them."""

    def add_routes(self, router: Router, prefix: str) -> None:
        """Declare the routes below the API's prefix."""
        router.add("GET", f"{prefix}/users-permissions/roles", self.find)
        router.add("GET", f"{prefix}/users-permissions/roles/:id", self.find_one)
        router.add("GET", f"{prefix}/users-permissions/permissions", self.permissions)

    async def find(self, request: Request) -> Response:
        """GET /api/users-permissions/roles: all of them, with the number of their users."""
        await self._actor(request, f"{ROLE}.find")
        prepared = self._prepare_own(ROLE, _ROLES_WITH_USERS, By.LIST)
        roles = orjson.loads(await self._array(prepared))
        for role in roles:
            role["nb_users"] = role.pop("users")["count"]
        return Response(200, orjson.dumps({"roles": roles}))

    async def find_one(self, request: Request) -> Response:
        """GET /api/users-permissions/roles/:id: with every action, told whether the role may take it."""
        await self._actor(request, f"{ROLE}.findOne")
        prepared = self._prepare_own(ROLE, _ROLE_WITH_ACTIONS, By.ID)
        try:
            role = orjson.loads(await self._reads.find_one(prepared.bind(id=read_id(request))))
        except NotFoundError:
            raise NotFoundError("Role not found") from None
        granted = {permission["action"] for permission in role["permissions"]}
        role["permissions"] = action_tree(self._controller.registry, granted)
        return Response(200, orjson.dumps({"role": role}))

    async def permissions(self, request: Request) -> Response:
        """GET /api/users-permissions/permissions: every action that can be granted."""
        await self._actor(request, LIST_ACTIONS)
        return Response(200, orjson.dumps({"permissions": action_tree(self._controller.registry)}))


_ENDPOINTS: Final = (
    ("users-permissions", UserEndpoints),
    ("upload", FileEndpoints),
    ("i18n", LocaleEndpoints),
    ("users-permissions", RoleEndpoints),
)


def add_plugin_routes(
    router: Router,
    prefix: str,
    controller: ContentController,
    authenticator: Authenticator,
    caches: CacheScope,
    plugins: Container[str],
) -> None:
    """The routes of those built-in plugins that are in use."""
    for plugin, endpoints in _ENDPOINTS:
        if plugin in plugins:
            endpoints(controller, authenticator, caches).add_routes(router, prefix)
