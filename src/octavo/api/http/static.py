"""Serve files in folders such as `public/`: read in threads and in chunks, never outside of the folder."""

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from functools import partial
from io import FileIO
from pathlib import Path
from stat import S_IFREG, S_ISREG
from typing import IO, Protocol
from urllib.parse import unquote_to_bytes

from octavo.api.http.content_security_policy import SANDBOX
from octavo.api.http.ranges import Unsatisfiable, entity_tag, is_unchanged, last_modified, wanted_range
from octavo.api.http.request import Request
from octavo.api.http.response import TEXT, FileResponse, Headers, Response
from octavo.core.media_types import content_type_of
from octavo.core.values import dataclass

CHUNK = 64 * 1024

_ICON_PATH = "/favicon.ico"
_ICONS = ("favicon.png", "favicon.ico")
_ICON_TYPE = "image/x-icon"  # as observed for both files
NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_SCRIPT = re.compile(r"script\b")
"""Occurs in the names of all types that browsers run: `text/javascript`, `application/ecmascript`, ..."""
_SAFE_PREFIXES = ("image/", "audio/", "video/", "font/")
_SAFE_TYPES = frozenset(
    (TEXT, "text/css; charset=utf-8", "text/csv; charset=utf-8", "application/pdf", "application/json; charset=utf-8")
)


@dataclass(frozen=True, slots=True)
class StaticOptions:
    """How files are served. v4 sends no entity tags. `untrusted`: users upload them, so scripts are served as text."""

    cache_control: str = "max-age=0"
    entity_tags: bool = False
    untrusted: bool = False


_ICON_OPTIONS = StaticOptions("public, max-age=86400")


@dataclass(slots=True)
class OpenFile:
    """A file that is open for reading."""

    file: FileIO
    stat: os.stat_result


OpenPart = Callable[[int, int], IO[bytes]]
"""Opens a file at its first byte that is needed. The second number is how many are needed."""


class Files(Protocol):
    """Files to serve if no route matches."""

    async def respond(self, request: Request) -> Response | None:
        """Return the file for a GET or HEAD request, or `None`."""


@dataclass(frozen=True, slots=True)
class FirstOf:
    """Several sources of files. The first one with the requested file is used."""

    all: tuple[Files, ...]

    async def respond(self, request: Request) -> Response | None:
        for files in self.all:
            if (response := await files.respond(request)) is not None:
                return response
        return None


class StaticFiles:
    """Folders by the URL path at which they are served. If several match, the longest path is used.

    A folder can be a symbolic link, but links in it must not point outside. `exceptions` are options of certain paths,
    such as `/uploads`, in any folder.
    """

    def __init__(
        self,
        folders: Mapping[str, Path],
        options: StaticOptions | None = None,
        exceptions: Mapping[str, StaticOptions] | None = None,
        icons: Path | None = None,
    ) -> None:
        """Create the files.

        `icons` is a folder with `favicon.png` or `favicon.ico`, which takes precedence over the folders.
        """
        self._options = options or StaticOptions()
        self._exceptions = {_prefix(path): given for path, given in (exceptions or {}).items()}
        self._icons = None if icons is None else icons.resolve()
        named = ((_prefix(path), folder.resolve()) for path, folder in folders.items())
        self._folders: list[tuple[str, Path]] = sorted(named, reverse=True)

    async def respond(self, request: Request) -> Response | None:
        """Return the file for a GET or HEAD request, or `None`."""
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
                return answer_file(request, opened, served_type(segments[-1], options), options)
        return None

    def _options_of(self, path: str) -> StaticOptions:
        """Return the options for a decoded path:

        `/%75ploads/` is the same folder and, on some systems, `/Uploads/` is.
        """
        path = path.lower()
        options = (given for prefix, given in self._exceptions.items() if path.startswith(prefix.lower()))
        return next(options, self._options)


def answer_file(
    request: Request, opened: OpenFile, content_type: str, options: StaticOptions, safety: Headers | None = None
) -> Response:
    """Return the file or the requested range. `safety` replaces the security headers, for trusted files."""
    response, start = _describe(request, opened.stat, content_type, options, safety)
    if isinstance(response, FileResponse):
        response.chunks, response.close = _read(opened.file, start, response.length), opened.file.close
    else:
        opened.file.close()
    return response


