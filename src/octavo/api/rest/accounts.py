"""REST endpoints of accounts and sessions, `/auth`, and those to sign in with providers.

`accounts.users` implements them.
"""

from typing import Any, Final
from urllib.parse import parse_qsl

import orjson

from octavo.access.authorization.actor import Actor
from octavo.accounts.users.accounts import Accounts, Session
from octavo.accounts.users.providers.logins import STATE_SECONDS, ProviderCallback, ProviderLogins
from octavo.accounts.users.sessions import UserSessions
from octavo.accounts.users.user_rows import LOCAL
from octavo.api.http.body import read_body
from octavo.api.http.cookies import Cookie, read_cookies
from octavo.api.http.cors import is_own_page
from octavo.api.http.query_string import parse_form, read_params
from octavo.api.http.request import Request
from octavo.api.http.response import HTML, Headers, Response
from octavo.api.rest.operations import RestOperation
from octavo.api.rest.plugin_operations import SESSIONS
from octavo.core.errors import ForbiddenError, UnauthorizedError
from octavo.core.markup import escape
from octavo.core.values import dataclass

COOKIE: Final = "octavo_refresh"
NO_STORE: Final[Headers] = ((b"cache-control", b"no-store"),)
"""Headers of responses with secrets."""

_FIELD: Final = "refreshToken"


@dataclass(frozen=True, slots=True)
class SessionCookies:
    """The cookie for refresh tokens. `origins` are other origins whose pages can use it."""

    cookie: Cookie
    origins: frozenset[str]


