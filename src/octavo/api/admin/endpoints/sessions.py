"""Endpoints for administrators' sessions: sign in, renewal, sign out.

Browsers send a refresh cookie automatically. Endpoints that read or set it therefore accept only requests from pages
of this service or of configured origins, and from clients that are not browsers (`api.http.origins`). The body must be
JSON, which a plain form cannot send.
"""

from typing import Any, Final

from octavo.access.authorization.actor import Actor
from octavo.accounts.administrators.sign_in import AdminLogin, AdminSignIn
from octavo.api.admin.answers import data_answer, serialize_administrator
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.sessions import Credentials, SessionAnswer
from octavo.api.http.cookies import Cookie
from octavo.api.http.cors import is_own_page
from octavo.api.http.query_string import parse_form
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import ForbiddenError, UnauthorizedError, UnsupportedMediaTypeError
from octavo.core.threads import compute

PREFIX: Final = "/admin"
COOKIE: Final = "octavo_admin_refresh"
_FORM: Final = "application/x-www-form-urlencoded"


class SessionAnswers:
    """Responses that begin a session.

    `origins` are allowed origins besides the service's own, `base_path` is the path of the public URL.
    """

    def __init__(
        self, administrators: AdminSignIn, origins: frozenset[str], *, secure: bool, base_path: str = ""
    ) -> None:
        self.cookie = Cookie(COOKIE, secure, f"{base_path}{PREFIX}", "Strict")
        self._seconds = administrators.options.session_seconds
        self._origins = origins

    def logged_in(self, login: AdminLogin, user: dict[str, Any]) -> Response:
        """Return an access token in the body and set the refresh cookie."""
        cookie = self.cookie.set(login.cookie, self._seconds)
        return data_answer({"token": login.token, "user": user}, (cookie,))

    def check_origin(self, request: Request) -> None:
        """Raise ForbiddenError for a browser's request from a page of another origin."""
        if not is_own_page(request, self._origins):
            raise ForbiddenError


class AdminSessionEndpoints:
    """`/admin`: `login`, `renew-token`, `logout`."""

    operations = (
        AdminOperation(
            "POST", f"{PREFIX}/login", "login", "Log in", public=True, body=Credentials, answer=SessionAnswer
        ),
        AdminOperation("POST", f"{PREFIX}/renew-token", "renew_token", "Refresh an access token", public=True),
        AdminOperation("POST", f"{PREFIX}/logout", "logout", "End a session", public=True),
    )

    def __init__(self, administrators: AdminSignIn, answers: SessionAnswers) -> None:
        self._administrators = administrators
        self._answers = answers

    async def login(self, request: Request, _: Actor) -> Response:
        """POST /admin/login"""
        self._answers.check_origin(request)
        login = await self._administrators.login(await self._credentials(request), request.client)
        return self._answers.logged_in(login, serialize_administrator(login.administrator))

    async def renew_token(self, request: Request, _: Actor) -> Response:
        """POST /admin/renew-token: a new access token for the refresh cookie or, in v4 mode, for a token in the body"""
        self._answers.check_origin(request)
        cookie = self._answers.cookie.read(request)
        body = await request.json() if self._administrators.options.long_tokens else None
        if body or (body is not None and not cookie):
            return data_answer({"token": await self._administrators.renew_token(body, request.client)})
        if not cookie:
            raise UnauthorizedError
        return data_answer({"token": await self._administrators.renew(cookie, request.client)})

    async def logout(self, request: Request, _: Actor) -> Response:
        """POST /admin/logout: ends the session of the refresh cookie, or of the access token without a cookie."""
        self._answers.check_origin(request)
        authorization, cookie = request.header("authorization"), self._answers.cookie
        await self._administrators.logout(cookie.read(request), authorization, request.client)
        return data_answer({}, (cookie.drop(),))

    async def _credentials(self, request: Request) -> Any:
        """Read the JSON body, which pages of other origins cannot send without CORS.

        v4 also accepts forms and requests without a body.
        """
        if request.content_type == "application/json":
            return await request.json()
        if not self._administrators.options.long_tokens or request.content_type not in ("", _FORM):
            raise UnsupportedMediaTypeError("The body must be JSON")
        body = await request.body()
        return await compute(lambda: parse_form(body.decode("utf-8", "replace")), len(body))
