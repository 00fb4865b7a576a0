"""The routes by which administrators get in and out: login, renewal, logout, who they are.

A refresh cookie is sent by browsers on their own account, so whatever takes or sets it answers only to pages of this
service itself, to those of origins that the settings name, and to programs that are no browsers: the cookie is
`SameSite=Strict`, and a request that a browser says to come from elsewhere is refused. A body has to be JSON, which a
plain form cannot send.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from octavo.access.admin_rows import Administrator, AdminRole
from octavo.access.administrators import Administrators
from octavo.errors import ForbiddenError, UnauthorizedError, UnsupportedMediaTypeError
from octavo.http.request import Request
from octavo.http.response import Headers, Response, render_json
from octavo.http.router import Router

PREFIX: Final = "/admin"
COOKIE: Final = "octavo_admin_refresh"

_OWN_SITES: Final = (None, "same-origin", "none")


class AdminSessionEndpoints:
    """`/admin`: `login`, `renew-token`, `logout`, `users/me`"""

    def __init__(self, administrators: Administrators, origins: Iterable[str], *, secure: bool) -> None:
        self._administrators = administrators
        self._origins = frozenset("://".join(urlsplit(origin)[:2]).lower() for origin in origins)
        self._attributes = f"Path={PREFIX}; HttpOnly; SameSite=Strict{'; Secure' if secure else ''}"

    def add_routes(self, router: Router) -> None:
        """Declare the routes."""
        router.add("POST", f"{PREFIX}/login", self.login)
        router.add("POST", f"{PREFIX}/renew-token", self.renew_token)
        router.add("POST", f"{PREFIX}/logout", self.logout)
        router.add("GET", f"{PREFIX}/users/me", self.me)

    async def login(self, request: Request) -> Response:
        """POST /admin/login"""
        self._check_origin(request)
        if request.content_type != "application/json":
            raise UnsupportedMediaTypeError("The body must be JSON")
        login = await self._administrators.login(await request.json(), request.client)
        cookie = self._cookie(login.cookie, self._administrators.options.session_seconds)
        return _answer({"token": login.token, "user": _shown(login.administrator)}, cookie)

    async def renew_token(self, request: Request) -> Response:
        """POST /admin/renew-token: another access token for the refresh cookie."""
        self._check_origin(request)
        cookie = _read_cookie(request)
        if cookie is None:
            raise UnauthorizedError
        return _answer({"token": await self._administrators.renew(cookie, request.client)})

    async def logout(self, request: Request) -> Response:
        """POST /admin/logout: of the refresh cookie, or of the access token where there is none."""
        self._check_origin(request)
        authorization = request.header("authorization")
        await self._administrators.logout(_read_cookie(request), authorization, request.client)
        return _answer({}, self._cookie("", 0))

    async def me(self, request: Request) -> Response:
        """GET /admin/users/me"""
        administrator, roles = await self._administrators.me(request.header("authorization"))
        return _answer({**_shown(administrator), "roles": [_shown_role(role) for role in roles]})

    def _check_origin(self, request: Request) -> None:
        """Raise ForbiddenError for what a browser sends on behalf of a page of another origin."""
        origin, host = (request.header("origin") or "").lower(), (request.header("host") or "").lower()
        if origin in self._origins:
            return
        is_own = not origin or origin in (f"http://{host}", f"https://{host}")
        if not is_own or request.header("sec-fetch-site") not in _OWN_SITES:
            raise ForbiddenError

    def _cookie(self, value: str, seconds: int) -> Headers:
        return ((b"set-cookie", f"{COOKIE}={value}; Max-Age={seconds}; {self._attributes}".encode()),)


def _read_cookie(request: Request) -> str | None:
    """The refresh cookie, if one was sent."""
    for pair in (request.header("cookie") or "").split(";"):
        name, _, value = pair.strip().partition("=")
        if name == COOKIE and value:
            return value
    return None


def _answer(data: Any, headers: Headers = ()) -> Response:
    return render_json(200, {"data": data}, (*headers, (b"cache-control", b"no-store")))


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
        "createdAt": _instant(administrator.created_at),
        "updatedAt": _instant(administrator.updated_at),
    }


def _shown_role(role: AdminRole) -> dict[str, Any]:
    return {"id": role.id, "name": role.name, "description": role.description, "code": role.code}


def _instant(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