class SessionAnswers:
    """Responses with sessions. Without `sessions`, users get only a JWT. Without `cookies`, tokens are in bodies."""

    def __init__(
        self, accounts: Accounts, sessions: UserSessions | None = None, cookies: SessionCookies | None = None
    ) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._cookies = cookies

    @property
    def operations(self) -> tuple[RestOperation, ...]:
        """The operations, none without refresh tokens."""
        return () if self._sessions is None else SESSIONS

    async def render(self, request: Request, session: Session) -> Response:
        """Return the response to a sign-in."""
        if session.jwt is None:
            return Response(200, b'{"user":%b}' % session.user, headers=NO_STORE)
        token = await self._begin(request, session)
        return self._answer(session.jwt, b',"user":' + session.user, token)

    async def refresh(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/refresh: returns an access token and the next refresh token."""
        assert self._sessions is not None, "the route exists only with sessions"
        renewal = await self._sessions.renew(await self._token(request))
        jwt = None if renewal is None else await self._accounts.token_for(renewal.user_id)
        if renewal is None or jwt is None:
            raise UnauthorizedError("Invalid refresh token")
        return self._answer(jwt, b"", renewal.token)

    async def logout(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/logout: the response does not reveal whether there was a session."""
        assert self._sessions is not None, "the route exists only with sessions"
        await self._sessions.end(await self._token(request))
        dropped = () if self._cookies is None else (self._cookies.cookie.drop(),)
        return Response(200, b'{"ok":true}', headers=(*NO_STORE, *dropped))

    async def _begin(self, request: Request, session: Session) -> str | None:
        """Return a new refresh token, or None for a page of another origin, which must not set the cookie."""
        if self._sessions is None or (self._cookies is not None and not is_own_page(request, self._cookies.origins)):
            return None
        return await self._sessions.begin(session.user_id, session.stamp)

    async def _token(self, request: Request) -> str:
        if self._cookies is None:
            body = (await read_body(request, parse_form)).value
            token = body.get(_FIELD) if isinstance(body, dict) else None
            return token if isinstance(token, str) else ""
        if not is_own_page(request, self._cookies.origins):
            raise ForbiddenError
        return self._cookies.cookie.read(request)

    def _answer(self, jwt: str, user: bytes, token: str | None) -> Response:
        headers: Headers = NO_STORE
        refresh = b""
        if token is not None and self._sessions is not None:
            if self._cookies is None:
                refresh = b',"%b":%b' % (_FIELD.encode(), orjson.dumps(token))
            else:
                headers = (*headers, self._cookies.cookie.set(token, self._sessions.options.most_seconds))
        return Response(200, b'{"jwt":"%b"%b%b}' % (jwt.encode(), refresh, user), headers=headers)


class AccountEndpoints:
    """`/auth`"""

    def __init__(self, accounts: Accounts, answers: SessionAnswers) -> None:
        self._accounts = accounts
        self._answers = answers

    async def login(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/local"""
        body = await _read(request)
        return await self._answers.render(request, await self._accounts.login(body, request.client))

    async def register(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/local/register"""
        body = await _read(request)
        return await self._answers.render(request, await self._accounts.register(body, actor, request.client))

    async def change_password(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/change-password"""
        body = await _read(request)
        return await self._answers.render(request, await self._accounts.change_password(body, actor, request.client))

    async def forgot_password(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/forgot-password: the response does not reveal whether the user exists."""
        body = await _read(request)
        await self._accounts.forgot_password(body, request.client)
        return Response(200, b'{"ok":true}')

    async def reset_password(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/reset-password"""
        body = await _read(request)
        return await self._answers.render(request, await self._accounts.reset_password(body, request.client))

    async def confirm_email(self, request: Request, actor: Actor) -> Response:
        """GET /api/auth/email-confirmation: redirects to the project's URL."""
        _, target = await self._accounts.confirm_email(read_params(request), request.client)
        link = escape(target)
        body = f'Redirecting to <a href="{link}">{link}</a>.'.encode("utf-8", "replace")
        return Response(302, body, HTML, ((b"location", escape_address(target)),))

    async def send_email_confirmation(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/send-email-confirmation"""
        body = await _read(request)
        email = await self._accounts.send_email_confirmation(body, request.client)
        return Response(200, orjson.dumps({"email": email, "sent": True}))


async def _read(request: Request) -> Any:
    return (await read_body(request, parse_form)).value


def escape_address(address: str) -> bytes:
    """Escape a stored URL for a header."""
    return "".join(sign if 0x20 < ord(sign) < 0x7F else _escaped(sign) for sign in address).encode()


def _escaped(sign: str) -> str:
    return "".join(f"%{byte:02X}" for byte in sign.encode("utf-8", "replace"))


_MOST_PARAMS: Final = 20


class ProviderEndpoints:
    """`/connect/:provider`, `/connect/:provider/callback`, `/auth/:provider/callback`"""

    def __init__(self, logins: ProviderLogins, accounts: Accounts, answers: SessionAnswers) -> None:
        self._answers = answers
        self._logins = logins
        self._accounts = accounts

    async def connect(self, request: Request, actor: Actor) -> Response:
        """GET /api/connect/:provider: redirects to the provider."""
        beginning = await self._logins.begin(_name(request), _params(request).get("callback"), request.client)
        cookie = self._cookie(beginning.cookie)
        return _redirect(beginning.location, cookie.set(beginning.browser, STATE_SECONDS))

    async def come_back(self, request: Request, actor: Actor) -> Response:
        """GET /api/connect/:provider/callback: redirects from the provider to the front end."""
        params = _params(request)
        location = await self._logins.finish(_name(request), ProviderCallback(params, read_cookies(request)))
        cookie = self._cookie(self._logins.cookie_of(params.get("state", "")))
        return _redirect(location, cookie.drop())

    async def callback(self, request: Request, actor: Actor) -> Response:
        """GET /api/auth/:provider/callback: signs in.

        For `local`, the request is rejected: passwords must not be in URLs.
        """
        if _name(request) == LOCAL:
            session = await self._accounts.login({}, request.client)
        else:
            session = await self._logins.log_in(_name(request), _params(request).get("access_token", ""))
        return await self._answers.render(request, session)

    def _cookie(self, name: str) -> Cookie:
        return Cookie(name, self._logins.options.secure, "/")  # browsers reject `__Host-` with another path


def _name(request: Request) -> str:
    return request.path_values["provider"]


def _params(request: Request) -> dict[str, str]:
    """Return the parameters, the first one for duplicates. If code has changed them, only texts."""
    if request.overlay is not None and request.overlay.values is not None:
        return {name: value for name, value in request.overlay.values().items() if isinstance(value, str)}
    values: dict[str, str] = {}
    for name, value in parse_qsl(request.query, keep_blank_values=True)[:_MOST_PARAMS]:
        values.setdefault(name, value)
    return values


def _redirect(location: str, cookie: tuple[bytes, bytes]) -> Response:
    headers: Headers = ((b"location", escape_address(location)), cookie, *NO_STORE)
    return Response(302, content_type="", headers=headers)
