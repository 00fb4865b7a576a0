"""The read endpoints of the built-in plugins: users, roles, files, locales. Their answers have no envelope.

Every answer comes the same road as the entries of content-types: one statement each.
"""

from dataclasses import replace
from typing import Final

import orjson

from octavo.access.actions import action_tree
from octavo.access.actors import Actor
from octavo.access.authenticator import Authenticator
from octavo.content.reading import Prepared
from octavo.controllers import ContentController
from octavo.errors import NotFoundError, UnauthorizedError
from octavo.http.request import Request
from octavo.http.response import Response
from octavo.http.router import Router
from octavo.query.ast import Page, Populate, Query
from octavo.rest.endpoints import Memory, read_id
from octavo.rest.params import read_plain_page, read_query
from octavo.rest.query_string import parse_query_string
from octavo.schema.content_types import ContentType

USER: Final = "plugin::users-permissions.user"
ROLE: Final = "plugin::users-permissions.role"
FILE: Final = "plugin::upload.file"
LOCALE: Final = "plugin::i18n.locale"

_EVERY_ONE: Final = Query(page=Page(with_count=False))
_ROLES_WITH_USERS: Final = replace(_EVERY_ONE, populate=(Populate(name="users", query=Query(), count=True),))
_ROLE_WITH_ACTIONS: Final = Query(populate=(Populate(name="permissions", query=Query(fields=("action",))),))


class PluginEndpoints:
    """What the endpoints share: who asks, and reads prepared once for each query string."""

    def __init__(self, controller: ContentController, authenticator: Authenticator) -> None:
        self._controller = controller
        self._authenticator = authenticator
        self._remembered: Memory[Prepared] = Memory()

    async def _actor(self, request: Request, action: str) -> Actor:
        return await self._authenticator.admit(request.header("authorization"), action)

    def _type(self, uid: str) -> ContentType:
        return self._controller.registry.content_types[uid]

    def _list(self, uid: str, request: Request, actor: Actor) -> Prepared:
        key = ("list", uid, request.query, actor.permissions.key)
        return self._remembered.get(key) or self._remembered.keep(
            key, self._controller.prepare_raw_list(self._type(uid), _query(request), actor.permissions)
        )

    def _one(self, uid: str, request: Request, actor: Actor) -> Prepared:
        key = ("one", uid, request.query, actor.permissions.key)
        return self._remembered.get(key) or self._remembered.keep(key, self._prepare_one(uid, _query(request), actor))

    def _prepare_one(self, uid: str, query: Query, actor: Actor) -> Prepared:
        return self._controller.prepare_raw_one(self._type(uid), query, actor.permissions)


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
        return Response(200, await self._controller.find_raw(self._list(USER, request, actor)))

    async def count(self, request: Request) -> Response:
        """GET /api/users/count: a bare number, of those that the filters leave."""
        actor = await self._actor(request, f"{USER}.count")
        prepared = self._controller.prepare_count(self._type(USER), _query(request), actor.permissions)
        return Response(200, b"%d" % await self._controller.count(prepared))

    async def find_one(self, request: Request) -> Response:
        """GET /api/users/:id: nothing (204) when there is none."""
        actor = await self._actor(request, f"{USER}.findOne")
        prepared = self._one(USER, request, actor)
        try:
            return Response(200, await self._controller.find_one(prepared, read_id(request)))
        except NotFoundError:
            return Response(204, content_type="")

    async def me(self, request: Request) -> Response:
        """GET /api/users/me: an API token is nobody's."""
        actor = await self._actor(request, f"{USER}.me")
        if actor.kind != "user" or actor.id is None:
            raise UnauthorizedError
        return Response(200, await self._controller.find_one(self._one(USER, request, actor), actor.id))


class FileEndpoints(PluginEndpoints):
    """`/upload/files`"""

    def _prepare_one(self, uid: str, query: Query, actor: Actor) -> Prepared:
        """`fields` is checked like everything else, yet a file is shown whole (observed)."""
        super()._prepare_one(uid, query, actor)
        return super()._prepare_one(uid, replace(query, fields=None), actor)

    def add_routes(self, router: Router, prefix: str) -> None:
        """Declare the routes below the API's prefix."""
        router.add("GET", f"{prefix}/upload/files", self.find)
        router.add("GET", f"{prefix}/upload/files/:id", self.find_one)

    async def find(self, request: Request) -> Response:
        """GET /api/upload/files"""
        actor = await self._actor(request, "plugin::upload.content-api.find")
        return Response(200, await self._controller.find_raw(self._list(FILE, request, actor)))

    async def find_one(self, request: Request) -> Response:
        """GET /api/upload/files/:id"""
        actor = await self._actor(request, "plugin::upload.content-api.findOne")
        prepared = self._one(FILE, request, actor)
        try:
            return Response(200, await self._controller.find_one(prepared, read_id(request)))
        except NotFoundError:
            raise NotFoundError("file.notFound") from None


class LocaleEndpoints(PluginEndpoints):
    """`/i18n/locales`"""

    def add_routes(self, router: Router, prefix: str) -> None:
        """Declare the routes below the API's prefix."""
        router.add("GET", f"{prefix}/i18n/locales", self.find)

    async def find(self, request: Request) -> Response:
        """GET /api/i18n/locales: all of them, whatever is asked."""
        await self._actor(request, "plugin::i18n.locales.listLocales")
        prepared = self._controller.prepare_raw_list(self._type(LOCALE), _EVERY_ONE, None)
        default = await self._controller.locales.default()
        found = orjson.loads(await self._controller.find_raw(prepared))
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
        prepared = self._controller.prepare_raw_list(self._type(ROLE), _ROLES_WITH_USERS, None)
        roles = orjson.loads(await self._controller.find_raw(prepared))
        for role in roles:
            role["nb_users"] = role.pop("users")["count"]
        return Response(200, orjson.dumps({"roles": roles}))

    async def find_one(self, request: Request) -> Response:
        """GET /api/users-permissions/roles/:id: with every action, told whether the role may take it."""
        await self._actor(request, f"{ROLE}.findOne")
        prepared = self._controller.prepare_raw_one(self._type(ROLE), _ROLE_WITH_ACTIONS, None)
        try:
            role = orjson.loads(await self._controller.find_one(prepared, read_id(request)))
        except NotFoundError:
            raise NotFoundError("Role not found") from None
        granted = {permission["action"] for permission in role["permissions"]}
        role["permissions"] = action_tree(self._controller.registry, granted)
        return Response(200, orjson.dumps({"role": role}))

    async def permissions(self, request: Request) -> Response:
        """GET /api/users-permissions/permissions: every action that can be granted."""
        await self._actor(request, "plugin::users-permissions.permissions.getPermissions")
        return Response(200, orjson.dumps({"permissions": action_tree(self._controller.registry)}))


_ENDPOINTS: Final = (UserEndpoints, FileEndpoints, LocaleEndpoints, RoleEndpoints)


def add_plugin_routes(router: Router, prefix: str, controller: ContentController, authenticator: Authenticator) -> None:
    """The routes of all built-in plugins."""
    for endpoints in _ENDPOINTS:
        endpoints(controller, authenticator).add_routes(router, prefix)


def _query(request: Request) -> Query:
    params = parse_query_string(request.query)
    query = read_query(params)
    return replace(query, page=read_plain_page(params), publication_state=None, locales=None)
