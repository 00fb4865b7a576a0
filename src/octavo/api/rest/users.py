"""REST endpoints to change users and roles, and to list all routes. `api.rest.plugins` has the reads."""

from collections.abc import Iterable
from typing import Final

import orjson

from octavo.access.authorization.actor import Actor
from octavo.accounts.users.role_management import RoleManagement
from octavo.accounts.users.user_management import UserManagement
from octavo.api.http.body import read_body
from octavo.api.http.query_string import parse_form
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Route, Router
from octavo.api.rest.endpoints import read_id
from octavo.api.rest.operations import RestOperation
from octavo.core.errors import NotFoundError

_OK: Final = b'{"ok":true}'


class UserWriteEndpoints:
    """`/users`: POST, PUT, DELETE"""

    def __init__(self, users: UserManagement) -> None:
        self._users = users

    async def create(self, request: Request, actor: Actor) -> Response:
        """POST /api/users"""
        body = await read_body(request, parse_form)
        return Response(201, await self._users.create(body.value, actor))

    async def update(self, request: Request, actor: Actor) -> Response:
        """PUT /api/users/:id"""
        try:
            user_id = read_id(request)
        except NotFoundError:
            raise NotFoundError("User not found") from None
        body = await read_body(request, parse_form)
        return Response(200, await self._users.update(user_id, body.value, actor))

    async def delete(self, request: Request, actor: Actor) -> Response:
        """DELETE /api/users/:id: 204 if the user does not exist."""
        try:
            deleted = await self._users.delete(read_id(request))
        except NotFoundError:
            deleted = None
        return Response(204, content_type="") if deleted is None else Response(200, deleted)


class RoleWriteEndpoints:
    """`/users-permissions/roles`: POST, PUT, DELETE; `/users-permissions/routes`"""

    def __init__(self, roles: RoleManagement, router: Router) -> None:
        self._roles = roles
        self._router = router

    async def create(self, request: Request, actor: Actor) -> Response:
        """POST /api/users-permissions/roles"""
        await self._roles.create((await read_body(request, parse_form)).value, actor)
        return Response(200, _OK)

    async def update(self, request: Request, actor: Actor) -> Response:
        """PUT /api/users-permissions/roles/:id"""
        body = await read_body(request, parse_form)
        await self._roles.update(_role_id(request), body.value, actor)
        return Response(200, _OK)

    async def delete(self, request: Request, actor: Actor) -> Response:
        """DELETE /api/users-permissions/roles/:id"""
        await self._roles.delete(_role_id(request))
        return Response(200, _OK)

    async def routes(self, request: Request, actor: Actor) -> Response:
        """GET /api/users-permissions/routes: all routes of the API, by owner."""
        return Response(200, orjson.dumps({"routes": list_routes(self._router.declared())}))


def list_routes(routes: Iterable[Route]) -> dict[str, list[dict[str, str]]]:
    """Return method, path and handler of each route, by API or plugin."""
    listed: dict[str, list[dict[str, str]]] = {}
    for route in routes:
        operation = route.operation
        if isinstance(operation, RestOperation):
            row = {"method": route.method, "path": route.template, "handler": _handler_name(operation)}
            listed.setdefault(operation.owner, []).append(row)
    return listed


def _handler_name(operation: RestOperation) -> str:
    """Return the handler's name as in v4: complete for content types, without the plugin's name for plugins."""
    owner = operation.owner
    return operation.action.removeprefix(f"{owner}.") if owner.startswith("plugin::") else operation.action


def _role_id(request: Request) -> int:
    try:
        return read_id(request)
    except NotFoundError:
        raise NotFoundError("Role not found") from None
