"""The routes by which administrators get in and out: login, renewal, logout, who they are.

A refresh cookie is sent by browsers on their own account, so whatever takes or sets it answers only to pages of this
service itself, to those of origins that the settings name, and to programs that are no browsers (`http.origins`). A
body has to be JSON, which a plain form cannot send.
"""

from typing import Any, Final

from octavo.admin.answers import data_answer, instant
from octavo.admin.operations import AdminOperation
from octavo.administrators.accounts import Administrators
from octavo.administrators.rows import Administrator, AdminRole
from octavo.authorization.actor import Actor
from octavo.errors import ForbiddenError, UnauthorizedError, UnsupportedMediaTypeError
from octavo.http.cookies import Cookie
from octavo.http.origins import is_own_page
from octavo.http.request import Request
from octavo.http.response import Response

PREFIX: Final = "/admin"
COOKIE: Final = "octavo_admin_refresh"


class AdminSessionEndpoints:
    """`/admin`: `login`, `renew-token`, `logout`, `users/me`. `origins` are those of pages besides our own."""

    operations = (
        AdminOperation("POST", f"{PREFIX}/login", "login", "Log in", public=True),
        AdminOperation("POST", f"{PREFIX}/renew-token", "renew_token", "Get another access token", public=True),
        AdminOperation("POST", f"{PREFIX}/logout", "logout", "End a session", public=True),
        AdminOperation("GET", f"{PREFIX}/users/me", "me", "Show who is logged in"),
    )

    def __init__(self, administrators: Administrators, origins: frozenset[str], *, secure: bool) -> None:
        self._administrators = administrators
        self._origins = origins
        self._cookie = Cookie(COOKIE, secure, PREFIX, "Strict")

    async def login(self, request: Request, _: Actor) -> Response:
        """POST /admin/login"""
        self._check_origin(request)
        if request.content_type != "application/json":
            raise UnsupportedMediaTypeError("The body must be JSON")
        login = await self._administrators.login(await request.json(), request.client)
        cookie = self._cookie.set(login.cookie, self._administrators.options.session_seconds)
        return data_answer({"token": login.token, "user": _shown(login.administrator)}, (cookie,))

    async def renew_token(self, request: Request, _: Actor) -> Response:
        """POST /admin/renew-token: another access token for the refresh cookie."""
        self._check_origin(request)
        cookie = self._cookie.read(request)
        if not cookie:
            raise UnauthorizedError
        return data_answer({"token": await self._administrators.renew(cookie, request.client)})

    async def logout(self, request: Request, _: Actor) -> Response:
        """POST /admin/logout: of the refresh cookie, or of the access token where there is none."""
        self._check_origin(request)
        authorization = request.header("authorization")
        await self._administrators.logout(self._cookie.read(request), authorization, request.client)
        return data_answer({}, (self._cookie.drop(),))

    async def me(self, _: Request, actor: Actor) -> Response:
        """GET /admin/users/me"""
        administrator, roles = await self._administrators.me(actor)
        return data_answer({**_shown(administrator), "roles": [_shown_role(role) for role in roles]})

    def _check_origin(self, request: Request) -> None:
        """Raise ForbiddenError for what a browser sends on behalf of a page of another origin."""
        if not is_own_page(request, self._origins):
            raise ForbiddenError


def _shown(administrator: Administrator) -> dict[str, Any]:
    """What everybody who manages may see of an administrator, in v4's words."""
    return {
        "id": administrator.id,
        "firstname": administrator.firstname,
        "lastname": administrator.lastname,
        "username": administrator.username,
        "email": administrator.email,
        "isActive": administrator.active,
        "blocked": administrator.blocked,
        "preferedLanguage": administrator.language,
        "createdAt": instant(administrator.created_at),
        "updatedAt": instant(administrator.updated_at),
    }


def _shown_role(role: AdminRole) -> dict[str, Any]:
    return {"id": role.id, "name": role.name, "description": role.description, "code": role.code}
