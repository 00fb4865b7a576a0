"""Endpoints for the settings of registration, sign-in providers and email templates."""

from octavo.access.authorization.actor import Actor
from octavo.accounts.users.role_reading import RoleReading
from octavo.accounts.users.stored_settings import StoredSettings
from octavo.api.admin.answers import plain_answer
from octavo.api.admin.endpoints.user_roles import DONE, USERS
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.site_users import (
    AdvancedAnswer,
    AdvancedSettings,
    MailTemplate,
    Provider,
    SaidProviders,
    SaidTemplates,
)
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.schema.content_types import USERS_PERMISSIONS


def _may(action: str) -> tuple[str, ...]:
    return (f"{USERS_PERMISSIONS}.{action}",)


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
            body=SaidProviders,
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
            body=SaidTemplates,
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
