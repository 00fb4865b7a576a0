"""Endpoints for admin roles and permissions: `/admin/roles`, `/admin/permissions`, `/admin/users/me/permissions`."""

from typing import Any, Final

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.ability import may_touch
from octavo.access.authorization.admin.catalogue import Catalogue
from octavo.accounts.administrators.request_bodies import (
    CHANGED_ROLE,
    NEW_ROLE,
    SEVERAL,
    read_permission_check,
    read_permissions,
)
from octavo.accounts.administrators.role_permissions import StoredPermission
from octavo.accounts.administrators.roles import AdminRoles, Role, RoleListing
from octavo.api.admin.answers import data_answer, instant
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.administrators import (
    AdminRoleAnswer,
    AdminRolesAnswer,
    GrantCatalogueAnswer,
    Grants,
    Ids,
    NamedRole,
    RightsAnswer,
)
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.core.forms import check
from octavo.query.numbers import read_entry_id

_ROLES: Final = "/admin/roles"
_READ, _CREATE = ("admin::roles.read",), ("admin::roles.create",)
_UPDATE, _DELETE = ("admin::roles.update",), ("admin::roles.delete",)


class RoleEndpoints:
    """Admin roles and their permissions."""

    operations = (
        AdminOperation("GET", _ROLES, "find", "List administrator roles", _READ, answer=AdminRolesAnswer),
        AdminOperation(
            "POST", _ROLES, "create", "Create an administrator role", _CREATE, answer=AdminRoleAnswer, body=NamedRole
        ),
        AdminOperation(
            "POST", f"{_ROLES}/batch-delete", "delete_many", "Delete administrator roles", _DELETE, body=Ids
        ),
        AdminOperation("GET", f"{_ROLES}/:id", "find_one", "Show an administrator role", _READ, answer=AdminRoleAnswer),
        AdminOperation(
            "PUT",
            f"{_ROLES}/:id",
            "update",
            "Update an administrator role",
            _UPDATE,
            answer=AdminRoleAnswer,
            body=NamedRole,
        ),
        AdminOperation("DELETE", f"{_ROLES}/:id", "delete", "Delete an administrator role", _DELETE),
        AdminOperation(
            "GET", f"{_ROLES}/:id/permissions", "permissions", "Show a role's permissions", _READ, answer=RightsAnswer
        ),
        AdminOperation(
            "PUT",
            f"{_ROLES}/:id/permissions",
            "set_permissions",
            "Update a role's permissions",
            _UPDATE,
            answer=RightsAnswer,
            body=Grants,
        ),
    )

    def __init__(self, roles: AdminRoles, listing: RoleListing, catalogue: Catalogue) -> None:
        self._roles = roles
        self._listing = listing
        self._catalogue = catalogue

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /admin/roles"""
        return data_answer(await self._listing.find(read_params(request), actor.ability))

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /admin/roles/:id"""
        return data_answer(await self._listing.find_one(_role_id(request), actor.ability))

    async def create(self, request: Request, _: Actor) -> Response:
        """POST /admin/roles"""
        body = await request.json()
        check(NEW_ROLE, body)
        return data_answer(_shown(await self._roles.create(body)), status=201)

    async def update(self, request: Request, actor: Actor) -> Response:
        """PUT /admin/roles/:id"""
        body = await request.json()
        check(CHANGED_ROLE, body)
        return data_answer(_shown(await self._roles.update(_role_id(request), body, actor)))

    async def delete(self, request: Request, actor: Actor) -> Response:
        """DELETE /admin/roles/:id"""
        role_id = read_entry_id(request.path_values["id"])
        deleted = await self._roles.delete([] if role_id is None else [role_id], "id", actor)
        return data_answer(_shown(deleted[0]) if deleted else None)

    async def delete_many(self, request: Request, actor: Actor) -> Response:
        """POST /admin/roles/batch-delete"""
        body = await request.json()
        check(SEVERAL, body)
        given = (read_entry_id(str(one)) for one in body["ids"])
        deleted = await self._roles.delete([one for one in given if one is not None], "ids", actor)
        return data_answer([_shown(role) for role in deleted])

    async def permissions(self, request: Request, _: Actor) -> Response:
        """GET /admin/roles/:id/permissions"""
        return data_answer(_all_shown(await self._roles.permissions(_role_id(request))))

    async def set_permissions(self, request: Request, actor: Actor) -> Response:
        """PUT /admin/roles/:id/permissions"""
        role_id = _role_id(request)
        if (await self._roles.role(role_id)).is_super:
            raise ApplicationError("Super admin permissions can't be edited.")
        given = read_permissions(await request.json(), self._catalogue)
        return data_answer(_all_shown(await self._roles.set_permissions(role_id, given, actor)))


class RightsEndpoints:
    """The available permissions, and those of the current administrator."""

    operations = (
        AdminOperation(
            "GET",
            "/admin/permissions",
            "catalogue",
            "List the permissions for administrators",
            answer=GrantCatalogueAnswer,
        ),
        AdminOperation("POST", "/admin/permissions/check", "check", "Check one's own permissions", safe=True),
        AdminOperation("GET", "/admin/users/me/permissions", "own", "Show one's own permissions", answer=RightsAnswer),
    )

    def __init__(self, roles: AdminRoles, listing: RoleListing, catalogue: Catalogue) -> None:
        self._roles = roles
        self._listing = listing
        self._catalogue = catalogue

    async def catalogue(self, _: Request, __: Actor) -> Response:
        """GET /admin/permissions"""
        return data_answer(await self._listing.catalogue())

    async def check(self, request: Request, actor: Actor) -> Response:
        """POST /admin/permissions/check"""
        asked = read_permission_check(await request.json())
        return data_answer([self._catalogue.knows(one[0]) and may_touch(actor.ability, *one) for one in asked])

    async def own(self, _: Request, actor: Actor) -> Response:
        """GET /admin/users/me/permissions"""
        return data_answer(_all_shown(await self._roles.permissions_of(actor)))


def _role_id(request: Request) -> int:
    role_id = read_entry_id(request.path_values["id"])
    if role_id is None:
        raise NotFoundError("role.notFound")
    return role_id


def _shown(role: Role) -> dict[str, Any]:
    return {
        "id": role.id,
        "name": role.name,
        "code": role.code,
        "description": role.description,
        "createdAt": instant(role.created_at),
        "updatedAt": instant(role.updated_at),
    }


def _all_shown(permissions: tuple[StoredPermission, ...]) -> list[dict[str, Any]]:
    return [
        {
            "id": one.id,
            "action": one.said.action,
            "actionParameters": one.said.parameters,
            "subject": one.said.subject,
            "properties": one.said.properties,
            "conditions": one.said.conditions,
        }
        for one in permissions
    ]
