"""Serve transformed images: `GET /uploads/cat_0f3a9c2b71.jpg?preset=card&dpr=2`.

Requests without transformation parameters, and files that cannot be transformed, are left to the static files.
"""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from io import BufferedReader, FileIO
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, Any, Final
from urllib.parse import parse_qsl

from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.static import OpenFile, StaticOptions, answer_file, safe_segments
from octavo.content.media.image_variants import ImageVariants
from octavo.content.media.transformations import ImageFormat, Transformation
from octavo.content.media.variant_rows import Variant
from octavo.core.errors import Problem, ValidationError
from octavo.core.threads import in_thread
from octavo.core.values import dataclass

UPLOADS: Final = "/uploads/"
PRESET, DENSITY, VERSION = "preset", "dpr", "v"
FREE_PARAMETERS: Final = frozenset(("width", "height", "fit", "format", "quality", "focus", "crop", "blur"))
MOST_DENSITY: Final = 3

_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_JPEG: Final = frozenset(("jpg", "jpeg", "jpe", "jfif"))
_LOST: Final = 2
"""How often a variant is created again that the storage has lost."""


@dataclass(frozen=True, slots=True)
class ImageOptions:
    """The presets by name; the formats for `auto`, best first; the lifetime in caches of URLs without a version;
    whether requests with unknown parameters are rejected."""

    presets: Mapping[str, Transformation]
    auto_formats: Sequence[ImageFormat] = ("webp",)
    max_age: int = 60
    refuses: bool = False


class ImageFiles:
    """Uploaded images, transformed by presets. `variants` is None if the storage cannot be read."""

    def __init__(self, options: ImageOptions, variants: ImageVariants | None) -> None:
        self._options = options
        self._variants = variants

    async def respond(self, request: Request) -> Response | None:
        """Return the transformed image; None if another source has to serve the request. Raises ValidationError."""
        query, path = request.scope["query_string"], request.raw_path
        if not query or not path.startswith(UPLOADS):
            return None
        given = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True))
        wanted = self._wanted(given)
        segments = safe_segments(path[len(UPLOADS) :])
        if wanted is None or segments is None or self._variants is None:
            return None
        return await self._serve(request, "/".join(segments), wanted, given.get(VERSION))

    def _wanted(self, given: Mapping[str, str]) -> Transformation | None:
        """Return the requested transformation, or None. Raises ValidationError for unknown parameters under `safe`."""
        preset = self._options.presets.get(given.get(PRESET, ""))
        problems = list(self._problems(given)) if self._options.refuses else []
        if problems:
            raise ValidationError.from_problems(problems)
        return None if preset is None else preset.times(_density(given) or 1)

    def _problems(self, given: Mapping[str, str]) -> Sequence[Problem]:
        found: list[Problem] = []
        name, presets = given.get(PRESET), self._options.presets
        if name is not None and name not in presets:
            known = ", ".join(sorted(presets)) or "none"
            message = f"{PRESET}: unknown preset. Set it in `images.presets` of api.toml. Presets: {known}"
            found.append(Problem((PRESET,), message))
        if DENSITY in given and _density(given) is None:
            found.append(Problem((DENSITY,), f"{DENSITY}: expected a whole number from 1 to {MOST_DENSITY}"))
        if DENSITY in given and name is None:
            found.append(Problem((DENSITY,), f"{DENSITY}: only available together with `{PRESET}`"))
        for parameter in sorted(FREE_PARAMETERS & given.keys()):
            message = f"{parameter}: not available in URLs. Define a preset in `images.presets` of api.toml"
            found.append(Problem((parameter,), message))
        return found

    async def _serve(
        self, request: Request, source: str, wanted: Transformation, version: str | None
    ) -> Response | None:
        assert self._variants is not None
        image_format = self._format(request, source, wanted)
        for _ in range(_LOST):
            found = await self._variants.find(source, wanted, image_format)
            if not isinstance(found, Variant):
                return None if found is None else _redirect(found.url)
            content = await self._variants.open(found)
            if content is not None:
                opened = await in_thread(partial(_as_file, content, found.created_at))
                return self._answer(request, opened, found, version, varies=wanted.format == "auto")
        return None

    def _answer(
        self, request: Request, opened: OpenFile, found: Variant, version: str | None, *, varies: bool
    ) -> Response:
        is_exact = version == version_text(found.version)
        control = _IMMUTABLE if is_exact else f"max-age={self._options.max_age}"
        response = answer_file(request, opened, found.mime, StaticOptions(control, entity_tags=True, untrusted=True))
        if varies:
            response.headers = (*response.headers, (b"vary", b"Accept"))
        return response

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


def version_text(version: int) -> str:
    """Return the version of a file as in the parameter `v`, with which a URL can be cached forever."""
    return f"{version:x}"


def _density(given: Mapping[str, str]) -> int | None:
    text = given.get(DENSITY, "1")
    return int(text) if text in map(str, range(1, MOST_DENSITY + 1)) else None


def _accepted(header: str) -> set[str]:
    """Return the types in an `Accept` header, without those of quality 0."""
    parts = (part.strip().lower().partition(";") for part in header.split(","))
    return {kind.strip() for kind, _, rest in parts if rest.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00")}


def _redirect(url: str) -> Response | None:
    """Return a redirect to a file in another place; None for a file of this server."""
    if url.startswith("/"):
        return None
    return Response(302, b"", "", ((b"location", url.encode()), (b"cache-control", b"max-age=60")))


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
