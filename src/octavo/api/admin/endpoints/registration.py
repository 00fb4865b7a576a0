"""Endpoints for registration, invitations and password resets of administrators."""

from typing import Any

from octavo.access.authorization.actor import Actor
from octavo.accounts.administrators.accounts import AdministratorAccount
from octavo.accounts.administrators.registration import Registration
from octavo.accounts.administrators.sign_in import AdminLogin
from octavo.api.admin.answers import data_answer, no_content, serialize_administrator_with_roles
from octavo.api.admin.endpoints.sessions import PREFIX, SessionAnswers
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.sessions import (
    ForgottenPassword,
    InvitationAnswer,
    Invited,
    NewAdministrator,
    NewPassword,
    SessionAnswer,
)
from octavo.api.http.hosts import AllowedHosts
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import ForbiddenError


class RegistrationEndpoints:
    """`/admin`: `register-admin`, `registration-info`, `register`, `forgot-password`, `reset-password`."""

    operations = (
        AdminOperation(
            "POST",
            f"{PREFIX}/register-admin",
            "register_first",
            "Create the first administrator",
            public=True,
            body=NewAdministrator,
            answer=SessionAnswer,
        ),
        AdminOperation(
            "GET", f"{PREFIX}/registration-info", "invited", "Show an invitation", public=True, answer=InvitationAnswer
        ),
        AdminOperation(
            "POST",
            f"{PREFIX}/register",
            "register",
            "Accept an invitation",
            public=True,
            body=Invited,
            answer=SessionAnswer,
        ),
        AdminOperation(
            "POST",
            f"{PREFIX}/forgot-password",
            "forgot_password",
            "Send a password reset email",
            public=True,
            body=ForgottenPassword,
        ),
        AdminOperation(
            "POST",
            f"{PREFIX}/reset-password",
            "reset_password",
            "Reset a password with an emailed token",
            public=True,
            body=NewPassword,
            answer=SessionAnswer,
        ),
    )

    def __init__(self, registration: Registration, answers: SessionAnswers, first_hosts: AllowedHosts) -> None:
        self._registration = registration
        self._answers = answers
        self._first_hosts = first_hosts

    async def register_first(self, request: Request, _: Actor) -> Response:
        """POST /admin/register-admin"""
        self._answers.check_origin(request)
        if not self._first_hosts.allow(request.host):
            raise ForbiddenError(
                "Create the first administrator at localhost, at the host of server.url, or with octavo admin "
                "create-user"
            )
        here = request.is_from_here
        login, account = await self._registration.register_first(await request.json(), request.client, here=here)
        return self._entered(login, account)

    async def invited(self, request: Request, _: Actor) -> Response:
        """GET /admin/registration-info"""
        administrator = await self._registration.invited(read_params(request))
        return data_answer(
            {"email": administrator.email, "firstname": administrator.firstname, "lastname": administrator.lastname}
        )

    async def register(self, request: Request, _: Actor) -> Response:
        """POST /admin/register"""
        self._answers.check_origin(request)
        return self._entered(*await self._registration.register(await request.json(), request.client))

    async def forgot_password(self, request: Request, _: Actor) -> Response:
        """POST /admin/forgot-password: the response does not reveal whether the address is known."""
        await self._registration.forgot_password(await request.json(), request.client)
        return no_content()

    async def reset_password(self, request: Request, _: Actor) -> Response:
        """POST /admin/reset-password"""
        self._answers.check_origin(request)
        return self._entered(*await self._registration.reset_password(await request.json(), request.client))

    def _entered(self, login: AdminLogin, account: AdministratorAccount) -> Response:
        user: dict[str, Any] = serialize_administrator_with_roles(account)
        return self._answers.logged_in(login, user)
