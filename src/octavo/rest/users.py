"""The REST routes that write users and roles, and the list of all routes. The reads are in `rest.plugins`."""

import re
from collections.abc import Iterable
from typing import Final

import orjson

from octavo.authentication.authenticator import Authenticator
from octavo.authorization.actions import LIST_ACTIONS
from octavo.authorization.actor import Actor
from octavo.errors import NotFoundError
from octavo.http.body import read_body
from octavo.http.request import Request
from octavo.http.response import Response
from octavo.http.router import Route, Router
from octavo.rest.endpoints import read_id
from octavo.rest.query_string import parse_form
from octavo.schema.registry import Registry
from octavo.schema.uids import CONTENT_TYPE_BUILDER, I18N, ROLE, UPLOAD, USER, USERS_PERMISSIONS
from octavo.users.role_management import RoleManagement
from octavo.users.user_management import UserManagement

_OK: Final = b'{"ok":true}'

_PLUGIN_PATHS: Final = {
    **dict.fromkeys(("auth", "connect", "users", "users-permissions"), USERS_PERMISSIONS),
    "upload": UPLOAD,
    "i18n": I18N,
    "content-type-builder": CONTENT_TYPE_BUILDER,
}
"""Who owns the routes below a first segment of a path."""


class UserWriteEndpoints:
    """`/users`: POST, PUT, DELETE"""

    def __init__(self, users: UserManagement, authenticator: Authenticator) -> None:
        self._users = users
        self._authenticator = authenticator

    def add_routes(self, router: Router, prefix: str) -> None:
        """Declare the routes below the API's prefix."""
        router.add("POST", f"{prefix}/users", self.create)
        router.add("PUT", f"{prefix}/users/:id", self.update)
        router.add("DELETE", f"{prefix}/users/:id", self.delete)

    async def create(self, request: Request) -> Response:
        """POST /api/users"""
        actor = await self._actor(request, "create")
        body = await read_body(request, parse_form)
        return Response(201, await self._users.create(body.value, actor))

    async def update(self, request: Request) -> Response:
        """PUT /api/users/:id"""
        actor = await self._actor(request, "update")
        try:
            user_id = read_id(request)
        except NotFoundError:
            raise NotFoundError("User not found") from None
        body = await read_body(request, parse_form)
        return Response(200, await self._users.update(user_id, body.value, actor))

    async def delete(self, request: Request) -> Response:
        """DELETE /api/users/:id: nothing (204) when there is none."""
        await self._actor(request, "destroy")
        try:
            deleted = await self._users.delete(read_id(request))
        except NotFoundError:
            deleted = None
        return Response(204, content_type="") if deleted is None else Response(200, deleted)

    async def _actor(self, request: Request, action: str) -> Actor:
        return await self._authenticator.admit(request.header("authorization"), f"{USER}.{action}")


class RoleWriteEndpoints:
    """`/users-permissions/roles`: POST, PUT, DELETE; `/users-permissions/routes`"""

    def __init__(self, roles: RoleManagement, authenticator: Authenticator, registry: Registry) -> None:
        self._roles = roles
        self._authenticator = authenticator
        self._registry = registry
        self._router: Router | None = None
        self._prefix = ""

    def add_routes(self, router: Router, prefix: str) -> None:
        """Declare the routes below the API's prefix."""
        self._router, self._prefix = router, prefix
        router.add("POST", f"{prefix}/users-permissions/roles", self.create)
        router.add("PUT", f"{prefix}/users-permissions/roles/:id", self.update)
        router.add("DELETE", f"{prefix}/users-permissions/roles/:id", self.delete)
        router.add("GET", f"{prefix}/users-permissions/routes", self.routes)

    async def create(self, request: Request) -> Response:
        """POST /api/users-permissions/roles"""
        await self._check(request, f"{ROLE}.createRole")
        await self._roles.create((await read_body(request, parse_form)).value)
        return Response(200, _OK)

    async def update(self, request: Request) -> Response:
        """PUT /api/users-permissions/roles/:id"""
        await self._check(request, f"{ROLE}.updateRole")
        body = await read_body(request, parse_form)
        await self._roles.update(_role_id(request), body.value)
        return Response(200, _OK)

    async def delete(self, request: Request) -> Response:
        """DELETE /api/users-permissions/roles/:id"""
        await self._check(request, f"{ROLE}.deleteRole")
        await self._roles.delete(_role_id(request))
        return Response(200, _OK)

    async def routes(self, request: Request) -> Response:
        """GET /api/users-permissions/routes: all routes of the API, by owner."""
        await self._check(request, LIST_ACTIONS)
        routes = () if self._router is None else self._router.routes()
        return Response(200, orjson.dumps({"routes": list_routes(routes, self._prefix, self._registry)}))

    async def _check(self, request: Request, action: str) -> None:
        await self._authenticator.admit(request.header("authorization"), action)


def list_routes(routes: Iterable[Route], prefix: str, registry: Registry) -> dict[str, list[dict[str, str]]]:
    """Method, path and handler of each route, by the API or plugin it belongs to."""
    owners = dict(_PLUGIN_PATHS)
    for content_type in registry.api_types():
        path = content_type.singular_name if content_type.is_single else content_type.plural_name
        owners[path] = content_type.uid.rpartition(".")[0]
    listed: dict[str, list[dict[str, str]]] = {}
    for route in routes:
        path = route.template.removeprefix(prefix)
        owner = owners.get(path.strip("/").partition("/")[0])
        if owner is not None and path != route.template:
            told = {"method": route.method, "path": route.template, "handler": _handler_name(route)}
            listed.setdefault(owner, []).append(told)
    return listed


def _handler_name(route: Route) -> str:
    name: str = getattr(route.handler, "__name__", "")
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def _role_id(request: Request) -> int:
    try:
        return read_id(request)
    except NotFoundError:
        raise NotFoundError("Role not found") from None
