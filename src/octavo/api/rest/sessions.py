"""Sessions in responses, and endpoints to renew and end them if a project uses refresh tokens.

A refresh token is sent in bodies or in an HttpOnly cookie. The project configures which one; the other is not accepted.
Cookies are only set for and accepted from the project's own pages.
"""

from typing import Final

import orjson

from octavo.access.authorization.actor import Actor
from octavo.accounts.users.accounts import Accounts, Session
from octavo.accounts.users.sessions import UserSessions
from octavo.api.http.body import read_body
from octavo.api.http.cookies import Cookie
from octavo.api.http.origins import is_own_page
from octavo.api.http.query_string import parse_form
from octavo.api.http.request import Request
from octavo.api.http.response import Headers, Response
from octavo.api.rest.operations import RestOperation
from octavo.api.rest.plugin_operations import SESSIONS
from octavo.core.errors import ForbiddenError, UnauthorizedError
from octavo.core.values import dataclass

COOKIE: Final = "octavo_refresh"
NOT_KEPT: Final[Headers] = ((b"cache-control", b"no-store"),)
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
        """Return the response to a user who has signed in."""
        if session.jwt is None:
            return Response(200, b'{"user":%b}' % session.user, headers=NOT_KEPT)
        token = await self._begin(request, session)
        return self._answer(session.jwt, b',"user":' + session.user, token)

    async def refresh(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/refresh: returns an access token and the next refresh token."""
        assert self._sessions is not None, "else there is no such route"
        renewal = await self._sessions.renew(await self._token(request))
        jwt = None if renewal is None else await self._accounts.token_for(renewal.user_id)
        if renewal is None or jwt is None:
            raise UnauthorizedError("Invalid refresh token")
        return self._answer(jwt, b"", renewal.token)

    async def logout(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/logout: the response does not reveal whether there was a session."""
        assert self._sessions is not None, "else there is no such route"
        await self._sessions.end(await self._token(request))
        dropped = () if self._cookies is None else (self._cookies.cookie.drop(),)
        return Response(200, b'{"ok":true}', headers=(*NOT_KEPT, *dropped))

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
        headers: Headers = NOT_KEPT
        refresh = b""
        if token is not None and self._sessions is not None:
            if self._cookies is None:
                refresh = b',"%b":%b' % (_FIELD.encode(), orjson.dumps(token))
            else:
                headers = (*headers, self._cookies.cookie.set(token, self._sessions.options.most_seconds))
        return Response(200, b'{"jwt":"%b"%b%b}' % (jwt.encode(), refresh, user), headers=headers)
