"""The headers that let pages of other origins call: reflected for every origin, or for an exact list."""

from typing import Final

from octavo.http.options import CorsMode, CorsOptions
from octavo.http.request import Request
from octavo.http.response import Headers

_VARY: Headers = ((b"vary", b"Origin"),)
VARY_BY_ASKER: Final = (b"vary", b"Origin, Authorization")
"""Of an answer that depends on who asks, too. It stands in the place of what every answer begins with."""
_CREDENTIALS: Headers = ((b"access-control-allow-credentials", b"true"),)


class Cors:
    """Headers by origin, `Vary` first. A browser asks with `OPTIONS` (preflight) what a page of the origin may send."""

    def __init__(self, options: CorsOptions) -> None:
        self._reflect = options.mode is CorsMode.REFLECT
        self._origins = frozenset(origin.encode() for origin in options.origins)
        self._any_origin = b"*" in self._origins
        self._preflight: Headers = (
            (b"access-control-allow-methods", ",".join(options.methods).encode()),
            (b"access-control-allow-headers", ",".join(options.headers).encode()),
            (b"access-control-max-age", b"%d" % options.max_age),
        )
        exposed = ",".join(options.expose).encode()
        self._exposed: Headers = ((b"access-control-expose-headers", exposed),) if exposed else ()
        self._listed: Headers = _CREDENTIALS if options.credentials else ()
        self.without_origin = self._headers(b"")
        """For answers to requests that tell no origin, but for `OPTIONS`."""

    def headers(self, request: Request) -> Headers:
        """For any answer to this request."""
        origin = request.headers.get(b"origin")
        if request.method == "OPTIONS":
            return self._for_options(request, origin or b"")
        return self.without_origin if origin is None else self._headers(origin)

    def _for_options(self, request: Request, origin: bytes) -> Headers:
        headers = self._allowance(origin)
        if not is_preflight(request) or headers == _VARY:
            return _VARY
        return (*headers, *self._preflight)

    def _headers(self, origin: bytes) -> Headers:
        allowance = self._allowance(origin)
        return allowance if allowance == _VARY else (*allowance, *self._exposed)

    def _allowance(self, origin: bytes) -> Headers:
        if self._reflect:
            return (*_VARY, (b"access-control-allow-origin", origin), *_CREDENTIALS)
        if self._any_origin:
            return (*_VARY, (b"access-control-allow-origin", b"*"))
        if origin not in self._origins:
            return _VARY
        return (*_VARY, (b"access-control-allow-origin", origin), *self._listed)


def is_preflight(request: Request) -> bool:
    """Whether this `OPTIONS` request is a browser's question about another origin."""
    return b"access-control-request-method" in request.headers