async def answer_content(
    request: Request, stat: os.stat_result, content_type: str, options: StaticOptions, open_part: OpenPart
) -> Response:
    """Return a file, or the requested range, that may be elsewhere. Raises what `open_part` raises."""
    response, start = _describe(request, stat, content_type, options)
    if isinstance(response, FileResponse) and request.method != "HEAD":
        opening = asyncio.create_task(asyncio.to_thread(open_part, start, response.length))
        try:
            content = await asyncio.shield(opening)
        except asyncio.CancelledError:  # a thread cannot be cancelled
            opening.add_done_callback(_close_opened)
            raise
        response.chunks, response.close = _read(content, 0, response.length), partial(_close_in_thread, content)
    return response


def _close_opened(opening: "asyncio.Task[IO[bytes]]") -> None:
    if not opening.cancelled() and opening.exception() is None:
        _close_in_thread(opening.result())


def _close_in_thread(content: IO[bytes]) -> None:
    """Close content without waiting for a read that is still running in another thread."""
    asyncio.get_running_loop().run_in_executor(None, content.close)


def file_stat(size: int, changed: int) -> os.stat_result:
    """Return the facts about a file that is elsewhere. `changed` is in nanoseconds since 1970."""
    exact = {"st_mtime": changed / 1_000_000_000, "st_mtime_ns": changed}
    seconds = changed // 1_000_000_000
    return os.stat_result((S_IFREG, 0, 0, 0, 0, 0, size, seconds, seconds, seconds), exact)


def answer_unopened(
    request: Request, stat: os.stat_result, content_type: str, options: StaticOptions
) -> Response | None:
    """Return the response to HEAD, or one with status 304 or 416; None if the response needs the file's content."""
    response, _ = _describe(request, stat, content_type, options)
    return None if isinstance(response, FileResponse) and request.method != "HEAD" else response


def _describe(
    request: Request, stat: os.stat_result, content_type: str, options: StaticOptions, safety: Headers | None = None
) -> tuple[Response, int]:
    """Return the response without the content, and the first byte of its content."""
    headers = _headers(stat, options)
    if options.untrusted:
        headers = (*headers, NO_SNIFFING)
    try:
        unchanged = is_unchanged(request, stat)
        wanted = None if unchanged else wanted_range(request, stat)
    except Unsatisfiable:
        return Response(416, b"", "", (*headers, (b"content-range", b"bytes */%d" % stat.st_size))), 0
    if unchanged:
        return Response(304, b"", "", headers), 0
    start, stop = wanted or (0, stat.st_size)
    if wanted:
        headers = (*headers, (b"content-range", b"bytes %d-%d/%d" % (start, stop - 1, stat.st_size)))
    headers = (*headers, *(_safety_headers(content_type) if safety is None else safety))
    return FileResponse(206 if wanted else 200, _nothing(), stop - start, content_type, headers), start


def served_type(name: str, options: StaticOptions) -> str:
    """Return the content type of a file.

    An uploaded script is served as text, because otherwise pages of this origin could load it, whatever its other
    headers.
    """
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


def _safety_headers(content_type: str) -> Headers:
    """Return headers that sandbox types that could run scripts, and download them unless they are images."""
    if content_type in _SAFE_TYPES or (content_type.startswith(_SAFE_PREFIXES) and not content_type.endswith("xml")):
        return ()
    return ((b"content-security-policy", SANDBOX), (b"content-disposition", b"attachment"))


def safe_segments(raw: str) -> list[str] | None:
    """Return the path segments to a file, or `None` if one could point elsewhere or is hidden."""
    try:
        segments = unquote_to_bytes(raw).decode().split("/")
    except UnicodeDecodeError:
        return None
    return None if any(not name or name[0] == "." or "\\" in name or "\0" in name for name in segments) else segments


def open_inside(folder: Path, segments: list[str]) -> OpenFile | None:
    """Open a regular file whose real path is in the folder."""
    try:
        path = folder.joinpath(*segments).resolve()
        if not path.is_relative_to(folder):
            return None
        # Non-blocking: opening a named pipe would otherwise wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    except (OSError, RuntimeError):  # the latter for circular links
        return None
    stat = os.fstat(descriptor)
    if not S_ISREG(stat.st_mode):
        os.close(descriptor)
        return None
    return OpenFile(FileIO(descriptor, "rb"), stat)


def _open_first(folder: Path, names: Iterable[str]) -> OpenFile | None:
    return next((opened for name in names if (opened := open_inside(folder, [name])) is not None), None)


async def _nothing() -> AsyncGenerator[bytes, None]:
    """Yield no content, for responses to HEAD."""
    return
    yield b""


async def _read(file: IO[bytes] | FileIO, start: int, length: int) -> AsyncGenerator[bytes, None]:
    if start:
        file.seek(start)
    while length > 0:
        chunk = await asyncio.to_thread(file.read, min(CHUNK, length))
        if not chunk:
            return
        length -= len(chunk)
        yield chunk
