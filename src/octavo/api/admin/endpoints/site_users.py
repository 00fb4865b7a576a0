"""Endpoints for the site's users: roles, registration, sign-in providers and email templates."""

from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.accounts.users.role_management import RoleManagement, RoleReading
from octavo.accounts.users.stored_settings import StoredSettings
from octavo.api.admin.answers import plain_answer
from octavo.api.admin.endpoints.project import ProjectFacts
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.site_users import (
    AdvancedAnswer,
    AdvancedSettings,
    EmailTemplatesInput,
    MailTemplate,
    Provider,
    ProvidersInput,
    SiteActionsAnswer,
    SiteRoleAnswer,
    SiteRolesAnswer,
    SiteRoutesAnswer,
    UserRoleInput,
)
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import NotFoundError
from octavo.query.numbers import read_entry_id
from octavo.schema.content_types import USERS_PERMISSIONS

USERS: Final = "/users-permissions"
DONE: Final = {"ok": True}
_ROLES: Final = f"{USERS}/roles"


def _may(action: str) -> tuple[str, ...]:
    return (f"{USERS_PERMISSIONS}.{action}",)


class UserRoleEndpoints:
    """`/users-permissions`: roles, `permissions`, `routes` and `policies`"""

    operations = (
        AdminOperation("GET", _ROLES, "find", "List user roles", _may("roles.read"), answer=SiteRolesAnswer),
        AdminOperation(
            "GET", f"{_ROLES}/:id", "find_one", "Show a user role", _may("roles.read"), answer=SiteRoleAnswer
        ),
        AdminOperation("POST", _ROLES, "create", "Create a user role", _may("roles.create"), body=UserRoleInput),
        AdminOperation(
            "PUT", f"{_ROLES}/:id", "update", "Update a user role", _may("roles.update"), body=UserRoleInput
        ),
        AdminOperation("DELETE", f"{_ROLES}/:id", "delete", "Delete a user role", _may("roles.delete")),
        AdminOperation(
            "GET", f"{USERS}/permissions", "permissions", "List the permissions for users", answer=SiteActionsAnswer
        ),
        AdminOperation("GET", f"{USERS}/routes", "routes", "List the content API's routes", answer=SiteRoutesAnswer),
        AdminOperation("GET", f"{USERS}/policies", "policies", "List policies (always empty)"),
    )

    def __init__(self, reading: RoleReading, roles: RoleManagement, facts: ProjectFacts) -> None:
        self._reading = reading
        self._roles = roles
        self._facts = facts

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /users-permissions/roles"""
        return plain_answer({"roles": await self._reading.all()})

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /users-permissions/roles/:id"""
        return plain_answer({"role": await self._reading.one(read_entry_id(request.path_values["id"]))})

    async def create(self, request: Request, actor: Actor) -> Response:
        """POST /users-permissions/roles"""
        await self._roles.create(await request.json(), actor)
        return plain_answer(DONE)

    async def update(self, request: Request, actor: Actor) -> Response:
        """PUT /users-permissions/roles/:id"""
        await self._roles.update(_role_id(request), await request.json(), actor, whole=True)
        return plain_answer(DONE)

    async def delete(self, request: Request, actor: Actor) -> Response:
        """DELETE /users-permissions/roles/:id"""
        await self._roles.delete(_role_id(request))
        return plain_answer(DONE)

    async def permissions(self, request: Request, actor: Actor) -> Response:
        """GET /users-permissions/permissions"""
        return plain_answer({"permissions": self._reading.actions()})

    async def routes(self, request: Request, actor: Actor) -> Response:
        """GET /users-permissions/routes"""
        return plain_answer({"routes": self._facts.routes()})

    async def policies(self, request: Request, actor: Actor) -> Response:
        """GET /users-permissions/policies"""
        return plain_answer({"policies": []})


def _role_id(request: Request) -> int:
    role_id = read_entry_id(request.path_values["id"])
    if role_id is None:
        raise NotFoundError("Role not found")
    return role_id


class UserSettingsEndpoints:
    """`/users-permissions`: `advanced`, `providers` and `email-templates`"""

    operations = (
        AdminOperation(
            "GET",
            f"{USERS}/advanced",
            "advanced",
            "Show the registration settings",
            _may("advanced-settings.read"),
            answer=AdvancedAnswer,
        ),
        AdminOperation(
            "PUT",
            f"{USERS}/advanced",
            "save_advanced",
            "Update the registration settings",
            _may("advanced-settings.update"),
            body=AdvancedSettings,
        ),
        AdminOperation(
            "GET",
            f"{USERS}/providers",
            "providers",
            "Show the sign-in providers",
            _may("providers.read"),
            answer=dict[str, Provider],
        ),
        AdminOperation(
            "PUT",
            f"{USERS}/providers",
            "save_providers",
            "Set providers",
            _may("providers.update"),
            body=ProvidersInput,
        ),
        AdminOperation(
            "GET",
            f"{USERS}/email-templates",
            "templates",
            "Show the email templates",
            _may("email-templates.read"),
            answer=dict[str, MailTemplate],
        ),
        AdminOperation(
            "PUT",
            f"{USERS}/email-templates",
            "save_templates",
            "Update the email templates",
            _may("email-templates.update"),
            body=EmailTemplatesInput,
        ),
    )

    def __init__(self, settings: StoredSettings, roles: RoleReading) -> None:
        self._settings = settings
        self._roles = roles

    async def advanced(self, request: Request, actor: Actor) -> Response:
        """GET /users-permissions/advanced"""
        return plain_answer({"settings": await self._settings.advanced(), "roles": await self._roles.all()})

    async def save_advanced(self, request: Request, actor: Actor) -> Response:
        """PUT /users-permissions/advanced"""
        await self._settings.save_advanced(await request.json(), actor)
        return plain_answer(DONE)

    async def providers(self, request: Request, actor: Actor) -> Response:
        """GET /users-permissions/providers"""
        return plain_answer(await self._settings.providers())

    async def save_providers(self, request: Request, actor: Actor) -> Response:
        """PUT /users-permissions/providers"""
        await self._settings.save_providers(await request.json(), actor)
        return plain_answer(DONE)

    async def templates(self, request: Request, actor: Actor) -> Response:
        """GET /users-permissions/email-templates"""
        return plain_answer(await self._settings.templates())

    async def save_templates(self, request: Request, actor: Actor) -> Response:
        """PUT /users-permissions/email-templates"""
        await self._settings.save_templates(await request.json(), actor)
        return plain_answer(DONE)
