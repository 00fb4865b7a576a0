"""Serves files of folders such as `public/`: read in threads, in pieces, and never one outside of the folder."""

import asyncio
import mimetypes
import os
import re
from collections.abc import AsyncGenerator, Iterable, Mapping
from functools import cache
from io import FileIO
from pathlib import Path, PurePath
from stat import S_ISREG
from typing import Protocol
from urllib.parse import unquote_to_bytes

from octavo.api.http.ranges import Unsatisfiable, entity_tag, is_unchanged, last_modified, wanted_range
from octavo.api.http.request import Request
from octavo.api.http.response import TEXT, FileResponse, Headers, Response
from octavo.core.values import dataclass

CHUNK = 64 * 1024

# What the standard library's table lacks or leaves to the machine.
_TYPES = {
    ".avif": "image/avif",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".htm": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".m4a": "audio/mp4",
    ".md": "text/markdown; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".svgz": "application/octet-stream",
    ".txt": TEXT,
    ".webm": "video/webm",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xhtml": "application/xhtml+xml",
    ".xml": "application/xml; charset=utf-8",
}
_ICON_PATH = "/favicon.ico"
_ICONS = ("favicon.png", "favicon.ico")
_ICON_TYPE = "image/x-icon"  # observed, whichever file it is
NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_SCRIPT = re.compile(r"script\b")
"""In the names of all types that browsers run: `text/javascript`, `application/ecmascript`, ..."""
_SAFE_PREFIXES = ("image/", "audio/", "video/", "font/")
_SAFE_TYPES = frozenset((TEXT, "text/css; charset=utf-8", "application/pdf", "application/json; charset=utf-8"))


@dataclass(frozen=True, slots=True)
class StaticOptions:
    """How files are served. v4 sends no entity tags. `untrusted`: callers upload them, so scripts are text."""

    cache_control: str = "max-age=0"
    entity_tags: bool = False
    untrusted: bool = False


_ICON_OPTIONS = StaticOptions("public, max-age=86400")


@dataclass(slots=True)
class OpenFile:
    """A file that is open for reading."""

    file: FileIO
    stat: os.stat_result


class Files(Protocol):
    """Whatever answers where no route does."""

    async def respond(self, request: Request) -> Response | None:
        """The file that a GET or HEAD request asks for, `None` if there is none."""


@dataclass(frozen=True, slots=True)
class FirstOf:
    """Several that have files: the first that has the one asked for."""

    all: tuple[Files, ...]

    async def respond(self, request: Request) -> Response | None:
        for files in self.all:
            if (found := await files.respond(request)) is not None:
                return found
        return None


class StaticFiles:
    """Folders by the path below which they are served; of several that match, the longest path counts.

    A folder itself may be a symbolic link; nothing in it may lead outside. `exceptions` are options of paths of their
    own, `/uploads` say, whatever folder they lie in.
    """

    def __init__(
        self,
        folders: Mapping[str, Path],
        options: StaticOptions | None = None,
        exceptions: Mapping[str, StaticOptions] | None = None,
        icons: Path | None = None,
    ) -> None:
        """`icons` is a folder whose `favicon.png` or `favicon.ico` is the site's icon, whatever the folders hold."""
        self._options = options or StaticOptions()
        self._exceptions = {_prefix(path): given for path, given in (exceptions or {}).items()}
        self._icons = None if icons is None else icons.resolve()
        named = ((_prefix(path), folder.resolve()) for path, folder in folders.items())
        self._folders: list[tuple[str, Path]] = sorted(named, reverse=True)

    async def respond(self, request: Request) -> Response | None:
        """The file that a GET or HEAD request asks for, `None` if there is none."""
        if request.raw_path == _ICON_PATH and self._icons is not None:
            opened = await asyncio.to_thread(_open_first, self._icons, _ICONS)
            if opened is not None:
                return answer_file(request, opened, _ICON_TYPE, _ICON_OPTIONS)
        for prefix, folder in self._folders:
            if request.raw_path.startswith(prefix):
                segments = safe_segments(request.raw_path[len(prefix) :])
                if segments is None:
                    return None
                opened = await asyncio.to_thread(open_inside, folder, segments)
                if opened is None:
                    return None
                options = self._options_of(prefix + "/".join(segments))
                return answer_file(request, opened, _served_type(segments[-1], options), options)
        return None

    def _options_of(self, path: str) -> StaticOptions:
        """By the decoded path: `/%75ploads/` is the same folder, and on some systems `/Uploads/` is."""
        path = path.lower()
        found = (given for prefix, given in self._exceptions.items() if path.startswith(prefix.lower()))
        return next(found, self._options)


