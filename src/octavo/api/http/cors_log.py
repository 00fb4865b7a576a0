"""Refused origins in the log of a development server: browsers report them to no server, and scripts see no reason."""

import logging
from collections.abc import Iterable
from typing import Final

from octavo.api.http.request import Request

logger = logging.getLogger(__name__)

_MOST: Final = 100
"""Origins and headers that are remembered. When there are more, logging starts over."""
_MOST_TEXT: Final = 200
_FILE: Final = "the table [cors] of config/middlewares.toml"


class CorsLog:
    """Logs each origin that is refused, and each request header that pages may not send, once."""

    def __init__(self, headers: Iterable[str]) -> None:
        self._headers = frozenset(header.lower() for header in headers)
        self._logged: set[str] = set()

    def note(self, request: Request, origin: bytes, *, is_allowed: bool) -> None:
        """Log what a browser refuses to a page of `origin`, if anything."""
        shown = _shown(origin)
        if not is_allowed:
            if not _is_same(request, origin) and self._is_new(shown):
                text = "CORS: browsers refuse the answers to pages of %r; add it to `origins` in %s"
                logger.warning(text, shown, _FILE)
            return
        for header in self._refused_headers(request):
            if self._is_new(f"{shown} {header}"):
                text = "CORS: pages of %r may not send the header %r; add it to `headers` in %s"
                logger.warning(text, shown, header, _FILE)

    def _refused_headers(self, request: Request) -> list[str]:
        """Return the headers that a preflight asks for and that are not allowed."""
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
    """Whether the page is one of the service itself: browsers name the origin of such requests too."""
    return origin.partition(b"://")[2].lower() == (request.host or b"").lower()


def _shown(text: bytes) -> str:
    return text[:_MOST_TEXT].decode("latin-1")
