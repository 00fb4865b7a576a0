"""Serve transformed images: `GET /uploads/cat_0f3a9c2b71.jpg?preset=card&dpr=2`.

Requests without transformation parameters, and files that cannot be transformed, are left to the static files.
"""

import os
from collections.abc import Mapping
from functools import partial
from io import BufferedReader, FileIO
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any, Final
from urllib.parse import parse_qsl

from octavo.api.http.image_parameters import EXPIRES, PRESET, VERSION, ImageOptions, read_transformation
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.static import OpenFile, StaticOptions, answer_file, safe_segments
from octavo.content.media.image_variants import ImageVariants
from octavo.content.media.transformations import ImageFormat, Transformation, preset_version, version_text
from octavo.content.media.variant_rows import Variant
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.threads import in_thread
from octavo.core.values import dataclass

UPLOADS: Final = "/uploads/"

_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_JPEG: Final = frozenset(("jpg", "jpeg", "jpe", "jfif"))
_LOST: Final = 2
"""How often a variant is created again that the storage has lost."""


@dataclass(frozen=True, slots=True)
class _Caching:
    """The version of the file with which the response can be cached forever, and the lifetime for other versions."""

    version: str | None
    max_age: int


class ImageFiles:
    """Uploaded images, transformed. `variants` is None if the storage cannot be read."""

    def __init__(self, options: ImageOptions, variants: ImageVariants | None, clock: Clock = SYSTEM_CLOCK) -> None:
        self._options = options
        self._clock = clock
        self._variants = variants

    async def respond(self, request: Request) -> Response | None:
        """Return the transformed image; None if another source has to serve the request.

        Raises ValidationError and ForbiddenError for parameters that are not allowed.
        """
        query, path = request.scope["query_string"], request.raw_path
        if not query or not path.startswith(UPLOADS):
            return None
        text, now = query.decode("latin-1"), self._clock.wall()
        is_private = self._variants is not None and self._variants.is_private
        wanted = read_transformation(path, text, self._options, now, is_private=is_private)
        segments = safe_segments(path[len(UPLOADS) :])
        if wanted is None or segments is None or self._variants is None:
            return None
        given = dict(parse_qsl(text))
        return await self._serve(request, "/".join(segments), wanted, self._caching(given, now))

    def _caching(self, given: Mapping[str, str], now: float) -> _Caching:
        """Return how long the response to these parameters can be cached."""
        expires, version = given.get(EXPIRES), given.get(VERSION, "")
        if expires is not None:
            remaining = int(expires[:12]) - int(now) if expires.isascii() and expires.isdigit() else 0
            return _Caching(None, max(0, min(self._options.max_age, remaining)))
        preset = self._options.presets.get(given.get(PRESET, ""))
        ending = "" if preset is None else preset_version(preset, self._options.auto_formats)
        exact = version.removesuffix(ending) if version.endswith(ending) else None
        return _Caching(exact, self._options.max_age)

    async def _serve(self, request: Request, source: str, wanted: Transformation, caching: _Caching) -> Response | None:
        assert self._variants is not None
        image_format = self._format(request, source, wanted)
        for _ in range(_LOST):
            found = await self._variants.find(source, wanted, image_format)
            if not isinstance(found, Variant):
                return None if found is None else _redirect(found.url)
            content = await self._variants.open(found)
            if content is not None:
                opened = await in_thread(partial(_as_file, content, found.created_at))
                return self._answer(request, opened, found, caching, varies=wanted.format == "auto")
        return None

    def _answer(
        self, request: Request, opened: OpenFile, found: Variant, caching: _Caching, *, varies: bool
    ) -> Response:
        control = self._cache_control(caching, found)
        response = answer_file(request, opened, found.mime, StaticOptions(control, entity_tags=True, untrusted=True))
        if varies:
            response.headers = (*response.headers, (b"vary", b"Accept"))
        return response

    def _cache_control(self, caching: _Caching, found: Variant) -> str:
        if self._variants is not None and self._variants.is_private:
            return f"private, max-age={caching.max_age}"
        return _IMMUTABLE if caching.version == version_text(found.version) else f"max-age={caching.max_age}"

    def _format(self, request: Request, source: str, wanted: Transformation) -> ImageFormat:
        """Return the format of the response: the preset's, or the best one that the client accepts."""
        if wanted.format != "auto":
            return wanted.format
        accepted = _accepted(request.header("accept") or "")
        for image_format in self._options.auto_formats:
            if f"image/{image_format}" in accepted:
                return image_format
        extension = source.rpartition(".")[2].lower()
        return "jpeg" if extension in _JPEG else "png"


def _accepted(header: str) -> set[str]:
    """Return the types in an `Accept` header, without those of quality 0."""
    parts = (part.strip().lower().partition(";") for part in header.split(","))
    return {kind.strip() for kind, _, rest in parts if rest.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00")}


def _redirect(url: str) -> Response | None:
    """Return a redirect to a file in another place; None for a file of this server."""
    if url.startswith("/"):
        return None
    return Response(302, b"", "", ((b"location", url.encode()), (b"cache-control", b"private, max-age=60")))


def _as_file(content: IO[bytes], created_at: int) -> OpenFile:
    """Return the content as an open file. A copy from a bucket gets the time of the variant, for its entity tag."""
    if isinstance(content, BufferedReader) and isinstance(content.raw, FileIO):
        raw: Any = content.detach()
        return OpenFile(raw, os.fstat(raw.fileno()))
    copy: Any = TemporaryFile(buffering=0)  # noqa: SIM115 - the response closes it
    with content:
        copyfileobj(content, copy)
    copy.seek(0)
    os.utime(copy.fileno(), ns=(created_at * 1_000_000, created_at * 1_000_000))
    return OpenFile(copy, os.fstat(copy.fileno()))
