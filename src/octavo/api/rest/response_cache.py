"""Quick answers: those to requests that were asked before, word for word, where nothing has changed since.

A request by the same path, query and credentials means the same, as long as whoever asks may do the same, and the
default locale is the same: the answer is the one that was given then, if what was read for it holds
(`content.result_cache`). All of that is asked each time, as for any other request; left out is only what would come to
the same. Only reads of content that no code of the project has to do with are answered so.
"""

from collections.abc import Awaitable, Mapping
from typing import Final

from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authorization.actor import Actor
from octavo.api.http.request import Request, Scope
from octavo.api.http.response import ReadyResponse, Response
from octavo.api.http.router import Finish, Handler, Known, Route, Router
from octavo.api.rest.caching import CONDITION, unless_known
from octavo.api.rest.endpoints import ContentEndpoints
from octavo.api.rest.operations import Guarded, Operation
from octavo.content.controllers.content import ContentController
from octavo.content.result_cache import NOTE, KeptReader, Note, Validity
from octavo.core.cache import ENTRY_BYTES, Cache, size_of
from octavo.core.errors import OctavoError
from octavo.core.values import dataclass

_READS: Final = frozenset({"find", "find_one", "find_single"})
_CREDENTIALS: Final = b"authorization"
_HEADERS_BYTES: Final = 2048

_Key = tuple[bytes | str, bytes, bytes | None]


@dataclass(slots=True, eq=False)
class _Ready:
    """An answer, how long it holds, to whom it is given (None: to everybody), and in which default locale."""

    response: ReadyResponse
    validity: Validity
    route: Route
    asker: tuple[object, ...] | None
    locale: str


class QuickAnswers:
    """Answers what was answered before."""

    def __init__(
        self,
        authenticator: Authenticator,
        controller: ContentController,
        reader: KeptReader,
        ready: Cache[_Key, _Ready],
        most_headers: int,
    ) -> None:
        self._authenticator = authenticator
        self._controller = controller
        self._locales = controller.locales
        self._reader = reader
        self._ready = ready
        self._most_headers = most_headers

    def find(self, scope: Scope, headers: Mapping[bytes, bytes]) -> Known | Awaitable[Known | None] | None:
        """What is known, and the route; None for a request that has to go the whole road. Raises nothing."""
        credentials = headers.get(_CREDENTIALS)
        ready = self._ready.get(_key(scope, credentials)) if scope["method"] == "GET" else None
        if ready is None or len(scope["headers"]) > self._most_headers:
            return None
        known = headers.get(CONDITION)
        if ready.asker is not None:
            try:
                actor = self._authenticator.at_once(None if credentials is None else credentials.decode("latin-1"))
            except OctavoError:
                return None  # the whole road says what is wrong
            if actor is None:
                return self._find(ready, credentials, known)
            if _asker(actor) != ready.asker:
                return None
        if ready.locale:
            locale = self._locales.default_at_once()
            if locale is None:
                return self._find(ready, credentials, known)
            if locale != ready.locale:
                return None
        holds = self._reader.holds_at_once(ready.validity)
        if not holds or known is not None:
            return self._find(ready, credentials, known) if holds is None else self._answer(ready, holds, known)
        return ready.response, ready.route

    async def _find(self, ready: _Ready, credentials: bytes | None, known: bytes | None) -> Known | None:
        """The same where something has to be asked first."""
        try:
            if ready.asker is not None:
                given = None if credentials is None else credentials.decode("latin-1")
                if _asker(await self._authenticator.authenticate(given)) != ready.asker:
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
        """The default locale, where it matters for a content-type."""
        return await self._locales.default() if self._controller.registry.content_types[uid].localized else ""

    def may_stand_for(self, uid: str) -> bool:
        """Whether no code of the project takes part in reads of a content-type."""
        return not self._controller.reads.is_hooked(uid)

    def add(self, request: Request, ready: _Ready) -> None:
        """Be ready for the same request."""
        key, response = _key(request.scope, request.headers.get(_CREDENTIALS)), ready.response
        texts = sum(len(name) + len(value) for name, value in response.headers) + sum(len(part or b"") for part in key)
        held = size_of(ready.validity.tables) + size_of(ready.validity.stamp)
        self._ready.put(key, ready, len(response.body) + texts + held + ENTRY_BYTES + _HEADERS_BYTES)


@dataclass(frozen=True, slots=True)
class _Noted:
    """The handler of a read, which notes what it was answered with."""

    route: Route
    finish: Finish
    uid: str
    quick: QuickAnswers

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
        if quick.may_stand_for(self.uid) and await quick.locale_of(self.uid) == locale:
            asker = None if request.actor is None else _asker(request.actor)
            ready = ReadyResponse(response.status, response.body, response.content_type, response.headers)
            quick.add(request, _Ready(ready, note.validity, self.route, asker, locale))
        return response if condition is None else unless_known(response, condition)


def answer_quickly(router: Router, quick: QuickAnswers) -> None:
    """Let a router's reads of content be answered so; after everything else was said of its routes."""

    def noted(route: Route) -> Handler | None:
        row, handler = route.operation, route.handler
        if not isinstance(row, Operation) or row.handler not in _READS or not isinstance(handler, Guarded):
            return None
        owner = getattr(handler.endpoint, "__self__", None)
        if type(owner) is not ContentEndpoints or route.method != "GET":
            return None
        return _Noted(route, route.finish or _as_it_is, row.uid, quick)

    router.handle(noted)
    router.quick = quick.find


def _key(scope: Scope, credentials: bytes | None) -> _Key:
    return scope.get("raw_path") or scope["path"], scope["query_string"], credentials


def _asker(actor: Actor) -> tuple[object, ...]:
    """What of somebody matters for an answer and its headers."""
    return actor.ability.key, actor.kind, actor.role


def _as_it_is(_: Request, response: Response) -> Response:
    return response
