"""Serve a single-page application below a path: its files, and its page for all other URLs.

Its client-side routes are unknown here, so the page is returned for all paths without a file. Exceptions are clients
that accept JSON, and files of another build, which the browser would run as a script.
"""

import asyncio
import gzip
from pathlib import Path, PurePath
from typing import Final

from octavo.api.http.request import Request
from octavo.api.http.response import Headers, Response
from octavo.api.http.static import OpenFile, StaticOptions, answer_file, open_inside, safe_segments
from octavo.core.media_types import content_type_of

_TEXTS: Final = frozenset((".js", ".mjs", ".css", ".json", ".svg", ".map"))
_LEAST: Final = 1024
"""Minimum bytes of files to compress."""
_MOST: Final = 4 * 1024**2
"""Maximum bytes of cached compressed files. Others are sent uncompressed."""


class CompressedFiles:
    """Compressed files by name. For files that never change: they are never read again."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}
        self._size = 0

    def known(self, name: str) -> bytes | None:
        """Return a compressed file, or None if it is not cached."""
        return self._kept.get(name)

    def compress(self, name: str, opened: OpenFile) -> bytes | None:
        """Compress a file. Return None if it is too small or the cache is full. Takes milliseconds."""
        size = opened.stat.st_size
        if PurePath(name).suffix.lower() not in _TEXTS or not _LEAST <= size <= _MOST or self._size >= _MOST:
            return None
        with opened.file:
            compressed = gzip.compress(opened.file.read(), 9, mtime=0)
        self._size += len(compressed) - len(self._kept.get(name, b""))
        self._kept[name] = compressed
        return compressed


def accepts_gzip(request: Request) -> bool:
    """Return whether the client accepts gzip.

    A coding with quality 0 is not accepted (RFC 9110, 12.5.3).
    """
    for coding in (request.header("accept-encoding") or "").split(","):
        name, _, quality = coding.partition(";")
        if name.strip().lower() == "gzip":
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


PAGE: Final = "index.html"
ASSETS: Final = "assets"
_KEPT: Final = StaticOptions("public, max-age=31536000, immutable", entity_tags=True)
_ASKED_FOR: Final = StaticOptions("no-cache", entity_tags=True)
_PACKED: Final[Headers] = (
    (b"content-encoding", b"gzip"),
    (b"vary", b"accept-encoding"),
    (b"cache-control", _KEPT.cache_control.encode()),
)
_ASSETS: Final = frozenset(
    (".js", ".mjs", ".css", ".map", ".json", ".woff", ".woff2", ".ttf", ".eot", ".png", ".jpg", ".svg", ".ico", ".webp")
)
_HASH: Final = 8


def versioned_assets(version: str) -> str:
    """Return the name under which the assets of a build are served."""
    return f"{ASSETS}-{version}"


class SinglePage:
    """The built files in a folder, with a separate content security policy.

    `page` replaces the page in the folder, only for browsers. Other clients get it only for the path itself.
    `version` identifies the build: below `assets-VERSION/`, the files of `assets/` can be cached forever.
    """

    def __init__(self, path: str, folder: Path, policy: str, page: bytes | None = None, version: str = "") -> None:
        self._path = "/" + path.strip("/")
        self._folder = folder.resolve()
        self._headers: Headers = ((b"content-security-policy", policy.encode()),)
        self._page = page
        self._versioned = versioned_assets(version) if version else ""
        self._compressed = CompressedFiles()

    async def respond(self, request: Request) -> Response | None:
        """Return a file or the page, or None for paths outside and for other clients."""
        below = self._below(request.raw_path)
        if below is None:
            return None
        segments = safe_segments(below) if below else [PAGE]
        is_kept = False
        if segments and segments[0] == self._versioned:
            segments, is_kept = [ASSETS, *segments[1:]], True
        if self._page is not None and segments in ([PAGE], [""]):
            return self._own_page(self._page)
        opened = None if segments is None else await asyncio.to_thread(open_inside, self._folder, segments)
        if opened is None or segments is None:
            if _is_asset(below) or _wants_data(request):
                return None
            if self._page is not None:
                return self._own_page(self._page) if _is_browser(request) else None
            segments = [PAGE]
            opened = await asyncio.to_thread(open_inside, self._folder, segments)
        if opened is None:
            return None
        return await self._answer(request, segments, opened, _KEPT if is_kept else _options(segments[-1]))

    async def _answer(
        self, request: Request, segments: list[str], opened: OpenFile, options: StaticOptions
    ) -> Response:
        """Return the file, compressed if it can be cached forever and the client accepts that."""
        name = segments[-1]
        if options is _KEPT and accepts_gzip(request) and request.header("range") is None:
            path = "/".join(segments)
            data = self._compressed.known(path)
            if data is not None:
                opened.file.close()
            else:
                data = await asyncio.to_thread(self._compressed.compress, path, opened)
            if data is not None:
                return Response(200, data, content_type_of(name), headers=(*self._headers, *_PACKED))
        return answer_file(request, opened, content_type_of(name), options, self._headers)

    def _own_page(self, page: bytes) -> Response:
        kept = (b"cache-control", _ASKED_FOR.cache_control.encode())
        return Response(200, page, content_type_of(PAGE), headers=(*self._headers, kept))

    def _below(self, path: str) -> str | None:
        if path == self._path:
            return ""
        return path[len(self._path) + 1 :] if path.startswith(f"{self._path}/") else None


def _options(name: str) -> StaticOptions:
    """Return the caching options of a file: unlimited if its name contains a digest of the content.

    >>> _options("main.f6942474.js").cache_control, _options("index.html").cache_control
    ('public, max-age=31536000, immutable', 'no-cache')
    """
    parts = name.replace("-", ".").split(".")[1:-1]
    is_hashed = any(len(part) >= _HASH and any(map(str.isdigit, part)) and part.isalnum() for part in parts)
    return _KEPT if is_hashed else _ASKED_FOR


def _is_asset(below: str) -> bool:
    return PurePath(below).suffix.lower() in _ASSETS


def _is_browser(request: Request) -> bool:
    return "text/html" in (request.header("accept") or "")


def _wants_data(request: Request) -> bool:
    accepted = request.header("accept") or ""
    return "application/json" in accepted and "text/html" not in accepted
