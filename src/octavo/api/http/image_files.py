"""Serve transformed images: `GET /uploads/cat_0f3a9c2b71.jpg?preset=card&dpr=2`.

Requests without transformation parameters, and files that cannot be transformed, are left to the static files.
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qsl

from octavo.api.http.image_parameters import PRESET, VERSION, ImageOptions, read_transformation
from octavo.api.http.ranges import wanted_range
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.static import OpenFile, StaticOptions, answer_file, answer_unopened, file_stat, safe_segments
from octavo.content.media.image_variants import ImageVariants
from octavo.content.media.private_files import EXPIRES, SIGNATURE
from octavo.content.media.transformations import ImageFormat, Transformation, preset_version, version_text
from octavo.content.media.variant_rows import Variant
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.values import dataclass

UPLOADS: Final = "/uploads/"

_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_JPEG: Final = frozenset(("jpg", "jpeg", "jpe", "jfif", "heic", "mp4", "m4v", "mov", "webm", "mkv"))
_LOST: Final = 2
"""How often a variant is created again that the storage has lost."""


@dataclass(frozen=True, slots=True)
class _Caching:
    """The version of the file with which the response can be cached forever, the lifetime for other versions, and
    whether shared caches must not store it."""

    version: str | None
    max_age: int
    is_private: bool = False


PrivateAccess = Callable[[Request], Awaitable[bool]]
"""Returns whether a request's caller has permission to read private files."""


async def has_access(access: PrivateAccess | None, request: Request, given: Mapping[str, str]) -> bool:
    """Return whether a request without a signature is from a caller with permission to read private files."""
    return access is not None and SIGNATURE not in given and await access(request)


def vary_by_caller(response: Response) -> Response:
    """Return a response that caches do not share between callers."""
    response.headers = (*response.headers, (b"vary", b"Authorization"))
    return response


class ImageFiles:
    """Uploaded images, transformed. `variants` is None if the storage cannot be read."""

    def __init__(
        self,
        options: ImageOptions,
        variants: ImageVariants | None,
        clock: Clock = SYSTEM_CLOCK,
        access: PrivateAccess | None = None,
    ) -> None:
        self._options = options
        self._access = access
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
        segments = safe_segments(path[len(UPLOADS) :])
        source = "/".join(segments or ())
        is_private = self._variants is not None and await self._variants.is_private_file(source)
        given = dict(parse_qsl(text))
        is_permitted = is_private and await has_access(self._access, request, given)
        needs_signature = is_private and not is_permitted
        wanted = read_transformation(path, text, self._options, now, is_private=needs_signature)
        if wanted is None or segments is None or self._variants is None:
            return None
        caching = replace(self._caching(given, now), is_private=is_private)
        if not is_permitted:
            return await self._serve(request, source, wanted, caching)
        response = await self._serve(request, source, wanted, replace(caching, max_age=0))
        return None if response is None else vary_by_caller(response)

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
            variant = await self._variants.find(source, wanted, image_format)
            if not isinstance(variant, Variant):
                if variant is None or (caching.is_private and not self._variants.is_private):
                    return None  # the next source serves private files
                return _redirect(variant.url)
            response = await self._answer(request, self._variants, variant, self._cache_control(caching, variant))
            if response is not None:
                if wanted.format == "auto":
                    response.headers = (*response.headers, (b"vary", b"Accept"))
                return response
        return None

    async def _answer(
        self, request: Request, variants: ImageVariants, found: Variant, cache_control: str
    ) -> Response | None:
        """Return the response, and read only what it needs; None if the storage has lost the variant."""
        stat, options = _stat_of(found), StaticOptions(cache_control, entity_tags=True, untrusted=True)
        response = answer_unopened(request, stat, found.mime, options)
        if response is not None:
            return response
        file = await variants.open(found, _needed(request, stat))
        return None if file is None else answer_file(request, OpenFile(file, stat), found.mime, options)

    def _cache_control(self, caching: _Caching, found: Variant) -> str:
        if caching.is_private:
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


def _needed(request: Request, stat: os.stat_result) -> int:
    """Return how many bytes the response needs. A date in `If-Range` can become valid until the response is built."""
    wanted = None if request.header("if-range") else wanted_range(request, stat)
    return wanted[1] if wanted else stat.st_size


def _stat_of(found: Variant) -> os.stat_result:
    """Return the size and time of a variant from its row, so that unchanged variants need no access to the storage."""
    return file_stat(found.size, found.created_at * 1_000_000)
