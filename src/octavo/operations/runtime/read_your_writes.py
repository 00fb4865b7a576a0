"""Read-your-writes consistency with replicas: a client reads only from replicas that have its last write.

The response to a write has the position of that write. Browsers return it as a cookie, other clients can send the
header. It is only a lower bound: a forged position reads from the primary, or sees what replicas show to everyone.
"""

import re
from asyncio import CancelledError
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.permissions import READ_ACTIONS, PermissionSet
from octavo.access.authorization.preview_ability import PreviewAbility
from octavo.api.http.cookies import Cookie
from octavo.api.http.dispatcher import ALWAYS_ALLOWED, Around
from octavo.api.http.request import Request
from octavo.api.http.response import Headers, Response
from octavo.api.http.router import Handler
from octavo.api.rest.operations import RestOperation
from octavo.database.read_positions import READER, UNKNOWN, position_text, read_position

HEADER: Final = "octavo-position"
_HEADER: Final = HEADER.encode()
_IN_COOKIE: Final = re.compile(rb"(?:^|;)\s*octavo-position=([^;\s]*)")
"""Matches only this cookie: parsing all cookies on each read would be slow."""
_DAY: Final = 24 * 3600
_UNKNOWN_SECONDS: Final = 60
"""How long a client reads from the primary if the position of its write is unknown."""
_CONTENT: Final = "api::"
_OWN_ACCOUNT: Final = "plugin::users-permissions.auth."
"""Actions that do not change content."""
_MOST_REMEMBERED: Final = 10_000


class ReadYourWrites:
    """The middleware around every request.

    `inner` is the project's own middleware. `graphql` is the path of GraphQL. `position` returns a position after all
    committed changes. With `remembers`, this process stores positions for clients that do not send them. `path` is that
    of the cookie.
    """

    def __init__(
        self,
        inner: Around | None,
        graphql: str,
        position: Callable[[], Awaitable[int]],
        *,
        remembers: bool,
        path: str = "/",
    ) -> None:
        self._cookie = Cookie(HEADER, secure=False, path=path)
        self._inner = inner
        self._position = position
        self.graphql = graphql
        self.written = Written() if remembers else None

    async def __call__(self, handler: Handler, request: Request) -> Response:
        reader = _RequestReader(self, request)
        token = READER.set(reader)
        try:
            return await (handler(request) if self._inner is None else self._inner(handler, request))
        except CancelledError:
            if request.method not in ALWAYS_ALLOWED:  # the cancelled write may still be committed
                request.answered_with = self._position_headers(request, UNKNOWN)
            raise
        finally:
            READER.reset(token)
            if reader.has_written and not request.answered_with:
                request.answered_with = self._position_headers(request, await self._position())

    def _position_headers(self, request: Request, position: int) -> Headers:
        """Return the position headers of a write, for any status: an error can follow a commit.

        The position is read last, so that of several responses to one client, a later one has a later position.
        """
        credentials = request.headers.get(b"authorization")
        if self.written is not None and credentials is not None:
            self.written.note(credentials, position)
        text = position_text(position)
        return (_HEADER, text.encode()), self._cookie.set(text, _UNKNOWN_SECONDS if position == UNKNOWN else _DAY)


class Written:
    """Positions of writes by credentials. The highest discarded position applies to all clients."""

    def __init__(self, most: int = _MOST_REMEMBERED) -> None:
        self._most = most
        self._positions: OrderedDict[bytes, int] = OrderedDict()
        self._floor = 0

    def note(self, credentials: bytes, position: int) -> None:
        """Store the position of a write with these credentials."""
        key = _key(credentials)
        self._positions[key] = max(position, self._positions.pop(key, 0))
        while len(self._positions) > self._most:
            self._floor = max(self._floor, self._positions.popitem(last=False)[1])

    def position(self, credentials: bytes) -> int:
        """Return the position that reads with these credentials must include."""
        return max(self._floor, self._positions.get(_key(credentials), 0))


class _RequestReader:
    """The request's `Reader`. It decides when content is read, because permissions are known by then."""

    __slots__ = ("_may", "_own", "_request", "has_written", "needed")

    def __init__(self, own: ReadYourWrites, request: Request) -> None:
        self._own = own
        self._request = request
        self._may: bool | None = None
        self.needed = 0
        self.has_written = False

    def may_lag(self) -> bool:
        if self._may is None:
            self._may = self._reads_content() and not self._is_preview() and self._finds_positions()
        return self._may

    def require_primary(self) -> None:
        self._may = False

    def wrote(self) -> None:
        self.has_written = True
        self.require_primary()

    def _reads_content(self) -> bool:
        row = self._request.operation
        if not isinstance(row, RestOperation):
            return self._request.route == self._own.graphql
        return row.method == "GET" and row.uid.startswith(_CONTENT) and not row.is_own

    def _is_preview(self) -> bool:
        """Return whether the caller has a preview token: it must see the write that the administrator has just made,
        with other credentials."""
        actor = self._request.actor
        return actor is not None and isinstance(actor.ability, PreviewAbility)

    def _finds_positions(self) -> bool:
        headers, written = self._request.headers, self._own.written
        positions = _positions(self._request) if _HEADER in headers or b"cookie" in headers else ()
        if positions:
            self.needed = max(self.needed, *positions)
            return True
        credentials = headers.get(b"authorization")
        if credentials is None:
            return True
        if written is not None:
            self.needed = max(self.needed, written.position(credentials))
            return True
        actor = self._request.actor
        return actor is not None and _only_reads(actor.ability)


def _positions(request: Request) -> list[int]:
    """Return the positions in the header and in cookies, without invalid ones."""
    texts = [request.headers[_HEADER]] if _HEADER in request.headers else []
    for name, value in request.scope["headers"]:
        if name == b"cookie":
            texts += _IN_COOKIE.findall(value)
    positions = (read_position(text.decode("latin-1")) for text in texts)
    return [position for position in positions if position is not None]


def _only_reads(ability: Ability) -> bool:
    """Return whether an ability allows only reads of content."""
    return isinstance(ability, PermissionSet) and not ability.everything and _are_reads(ability.actions)


@lru_cache(maxsize=1024)
def _are_reads(actions: frozenset[str]) -> bool:
    changing = (one for one in actions if not one.startswith(_OWN_ACCOUNT))
    return all(action.rpartition(".")[2] in READ_ACTIONS for action in changing)


def _key(credentials: bytes) -> bytes:
    return blake2b(credentials, digest_size=16).digest()
