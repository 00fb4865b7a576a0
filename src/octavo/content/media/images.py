"""Measure images and create their smaller formats. All functions block; call them in a thread.

Nothing is decoded before its size is known and accepted. Raises `ApplicationError`.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from PIL import Image, ImageOps, UnidentifiedImageError

from octavo.content.media.file_types import HEAD_BYTES, SVG
from octavo.content.media.image_sizes import Format, Measured, Size, Wanted, wanted_formats
from octavo.content.media.image_structure import check_structure
from octavo.core.errors import ApplicationError, OctavoError

MAX_PIXELS: Final = 64_000_000
"""The maximum number of pixels of an image that is decoded; each uses four bytes of memory."""

_NO_IMAGE: Final = "File is not a valid image"
_FORMATS: Final = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WEBP",
    "image/tiff": "TIFF",
}
_SAVE_OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "JPEG": {"quality": 80, "optimize": True},
    "WEBP": {"quality": 80},
    "TIFF": {"compression": "tiff_adobe_deflate"},
}
_MODES: Final = {
    "PNG": ("RGB", "RGBA", "L", "LA"),
    "JPEG": ("RGB", "L"),
    "GIF": ("RGB", "RGBA"),
    "WEBP": ("RGB", "RGBA"),
    "TIFF": ("RGB", "RGBA", "L"),
}
"""The modes that a format can be resized and written in."""
_ANIMATED: Final = frozenset({"GIF", "WEBP", "PNG"})
_PICTURE_INFO: Final = frozenset({"transparency", "background", "icc_profile"})
"""What Pillow may copy to the formats. It would also copy comments."""


def process_image(
    path: Path, mime: str, breakpoints: Mapping[str, int], target: Path, *, check: bool = False
) -> Measured:
    """Measure an image, and write the formats it is large enough for to `target` with their names as suffixes.

    Files that are not images have no size. With `check`, a file that starts like an image but is not one is refused.
    Animated images get no formats, because those would not be animated.
    """
    if mime == SVG:
        return Measured(read_svg_size(path))
    kind = _FORMATS.get(mime)
    if kind is None:
        return Measured()
    check_structure(path, mime)
    try:
        size, wanted, image, orientation = _decode(path, kind, breakpoints)
    except UnidentifiedImageError:
        if kind == "TIFF" or not check:  # raw formats of cameras start like TIFF
            return Measured()
        raise ApplicationError(_NO_IMAGE) from None
    return Measured(size, tuple(_write_formats(image, kind, wanted, target)), orientation)


def _decode(path: Path, kind: str, breakpoints: Mapping[str, int]) -> tuple[Size, Wanted, Image.Image, int]:
    try:
        with Image.open(path, formats=[kind]) as image:
            if image.width * image.height > MAX_PIXELS:
                raise _too_large()
            orientation = _orientation(image)
            size = _shown_size(image, orientation)
            wanted = [] if _is_animated(image, kind) else wanted_formats(size, breakpoints)
            if wanted:
                largest = max(max(fitted.width, fitted.height) for _, fitted in wanted)
                image.draft(None, (largest, largest))  # JPEG: decode at a reduced size, at least this large
            image.load()
            return size, wanted, _upright(image, kind) if wanted else image, orientation
    except (OctavoError, UnidentifiedImageError, MemoryError):
        raise
    except Image.DecompressionBombError:
        raise _too_large() from None
    except Exception:  # decoders raise arbitrary errors for broken files
        raise ApplicationError(_NO_IMAGE) from None


def _is_animated(image: Image.Image, kind: str) -> bool:
    """Return whether an image moves. Pages of a TIFF and further photos in a JPEG do not."""
    return kind in _ANIMATED and getattr(image, "is_animated", False)


def _write_formats(image: Image.Image, kind: str, wanted: Wanted, target: Path) -> Iterator[Format]:
    """Yield the formats. Each is created from the next larger one, which is much faster than from the original."""
    written = {}
    image.info = {name: value for name, value in image.info.items() if name in _PICTURE_INFO}
    options = {**_SAVE_OPTIONS.get(kind, {}), "icc_profile": image.info.get("icc_profile")}
    for name, size in sorted(wanted, key=lambda item: -item[1].width * item[1].height):
        image = image.resize((size.width, size.height), Image.Resampling.LANCZOS, reducing_gap=3.0)
        path = target.with_name(f"{target.name}.{name}")
        written[name] = Format(name, path, size)
        image.save(path, kind, **options)
    for name, _ in wanted:
        yield written[name]


def _upright(image: Image.Image, kind: str) -> Image.Image:
    """Return the image rotated as displayed, in a mode that can be resized and written."""
    upright = ImageOps.exif_transpose(image)
    if upright.mode in _MODES[kind]:
        return upright
    if upright.mode.startswith("I"):  # 16 bits for each pixel
        upright = upright.point(lambda value: value / 256).convert("L")
    profile_holds = upright.mode in ("P", "RGB", "RGBA")
    upright = upright.convert("RGBA" if upright.has_transparency_data and kind != "JPEG" else "RGB")
    if not profile_holds:
        upright.info.pop("icc_profile", None)
    return upright


def _orientation(image: Image.Image) -> int:
    """Return the EXIF orientation: 1 to 8, upright if it is missing or invalid."""
    found = image.getexif().get(0x0112, 1)
    return found if isinstance(found, int) and 1 <= found <= 8 else 1


def _shown_size(image: Image.Image, orientation: int) -> Size:
    """Return the displayed size; orientations from 5 on swap width and height."""
    turned = orientation >= 5
    return Size(image.height, image.width) if turned else Size(image.width, image.height)


def _too_large() -> ApplicationError:
    return ApplicationError(f"The image is too large: at most {MAX_PIXELS // 1_000_000} million pixels are accepted")


# SVG


class _RootFound(Exception):
    """The root element has been read."""


def read_svg_size(path: Path) -> Size | None:
    """Return the size in the root element. Reads only the start of the file, and no entities."""
    found: dict[str, str] = {}

    def root(_: str, attributes: dict[str, str]) -> None:
        found.update(attributes)
        raise _RootFound

    def refuse(*_: Any) -> None:
        raise _RootFound

    parser = expat.ParserCreate()
    parser.StartElementHandler = root
    parser.EntityDeclHandler = refuse
    with path.open("rb") as file:
        head = file.read(16 * HEAD_BYTES)
    with suppress(_RootFound, expat.ExpatError):
        parser.Parse(head, False)
    return _svg_size(found)


def _svg_size(attributes: Mapping[str, str]) -> Size | None:
    width, height = _length(attributes.get("width", "")), _length(attributes.get("height", ""))
    box = [_length(part) for part in attributes.get("viewBox", "").replace(",", " ").split()]
    if len(box) == 4 and (width is None or height is None):
        width, height = width or box[2], height or box[3]
    return Size(width, height) if width and height else None


def _length(text: str) -> int | None:
    """Parse a length in pixels, with or without the unit."""
    try:
        number = float(text.strip().removesuffix("px"))
    except ValueError:
        return None
    return round(number) if math.isfinite(number) and 0 <= number < 2**31 else None
