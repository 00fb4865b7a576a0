"""Caching headers of REST reads: entity tags, and `Cache-Control` by content type and role.

A client that sends the tag gets a 304 response while nothing has changed (RFC 9110, 13). Responses to requests with
credentials are never for shared caches. `Vary` separates them if caching is configured.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from xxhash import xxh64_hexdigest

from octavo.api.http.cors import VARY_BY_CALLER
from octavo.api.http.ranges import names_tag
from octavo.api.http.request import Request
from octavo.api.http.response import Headers, Response
from octavo.api.http.router import Finish, Route, Router
from octavo.api.rest.operations import RestOperation
from octavo.api.rest.surrogate_keys import KeyOptions, SurrogateKeys, is_keyed
from octavo.core.cache_control import PRIVATE, private_cache_control
from octavo.core.values import dataclass

ANY: Final = "*"
"""All content types, or all roles."""
PUBLIC: Final = "public"
SIGN_INS: Final = "plugin::users-permissions.auth"
"""The controller that issues tokens: its responses must never be cached."""

CONDITION: Final = b"if-none-match"
_CONTROL: Final = b"cache-control"
_TAG: Final = b"etag"


@dataclass(frozen=True, slots=True)
class CachingOptions:
    """The caching options.

    `tags`: responses have entity tags. `control`: directives by content type (UID or `*`) and role (its type, the kind
    of a caller without a role, or `*`). `private_unless_said`: responses without a directive are private. `keys`:
    options of surrogate keys, or None.
    """

    tags: bool = True
    control: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    private_unless_said: bool = False
    keys: KeyOptions | None = None


def add_caching_headers(router: Router, options: CachingOptions) -> None:
    """Add caching headers to a router's reads."""
    keys = None if options.keys is None else SurrogateKeys(options.keys)

    def finish_of(route: Route) -> Finish | None:
        row = route.operation
        if route.method != "GET" or not isinstance(row, RestOperation):
            return None
        uid = "" if row.controller == SIGN_INS else row.uid
        control = _Control(options, uid)
        kept = _Kept(options.tags, control) if options.tags or control.says_anything else None
        return keys.finish(route, uid, kept) if keys is not None and is_keyed(uid) else kept

    router.finish(finish_of)


class _Control:
    """The headers of a content type's responses by role, with and without credentials."""

    def __init__(self, options: CachingOptions, uid: str) -> None:
        said = options.control.get(uid, options.control.get(ANY, {})) if uid else {}
        mine: Headers = ((_CONTROL, PRIVATE), VARY_BY_CALLER)
        # CDNs and reverse proxies cache responses by default.
        unsaid: Headers = () if options.keys is None else (VARY_BY_CALLER,)
        public = mine if options.private_unless_said else unsaid
        others = mine if options.private_unless_said or options.keys is not None else unsaid
        self.says_anything = bool(said or others)
        self._public = _headers(said.get(PUBLIC, said.get(ANY)), public)
        self._roles = {role: _headers(private_cache_control(directives), others) for role, directives in said.items()}
        self._others = self._roles.get(ANY, others)

    def headers(self, request: Request) -> Headers:
        """Return the headers for the caller."""
        if request.header("authorization") is None:
            return self._public
        actor = request.actor
        return self._others if actor is None else self._roles.get(actor.role or actor.kind, self._others)


def _headers(directives: str | None, unsaid: Headers) -> Headers:
    return unsaid if directives is None else ((_CONTROL, directives.encode()), VARY_BY_CALLER)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Adds caching headers to responses of a read."""

    tags: bool
    control: _Control

    def __call__(self, request: Request, response: Response) -> Response:
        if response.status != 200 or type(response) is not Response:
            return response
        headers = response.headers
        named = {name for name, _ in headers} if headers else ()
        if self.control.says_anything and _CONTROL not in named:
            response.headers = headers = (*headers, *self.control.headers(request))
        if not self.tags or _TAG in named:
            return response
        tag = b'"%x-%b"' % (len(response.body), xxh64_hexdigest(response.body).encode())
        response.headers = headers = (*headers, (_TAG, tag))
        known = request.headers.get(CONDITION)
        return response if known is None else unless_known(response, known)


def unless_known(response: Response, known: bytes) -> Response:
    """Return a response with an entity tag, or 304 if `If-None-Match` has that tag."""
    tag = next((value for name, value in response.headers if name == _TAG), None)
    return response if tag is None or not names_tag(known, tag) else Response(304, b"", "", response.headers)