def answer_file(
    request: Request, opened: OpenFile, content_type: str, options: StaticOptions, safety: Headers | None = None
) -> Response:
    """The file, or the part of it that is asked for. `safety`: headers that tell what it may do, for files that we
    trust."""
    stat = opened.stat
    headers = _headers(stat, options)
    if options.untrusted:
        headers = (*headers, NO_SNIFFING)
    try:
        unchanged = is_unchanged(request, stat)
        wanted = None if unchanged else wanted_range(request, stat)
    except Unsatisfiable:
        opened.file.close()
        return Response(416, b"", "", (*headers, (b"content-range", b"bytes */%d" % stat.st_size)))
    if unchanged:
        opened.file.close()
        return Response(304, b"", "", headers)
    start, stop = wanted or (0, stat.st_size)
    if wanted:
        headers = (*headers, (b"content-range", b"bytes %d-%d/%d" % (start, stop - 1, stat.st_size)))
    headers = (*headers, *(_safety_headers(content_type) if safety is None else safety))
    chunks = _read(opened.file, start, stop - start)
    return FileResponse(206 if wanted else 200, chunks, stop - start, content_type, headers, opened.file.close)


def _served_type(name: str, options: StaticOptions) -> str:
    """The content type of a file. An uploaded script is text: pages of this origin could load it otherwise, whatever
    else its headers say."""
    content_type = content_type_of(name)
    return TEXT if options.untrusted and _SCRIPT.search(content_type) else content_type


def _prefix(path: str) -> str:
    return f"/{path.strip('/')}/".replace("//", "/")


def _headers(stat: os.stat_result, options: StaticOptions) -> Headers:
    headers: Headers = (
        (b"accept-ranges", b"bytes"),
        (b"last-modified", last_modified(stat).encode()),
        (b"cache-control", options.cache_control.encode()),
    )
    return (*headers, (b"etag", entity_tag(stat).encode())) if options.entity_tags else headers


def content_type_of(name: str) -> str:
    """The content type that a file name stands for; unknown ones are downloads."""
    extension = PurePath(name).suffix.lower()
    return _TYPES.get(extension) or _built_in_types().get(extension, "application/octet-stream")


@cache
def _built_in_types() -> Mapping[str, str]:
    return mimetypes.MimeTypes(filenames=()).types_map[True]


def _safety_headers(content_type: str) -> Headers:
    """What could run scripts in our origin is sandboxed, and downloaded unless it is shown as an image."""
    if content_type in _SAFE_TYPES or (content_type.startswith(_SAFE_PREFIXES) and not content_type.endswith("xml")):
        return ()
    sandbox = (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; sandbox")
    return (sandbox, (b"content-disposition", b"attachment"))


def safe_segments(raw: str) -> list[str] | None:
    """The names on the way to a file; `None` if one of them could lead anywhere else or is hidden."""
    try:
        segments = unquote_to_bytes(raw).decode().split("/")
    except UnicodeDecodeError:
        return None
    return None if any(not name or name[0] == "." or "\\" in name or "\0" in name for name in segments) else segments


def open_inside(folder: Path, segments: list[str]) -> OpenFile | None:
    """Open a regular file whose real path lies in the folder."""
    try:
        path = folder.joinpath(*segments).resolve()
        if not path.is_relative_to(folder):
            return None
        # Not blocking: a named pipe would otherwise wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    except (OSError, RuntimeError):  # the latter: links in a circle
        return None
    stat = os.fstat(descriptor)
    if not S_ISREG(stat.st_mode):
        os.close(descriptor)
        return None
    return OpenFile(FileIO(descriptor, "rb"), stat)


def _open_first(folder: Path, names: Iterable[str]) -> OpenFile | None:
    return next((found for name in names if (found := open_inside(folder, [name])) is not None), None)


async def _read(file: FileIO, start: int, length: int) -> AsyncGenerator[bytes, None]:
    if start:
        file.seek(start)
    while length > 0:
        chunk = await asyncio.to_thread(file.read, min(CHUNK, length))
        if not chunk:
            return
        length -= len(chunk)
        yield chunk
