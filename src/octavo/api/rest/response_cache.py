"""Response cache: answer repeated requests from the cache if the data has not changed.

Requests with the same path, query and credentials have the same response, if the caller's permissions and the default
locale are the same and the data that was read is still valid (`content.result_cache`). All of this is checked for each
request. Only reads without project code are cached.
"""

from collections.abc import Awaitable, Mapping
from typing import Final

from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authorization.actor import Actor
from octavo.api.http.options import MOST_HEADERS
from octavo.api.http.request import Request, Scope
from octavo.api.http.response import ReadyResponse, Response
from octavo.api.http.router import Finish, Handler, Known, Route, Router
from octavo.api.rest.caching import CONDITION, unless_known
from octavo.api.rest.endpoints import ContentEndpoints
from octavo.api.rest.operations import Guarded, RestOperation
from octavo.content.controllers.content import ContentController
from octavo.content.result_cache import NOTE, CachingReader, Note, Validity
from octavo.core.cache import ENTRY_BYTES, Cache, size_of
from octavo.core.errors import OctavoError
from octavo.core.values import dataclass

_READS: Final = frozenset({"find", "find_one", "find_single"})
_CREDENTIALS: Final = b"authorization"
_HEADERS_BYTES: Final = 2048

_Key = tuple[bytes | str, bytes, bytes | None]


@dataclass(slots=True, eq=False)
class _Ready:
    """A cached response, its validity, whom it is for (None: all callers), and its default locale."""

    response: ReadyResponse
    validity: Validity
    route: Route
    caller: tuple[object, ...] | None
    locale: str


class ResponseCache:
    """Returns cached responses."""

    def __init__(
        self,
        authenticator: Authenticator,
        controller: ContentController,
        reader: CachingReader,
        ready: Cache[_Key, _Ready],
    ) -> None:
        self._authenticator = authenticator
        self._controller = controller
        self._locales = controller.locales
        self._reader = reader
        self._ready = ready

    def find(self, scope: Scope, headers: Mapping[bytes, bytes]) -> Known | Awaitable[Known | None] | None:
        """Return the cached response and its route, or None for a request to handle normally. Raises no errors."""
        credentials = headers.get(_CREDENTIALS)
        ready = self._ready.get(_key(scope, credentials)) if scope["method"] == "GET" else None
        if ready is None or len(scope["headers"]) > MOST_HEADERS:
            return None
        known = headers.get(CONDITION)
        if ready.caller is not None:
            try:
                actor = self._authenticator.at_once(None if credentials is None else credentials.decode("latin-1"))
            except OctavoError:
                return None  # the normal handling reports the error
            if actor is None:
                return self._find(ready, credentials, known)
            if _caller_of(actor) != ready.caller:
                return None
        if ready.locale:
            locale = self._locales.default_at_once()
            if locale is None:
                return self._find(ready, credentials, known)
            if locale != ready.locale:
                return None
        holds = self._reader.is_current_now(ready.validity)
        if not holds or known is not None:
            return self._find(ready, credentials, known) if holds is None else self._answer(ready, holds, known)
        return ready.response, ready.route

    async def _find(self, ready: _Ready, credentials: bytes | None, known: bytes | None) -> Known | None:
        """Do the same if authentication or validation need the database."""
        try:
            if ready.caller is not None:
                given = None if credentials is None else credentials.decode("latin-1")
                if _caller_of(await self._authenticator.authenticate(given)) != ready.caller:
                    return None
            if ready.locale and await self._locales.default() != ready.locale:
                return None
        except OctavoError:
            return None
        return self._answer(ready, await self._reader.holds(ready.validity), known)

    def _answer(self, ready: _Ready, holds: bool, known: bytes | None) -> Known | None:
        if not holds:
            self._ready.refuse()
            return None
        return (ready.response if known is None else unless_known(ready.response, known)), ready.route

    async def locale_of(self, uid: str) -> str:
        """Return the default locale, or an empty string if a content type does not depend on it."""
        return await self._locales.default() if self._controller.registry.content_types[uid].localized else ""

    def is_cacheable(self, uid: str) -> bool:
        """Return whether reads of a content type run no project code."""
        return not self._controller.reads.is_hooked(uid)

    def add(self, request: Request, ready: _Ready) -> None:
        """Cache a response."""
        key, response = _key(request.scope, request.headers.get(_CREDENTIALS)), ready.response
        texts = sum(len(name) + len(value) for name, value in response.headers) + sum(len(part or b"") for part in key)
        held = size_of(ready.validity.tables) + size_of(ready.validity.stamp)
        self._ready.put(key, ready, len(response.body) + texts + held + ENTRY_BYTES + _HEADERS_BYTES)


@dataclass(frozen=True, slots=True)
class _Noted:
    """The handler of a read, which caches the response."""

    route: Route
    finish: Finish
    uid: str
    quick: ResponseCache

    async def __call__(self, request: Request) -> Response:
        quick = self.quick
        locale, note = await quick.locale_of(self.uid), Note()
        token = NOTE.set(note)
        try:
            response = await self.route.handler(request)
        finally:
            NOTE.reset(token)
        if note.validity is None or note.reads != 1 or response.status != 200 or request.method != "GET":
            return self.finish(request, response)
        condition = request.headers.get(CONDITION)
        if condition is not None:
            request.headers = {name: value for name, value in request.headers.items() if name != CONDITION}
        response = self.finish(request, response)
        if quick.is_cacheable(self.uid) and await quick.locale_of(self.uid) == locale:
            caller = None if request.actor is None else _caller_of(request.actor)
            ready = ReadyResponse(response.status, response.body, response.content_type, response.headers)
            quick.add(request, _Ready(ready, note.validity, self.route, caller, locale))
        return response if condition is None else unless_known(response, condition)


def add_response_cache(router: Router, quick: ResponseCache) -> None:
    """Use the cache for a router's reads of content. Call it after all other changes of routes."""

    def noted(route: Route) -> Handler | None:
        row, handler = route.operation, route.handler
        if not isinstance(row, RestOperation) or row.handler not in _READS or not isinstance(handler, Guarded):
            return None
        owner = getattr(handler.endpoint, "__self__", None)
        if type(owner) is not ContentEndpoints or route.method != "GET":
            return None
        return _Noted(route, route.finish or _as_it_is, row.uid, quick)

    router.handle(noted)
    router.quick = quick.find


def _key(scope: Scope, credentials: bytes | None) -> _Key:
    return scope.get("raw_path") or scope["path"], scope["query_string"], credentials


def _caller_of(actor: Actor) -> tuple[object, ...]:
    """Return the caller's properties that affect a response and its headers."""
    return actor.ability.key, actor.kind, actor.role


def _as_it_is(_: Request, response: Response) -> Response:
    return response
