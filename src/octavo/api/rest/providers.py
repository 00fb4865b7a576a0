"""REST routes to sign in with providers:

`/connect` and callbacks. `accounts.users.providers.logins` implements them.
"""

from typing import Final
from urllib.parse import parse_qsl

from octavo.access.authorization.actor import Actor
from octavo.accounts.users.accounts import Accounts
from octavo.accounts.users.providers.logins import STATE_SECONDS, ProviderCallback, ProviderLogins
from octavo.accounts.users.user_rows import LOCAL
from octavo.api.http.cookies import Cookie, read_cookies
from octavo.api.http.request import Request
from octavo.api.http.response import Headers, Response
from octavo.api.rest.accounts import escape_address
from octavo.api.rest.sessions import NOT_KEPT, SessionAnswers

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
    found: dict[str, str] = {}
    for name, value in parse_qsl(request.query, keep_blank_values=True)[:_MOST_PARAMS]:
        found.setdefault(name, value)
    return found


def _redirect(location: str, cookie: tuple[bytes, bytes]) -> Response:
    headers: Headers = ((b"location", escape_address(location)), cookie, *NOT_KEPT)
    return Response(302, content_type="", headers=headers)
