"""Endpoints to manage administrators and the caller's own profile."""

from octavo.access.authorization.actor import Actor
from octavo.accounts.administrators.accounts import (
    AdministratorList,
    AdministratorManagement,
    serialize_administrators,
)
from octavo.api.admin.answers import NO_STORE, data_answer, serialize_administrator_with_roles
from octavo.api.admin.endpoints.sessions import PREFIX
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.administrators import (
    AdministratorAnswer,
    AdministratorPageAnswer,
    ChangedAdministrator,
    ChangedSelf,
    Ids,
    Invitation,
    InvitedAdministratorAnswer,
)
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.query.params import pagination

_USERS = f"{PREFIX}/users"
_READ, _CREATE, _UPDATE, _DELETE = (f"admin::users.{name}" for name in ("read", "create", "update", "delete"))


class AdministratorEndpoints:
    """`/admin/users`."""

    operations = (
        AdminOperation("GET", f"{_USERS}/me", "me", "Show the current administrator", answer=AdministratorAnswer),
        AdminOperation(
            "PUT",
            f"{_USERS}/me",
            "change_own",
            "Update the current administrator",
            answer=AdministratorAnswer,
            body=ChangedSelf,
        ),
        AdminOperation("GET", _USERS, "find", "List administrators", (_READ,), answer=AdministratorPageAnswer),
        AdminOperation(
            "POST",
            _USERS,
            "invite",
            "Invite an administrator",
            (_CREATE,),
            answer=InvitedAdministratorAnswer,
            body=Invitation,
        ),
        AdminOperation("POST", f"{_USERS}/batch-delete", "delete_many", "Delete administrators", (_DELETE,), body=Ids),
        AdminOperation(
            "GET", f"{_USERS}/:id", "find_one", "Show an administrator", (_READ,), answer=AdministratorAnswer
        ),
        AdminOperation(
            "PUT",
            f"{_USERS}/:id",
            "change",
            "Update an administrator",
            (_UPDATE,),
            answer=AdministratorAnswer,
            body=ChangedAdministrator,
        ),
        AdminOperation("DELETE", f"{_USERS}/:id", "delete", "Delete an administrator", (_DELETE,)),
    )

    def __init__(self, management: AdministratorManagement, listing: AdministratorList) -> None:
        self._management = management
        self._listing = listing

    async def me(self, _: Request, actor: Actor) -> Response:
        """GET /admin/users/me"""
        return data_answer(serialize_administrator_with_roles(await self._management.get(str(actor.id))))

    async def change_own(self, request: Request, actor: Actor) -> Response:
        """PUT /admin/users/me"""
        authorization = request.header("authorization")
        changed = await self._management.change_own(actor, await request.json(), authorization, request.client)
        return data_answer(serialize_administrator_with_roles(changed))

    async def find(self, request: Request, _: Actor) -> Response:
        """GET /admin/users"""
        entries, page, total = await self._listing.find(read_params(request))
        return Response(200, serialize_administrators(entries, pagination(page, total)), headers=NO_STORE)

    async def find_one(self, request: Request, _: Actor) -> Response:
        """GET /admin/users/:id"""
        return data_answer(serialize_administrator_with_roles(await self._management.get(request.path_values["id"])))

    async def invite(self, request: Request, actor: Actor) -> Response:
        """POST /admin/users: only this response has the invitation token."""
        return data_answer(
            serialize_administrator_with_roles(await self._management.invite(await request.json(), actor)), status=201
        )

    async def change(self, request: Request, actor: Actor) -> Response:
        """PUT /admin/users/:id"""
        changed = await self._management.change(request.path_values["id"], await request.json(), actor)
        return data_answer(serialize_administrator_with_roles(changed))

    async def delete(self, request: Request, actor: Actor) -> Response:
        """DELETE /admin/users/:id"""
        return data_answer(
            serialize_administrator_with_roles(await self._management.delete(request.path_values["id"], actor))
        )

    async def delete_many(self, request: Request, actor: Actor) -> Response:
        """POST /admin/users/batch-delete"""
        gone = await self._management.delete_many(await request.json(), actor)
        return data_answer([serialize_administrator_with_roles(account) for account in gone])
