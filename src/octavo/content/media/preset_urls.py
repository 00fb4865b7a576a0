"""Add the URLs of transformed images, and placeholders, to `formats` of files in responses."""

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import orjson

from octavo.content.media.image_sizes import Size
from octavo.content.media.storage.base import Storage
from octavo.content.media.transformations import (
    ImageFormat,
    Transformation,
    is_transformable,
    place,
    preset_version,
    version_text,
)
from octavo.content.media.videos import VIDEO
from octavo.query.sql.read.select import compile_read
from octavo.query.sql.read.select_file_facts import FileFactsCompiler

_DENSITIES: Final = (1, 2, 3)
_PLACEHOLDER: Final = "placeholder"
_MAYBE_ANIMATED: Final = "image/gif"
"""Images of this type have no size in responses, because presets leave animations unchanged."""


class PresetUrls:
    """Adds an entry for each preset and the placeholder to `formats`.

    `base` is the URL of this service, or empty for relative URLs. `private_mark` begins URLs of private files.
    """

    lasts = True
    withholds = False

    def __init__(
        self,
        presets: Mapping[str, Transformation],
        storage: Storage,
        base: str = "",
        auto_formats: Sequence[ImageFormat] = (),
        private_mark: str = "",
    ) -> None:
        self._presets = presets
        self._versions = {name: preset_version(preset, auto_formats) for name, preset in presets.items()}
        self._storage = storage
        self._base = base
        self._private_mark = private_mark
        self._mark = secrets.token_hex(12)
        mark = self._mark.encode()
        self._marked = re.compile(rb'\["%b",(\[.*?\]),"%b",(.*?),"%b"\]' % (mark, mark, mark), re.DOTALL)

    @property
    def mark(self) -> str:
        """The secret text in statements."""
        return self._mark

    @property
    def compile(self) -> Callable[..., str]:
        """A function that returns the statement of a read, with the marks that `apply` replaces."""
        return partial(compile_read, make=partial(FileFactsCompiler, mark=self._mark))

    def apply(self, answer: bytes) -> bytes:
        """Return a response with the presets in `formats`, and without marks."""
        return self._marked.sub(self._with_presets, answer)

    def _with_presets(self, found: "re.Match[bytes]") -> bytes:
        facts, formats = orjson.loads(found[1]), found[2]
        added = self._entries(*facts)
        if not added:
            return formats
        known = orjson.loads(formats)
        return orjson.dumps({**known, **added} if isinstance(known, dict) else added)

    def _entries(
        self,
        url: str | None,
        mime: str,
        provider: str,
        width: int | None,
        height: int | None,
        version: int | None,
        placeholder: Mapping[str, Any] | None,
    ) -> dict[str, Any]:
        added = _described(placeholder)
        if VIDEO in added:
            width, height = added[VIDEO]["width"], added[VIDEO]["height"]
        if not self._presets or not is_transformable(mime) or url is None or provider not in self._storage.providers:
            return added
        is_private = bool(self._private_mark) and url.startswith(self._private_mark)
        url = url.removeprefix(self._private_mark)
        name = self._storage.name_of(url)
        if name is None:
            return added
        size = Size(width, height) if width and height and mime != _MAYBE_ANIMATED else None
        path = url if url.startswith("/") else f"{self._base}/uploads/{quote(name)}"
        start = version_text(version or 0)
        if is_private:  # each URL gets a signature, so there is no `srcset`
            path, size = f"{self._private_mark}{path}", None
        return added | {
            preset: _entry(f"{path}?preset={quote(preset)}", f"{start}{self._versions[preset]}", wanted, size)
            for preset, wanted in self._presets.items()
        }


def _described(placeholder: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the entries of a placeholder: of a video, the facts have their own entry."""
    if placeholder is None:
        return {}
    video = {VIDEO: placeholder[VIDEO]} if VIDEO in placeholder else {}
    return {_PLACEHOLDER: {name: value for name, value in placeholder.items() if name != VIDEO}, **video}


def _entry(url: str, version: str, wanted: Transformation, size: Size | None) -> dict[str, Any]:
    """Return the URL of a transformed image, its size, and a `srcset` of the densities that it has pixels for."""
    if size is None:
        return {"url": f"{url}&v={version}"}
    shown = place(size, wanted).canvas
    urls = {_density(url, version, density): density for density in _DENSITIES if _reaches(size, wanted, density)}
    srcset = ", ".join(f"{each} {density}x" for each, density in urls.items())
    return {"url": f"{url}&v={version}", "width": shown.width, "height": shown.height, "srcset": srcset}


def _density(url: str, version: str, density: int) -> str:
    return f"{url}&v={version}" if density == 1 else f"{url}&dpr={density}&v={version}"


def _reaches(size: Size, wanted: Transformation, density: int) -> bool:
    """Return whether the image is larger with this density than with a lower one."""
    return density == 1 or place(size, wanted.times(density)).size != place(size, wanted.times(density - 1)).size
