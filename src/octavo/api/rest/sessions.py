"""Sessions in answers, and what renews and ends them where a project has refresh tokens.

A refresh token travels in bodies, or in a cookie that scripts cannot read; which of both is set for the project, and
the other is not taken. Cookies are set for and taken from pages of our own alone.
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
from octavo.api.rest.operations import Operation
from octavo.api.rest.plugin_operations import SESSIONS
from octavo.core.errors import ForbiddenError, UnauthorizedError
from octavo.core.values import dataclass

COOKIE: Final = "octavo_refresh"
NOT_KEPT: Final[Headers] = ((b"cache-control", b"no-store"),)
"""For answers that hold something secret."""

_FIELD: Final = "refreshToken"


@dataclass(frozen=True, slots=True)
class SessionCookies:
    """The cookie for refresh tokens. `origins` are those of pages that may use it besides our own."""

    cookie: Cookie
    origins: frozenset[str]


class SessionAnswers:
    """Answers sessions. Without `sessions` a user gets a JWT and nothing else; without `cookies`, tokens in bodies."""

    def __init__(
        self, accounts: Accounts, sessions: UserSessions | None = None, cookies: SessionCookies | None = None
    ) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._cookies = cookies

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The operations there are: none without refresh tokens."""
        return () if self._sessions is None else SESSIONS

    async def render(self, request: Request, session: Session) -> Response:
        """The answer to somebody who has proved who they are."""
        if session.jwt is None:
            return Response(200, b'{"user":%b}' % session.user, headers=NOT_KEPT)
        token = await self._begin(request, session)
        return self._answer(session.jwt, b',"user":' + session.user, token)

    async def refresh(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/refresh: an access token, and the next refresh token, for this one."""
        assert self._sessions is not None, "else there is no such route"
        renewal = await self._sessions.renew(await self._token(request))
        jwt = None if renewal is None else await self._accounts.token_for(renewal.user_id)
        if renewal is None or jwt is None:
            raise UnauthorizedError("Invalid refresh token")
        return self._answer(jwt, b"", renewal.token)

    async def logout(self, request: Request, actor: Actor) -> Response:
        """POST /api/auth/logout: nobody is told whether there was a session."""
        assert self._sessions is not None, "else there is no such route"
        await self._sessions.end(await self._token(request))
        dropped = () if self._cookies is None else (self._cookies.cookie.drop(),)
        return Response(200, b'{"ok":true}', headers=(*NOT_KEPT, *dropped))

    async def _begin(self, request: Request, session: Session) -> str | None:
        """A refresh token; none for a page of somebody else's, which must not set the cookie."""
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
        told = b""
        if token is not None and self._sessions is not None:
            if self._cookies is None:
                told = b',"%b":%b' % (_FIELD.encode(), orjson.dumps(token))
            else:
                headers = (*headers, self._cookies.cookie.set(token, self._sessions.options.most_seconds))
        return Response(200, b'{"jwt":"%b"%b%b}' % (jwt.encode(), told, user), headers=headers)
