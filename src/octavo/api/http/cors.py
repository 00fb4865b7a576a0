"""CORS headers: reflect every origin, or allow listed ones. Also checks the origin of requests that use a cookie."""

import logging
import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from octavo.api.http.options import CorsMode, CorsOptions
from octavo.api.http.request import Request
from octavo.api.http.response import Headers

logger = logging.getLogger(__name__)

_MOST: Final = 100
"""Maximum number of logged origins and headers. When it is exceeded, logging starts over."""
_MOST_TEXT: Final = 200
_FILE: Final = "the table [cors] of config/middlewares.toml"


class CorsLog:
    """Logs each rejected origin and each rejected request header once."""

    def __init__(self, headers: Iterable[str]) -> None:
        self._headers = frozenset(header.lower() for header in headers)
        self._logged: set[str] = set()

    def note(self, request: Request, origin: bytes, *, is_allowed: bool) -> None:
        """Log what a browser blocks for a page of `origin`, if anything."""
        shown = _shown(origin)
        if not is_allowed:
            if not _is_same(request, origin) and self._is_new(shown):
                text = "CORS: browsers block responses for the origin %r; add it to `origins` in %s"
                logger.warning(text, shown, _FILE)
            return
        for header in self._refused_headers(request):
            if self._is_new(f"{shown} {header}"):
                text = "CORS: the origin %r cannot send the header %r; add it to `headers` in %s"
                logger.warning(text, shown, header, _FILE)

    def _refused_headers(self, request: Request) -> list[str]:
        """Return the headers in a preflight request that are not allowed."""
        if request.method != "OPTIONS":
            return []
        asked = _shown(request.headers.get(b"access-control-request-headers", b"")).lower().split(",")
        return [name for each in asked if (name := each.strip()) and name not in self._headers]

    def _is_new(self, what: str) -> bool:
        if what in self._logged:
            return False
        if len(self._logged) >= _MOST:
            self._logged.clear()
        self._logged.add(what)
        return True


def _is_same(request: Request, origin: bytes) -> bool:
    """Return whether the page is the service's own: browsers send `Origin` for such requests, too."""
    return origin.partition(b"://")[2].lower() == (request.host or b"").lower()


def _shown(text: bytes) -> str:
    return text[:_MOST_TEXT].decode("latin-1")


_VARY: Headers = ((b"vary", b"Origin"),)
VARY_BY_CALLER: Final = (b"vary", b"Origin, Authorization")
"""`Vary` of a response that also depends on the caller. Replaces the default `Vary` header."""
_CREDENTIALS: Headers = ((b"access-control-allow-credentials", b"true"),)
_LOCAL: Final = re.compile(rb"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?")
"""Origins of pages on this machine."""


class Cors:
    """CORS headers by origin, `Vary` first. Browsers send `OPTIONS` requests (preflight) before some requests."""

    def __init__(self, options: CorsOptions) -> None:
        self._reflect = options.mode is CorsMode.REFLECT
        self._origins = frozenset(origin.encode() for origin in options.origins)
        self._any_origin = b"*" in self._origins
        self._local = options.local
        self._log = CorsLog(options.headers) if options.logs_refusals else None
        self._preflight: Headers = (
            (b"access-control-allow-methods", ",".join(options.methods).encode()),
            (b"access-control-allow-headers", ",".join(options.headers).encode()),
            (b"access-control-max-age", b"%d" % options.max_age),
        )
        exposed = ",".join(options.expose).encode()
        self._exposed: Headers = ((b"access-control-expose-headers", exposed),) if exposed else ()
        self._listed: Headers = _CREDENTIALS if options.credentials else ()
        self.without_origin = self._headers(b"")
        """Headers for requests without an origin, except `OPTIONS`."""

    def headers(self, request: Request) -> Headers:
        """Return the headers for a response to this request."""
        origin = request.headers.get(b"origin")
        if self._log is not None and origin is not None:
            self._log.note(request, origin, is_allowed=self._allowance(origin) != _VARY)
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
        if origin not in self._origins and not (self._local and _LOCAL.fullmatch(origin)):
            return _VARY
        return (*_VARY, (b"access-control-allow-origin", origin), *self._listed)


def is_preflight(request: Request) -> bool:
    """Return whether an `OPTIONS` request is a CORS preflight."""
    return b"access-control-request-method" in request.headers


_OWN_SITES: Final = (None, "same-origin", "none")


def origins_of(addresses: Iterable[str]) -> frozenset[str]:
    """Return the origins of URLs, in the form of the `Origin` header."""
    return frozenset("://".join(urlsplit(address)[:2]).lower() for address in addresses)


def is_own_page(request: Request, origins: frozenset[str]) -> bool:
    """Return whether a request comes from the service's own page, from `origins`, or from a non-browser client."""
    origin, host = (request.header("origin") or "").lower(), (request.header("host") or "").lower()
    if origin in origins:
        return True
    is_own = not origin or origin in (f"http://{host}", f"https://{host}")
    return is_own and request.header("sec-fetch-site") in _OWN_SITES
