"""Transformations of images: the parameters, and where an image is cropped and how far it is resized.

Everything here is plain arithmetic; `image_rendering` applies it to pixels.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Final, Literal

from octavo.content.media.focal_points import FocalPoint
from octavo.content.media.image_sizes import Size
from octavo.content.media.videos import has_frames
from octavo.core.values import dataclass

Fit = Literal["cover", "contain", "inside"]
ImageFormat = Literal["avif", "webp", "jpeg", "png"]

CENTER: Final = FocalPoint(0.5, 0.5)
LARGEST_SIDE: Final = 8192
"""The maximum width and height of a transformed image, after `dpr` is applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformation:
    """How an image is transformed. Without `enlarge`, the result is never larger than the image.

    `focus` replaces the focal point of the file. `crop` is the part of the image to use: left, top, width and height in
    its pixels.
    """

    width: int | None = None
    height: int | None = None
    fit: Fit = "cover"
    format: Literal["auto", "avif", "webp", "jpeg", "png"] = "auto"
    quality: int = 75
    blur: int = 0
    focus: FocalPoint | None = None
    crop: tuple[int, int, int, int] | None = None
    enlarge: bool = False

    def key(self, image_format: ImageFormat) -> str:
        """Return a short text that identifies the transformation and its resulting format."""
        parts = (
            self.width,
            self.height,
            self.fit,
            image_format,
            self.quality,
            self.blur,
            self.focus,
            self.crop,
            self.enlarge,
        )
        return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:24]

    def times(self, density: int) -> "Transformation":
        """Return the transformation for screens with this number of pixels for each CSS pixel."""
        largest = max(self.width or 1, self.height or 1)
        factor = min(density, LARGEST_SIDE / largest)  # both sides by the same factor, so that the proportions stay
        return replace(self, width=_times(self.width, factor), height=_times(self.height, factor))


HEIC: Final = "image/heic"
KINDS: Final[Mapping[str, str]] = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/webp": "WEBP",
    "image/tiff": "TIFF",
    "image/gif": "GIF",
    "image/avif": "AVIF",
    **({HEIC: "HEIF"} if find_spec("pi_heif") is not None else {}),
}
"""The types of images that can be transformed, and the names of their decoders. HEIC requires `octavo[heic]`."""


def is_transformable(mime: str) -> bool:
    """Return whether files of this type can be transformed: images, and videos, of which a frame is shown."""
    return mime in KINDS or has_frames(mime)


TYPES: Final[Mapping[ImageFormat, str]] = {
    "avif": "image/avif",
    "webp": "image/webp",
    "jpeg": "image/jpeg",
    "png": "image/png",
}
"""The types of transformed images."""
EXTENSIONS: Final[Mapping[ImageFormat, str]] = {"avif": ".avif", "webp": ".webp", "jpeg": ".jpg", "png": ".png"}


@dataclass(frozen=True, slots=True)
class Rendering:
    """A transformation with its resulting format, and the focal point of the image."""

    wanted: Transformation
    format: ImageFormat
    focus: FocalPoint = CENTER


def version_text(version: int) -> str:
    """Return the version of a file as in the parameter `v`, with which a URL can be cached forever."""
    return f"{version:x}"


def preset_version(preset: Transformation, auto_formats: Sequence[ImageFormat]) -> str:
    """Return the end of the parameter `v` in URLs with a preset. It changes with the settings of the preset."""
    settings = repr((preset, tuple(auto_formats) if preset.format == "auto" else ()))
    return f"-{hashlib.sha256(settings.encode()).hexdigest()[:8]}"


def _times(length: int | None, factor: float) -> int | None:
    return None if length is None else max(1, round(length * factor))


@dataclass(frozen=True, slots=True)
class Placement:
    """The part of an image to use (left, top, right, bottom, in its pixels), the size to resize it to, and the size of
    the canvas if it is larger."""

    box: tuple[float, float, float, float]
    size: Size
    canvas: Size


def place(image: Size, wanted: Transformation, focus: FocalPoint = CENTER) -> Placement:
    """Return how an image of this size is cropped and resized."""
    if wanted.crop is not None:
        return _place_part(image, wanted, wanted.crop, focus)
    if wanted.fit == "cover" and wanted.width and wanted.height:
        return _cover(image, wanted.width, wanted.height, focus, enlarge=wanted.enlarge)
    scale = min(
        wanted.width / image.width if wanted.width else float("inf"),
        wanted.height / image.height if wanted.height else float("inf"),
    )
    size = _scaled(image, scale if wanted.enlarge else min(scale, 1.0))
    is_padded = wanted.fit == "contain" and wanted.width and wanted.height
    canvas = Size(wanted.width or size.width, wanted.height or size.height) if is_padded else size
    return Placement((0, 0, image.width, image.height), size, canvas)


def _place_part(image: Size, wanted: Transformation, crop: tuple[int, int, int, int], focus: FocalPoint) -> Placement:
    """Place a part of the image. The part is moved and reduced until it is inside of the image."""
    width, height = min(crop[2], image.width), min(crop[3], image.height)
    left, top = min(crop[0], image.width - width), min(crop[1], image.height - height)
    inside = FocalPoint((focus.x * image.width - left) / width, (focus.y * image.height - top) / height)
    placed = place(Size(width, height), replace(wanted, crop=None), inside)
    box = placed.box
    return replace(placed, box=(box[0] + left, box[1] + top, box[2] + left, box[3] + top))


def _cover(image: Size, width: int, height: int, focus: FocalPoint, *, enlarge: bool) -> Placement:
    """Fill the size and crop the rest, so that the focal point is as close to the center as possible."""
    scale = max(width / image.width, height / image.height)
    size = Size(width, height) if enlarge or scale <= 1 else _scaled(Size(width, height), 1 / scale)
    part_width, part_height = min(width / scale, image.width), min(height / scale, image.height)
    left = min(max(focus.x * image.width - part_width / 2, 0.0), image.width - part_width)
    top = min(max(focus.y * image.height - part_height / 2, 0.0), image.height - part_height)
    return Placement((left, top, left + part_width, top + part_height), size, size)


def _scaled(size: Size, scale: float) -> Size:
    # A narrow image could otherwise be enlarged without a limit.
    limited = min(scale, LARGEST_SIDE / max(size.width, size.height))
    return Size(max(1, round(size.width * limited)), max(1, round(size.height * limited)))
