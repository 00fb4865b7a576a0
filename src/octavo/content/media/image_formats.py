"""Measure images and create their smaller formats. All functions block; call them in a thread.

Nothing is decoded before its size is known and accepted. Raises `ApplicationError`.
"""

import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from PIL import Image, ImageFile, UnidentifiedImageError

from octavo.content.media.file_types import AVIF, HEAD_BYTES, SVG
from octavo.content.media.image_errors import ImageTooLarge, is_machine_error
from octavo.content.media.image_headers import read_header
from octavo.content.media.image_sizes import Format, Measured, Size, Wanted, wanted_formats
from octavo.content.media.image_structure import check_structure
from octavo.content.media.transformations import HEIC, KINDS
from octavo.core.errors import ApplicationError, OctavoError

MAX_MEMORY: Final = 200_000_000
"""The maximum size in bytes of a decoded image in memory. A larger one gets no formats."""
MAX_UNDECODED_PIXELS: Final = 64_000_000
"""The maximum number of pixels of an image that is stored without being decoded."""

Image.MAX_IMAGE_PIXELS = None  # `check_memory` is the limit
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
    "HEIF": ("RGB", "L"),
}
"""The modes that a format can be resized and written in."""
_OPAQUE: Final = frozenset({"JPEG", "HEIF"})
"""Images whose formats have no transparency."""
_ANIMATED: Final = frozenset({"GIF", "WEBP", "PNG"})
_PICTURE_INFO: Final = frozenset({"transparency", "background", "icc_profile"})
"""What Pillow may copy to the formats. It would also copy comments."""
_PIXEL_BYTES: Final = {"1": 1, "L": 1, "P": 1, "I;16": 2, "I;16B": 2, "I;16L": 2}
"""The memory of a pixel by mode; four bytes in other modes."""
_HEIF_BYTES: Final = 4
"""The memory of a pixel that the decoder of HEIC needs beside the result."""
_WEBP_BUFFERS: Final = 3
"""Pictures that the decoder of WebP needs beside the result. It creates two of them when it opens a file."""
TURNS: Final = (
    *(Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.ROTATE_180, Image.Transpose.FLIP_TOP_BOTTOM),
    *(Image.Transpose.TRANSPOSE, Image.Transpose.ROTATE_270, Image.Transpose.TRANSVERSE, Image.Transpose.ROTATE_90),
)
"""The rotations for the EXIF orientations 2 to 8."""
_STRIP_PIXELS: Final = 1_000_000
_BITS, _STRIP_HEIGHT, _TILE_WIDTH, _TILE_HEIGHT = 258, 278, 322, 323
"""Tags of TIFF files."""
_GAP: Final = 2
"""How much larger than the largest format an image is at least before the precise scaling."""


def process_image(
    path: Path, mime: str, breakpoints: Mapping[str, int], target: Path, *, check: bool = False, heic: bool = False
) -> Measured:
    """Measure an image, and write the formats it is large enough for to `target` with their names as suffixes.

    Files that are not images have no size. With `check`, a file that starts like an image but is not one is refused.
    Animated images get no formats, because those would not be animated, nor do images that need too much memory.
    `heic`: HEIC images have a size and formats in JPEG, if the library is installed.
    """
    if heic and mime == HEIC and HEIC in KINDS:
        return _process_heic(path, breakpoints, target)
    if mime == SVG:
        return Measured(read_svg_size(path))
    if mime == AVIF:
        return Measured(_read_avif_size(path))
    kind = _FORMATS.get(mime)
    if kind is None:
        return Measured()
    check_structure(path, mime)
    try:
        size, wanted, image, orientation = _decode(path, kind, breakpoints)
    except (ImageTooLarge, MemoryError) as error:
        return _measure_undecoded(path, kind, error)
    except UnidentifiedImageError:
        if kind == "TIFF" or not check:  # raw formats of cameras start like TIFF
            return Measured()
        raise ApplicationError(_NO_IMAGE) from None
    return Measured(size, tuple(_write_formats(image, kind, wanted, target)), orientation)


def _process_heic(path: Path, breakpoints: Mapping[str, int], target: Path) -> Measured:
    """Measure a HEIC image and write its formats in JPEG. Damaged images have no size."""
    kind = KINDS[HEIC]
    try:
        size, wanted, image, _ = _decode(path, kind, breakpoints)
        formats = _write_formats(image, "JPEG", wanted, target)
        return Measured(size, tuple(replace(made, mime="image/jpeg", extension=".jpg") for made in formats))
    except (ImageTooLarge, MemoryError) as error:
        with suppress(ImageTooLarge, MemoryError):
            return _measure_undecoded(path, kind, error)
    except (ApplicationError, UnidentifiedImageError):
        pass
    return Measured()


def _measure_undecoded(path: Path, kind: str, error: Exception) -> Measured:
    """Measure an image without decoding it. Raises the error if it also has too many pixels."""
    stored, orientation = _stored_size(path, kind)
    if stored.width * stored.height > MAX_UNDECODED_PIXELS:
        raise error
    turned = orientation >= 5
    size = Size(stored.height, stored.width) if turned else stored
    return Measured(size, orientation=orientation, is_too_large=True)


def _stored_size(path: Path, kind: str) -> tuple[Size, int]:
    """Return the size as stored, and the EXIF orientation. Decodes nothing."""
    header = read_header(path, kind)
    if header is not None:
        exif = Image.Exif()
        with suppress(Exception):  # damaged Exif blocks raise arbitrary errors
            exif.load(header.exif)
        return Size(header.width, header.height), _orientation_in(exif)
    with Image.open(path, formats=[kind]) as image:
        return Size(image.width, image.height), orientation_of(image)


def _read_avif_size(path: Path) -> Size | None:
    """Return the size of an AVIF image, which is not decoded. It gets no formats, as in Strapi v4."""
    try:
        with Image.open(path, formats=["AVIF"]) as image:
            return _shown_size(image, orientation_of(image))
    except MemoryError:
        raise
    except Exception:  # decoders raise arbitrary errors for broken files
        return None


def read_orientation(path: Path, mime: str) -> int:
    """Return the EXIF orientation of an image: 1 to 8, upright for other and broken files. Raises ApplicationError."""
    kind = _FORMATS.get(mime)
    if kind is None:
        return 1
    check_structure(path, mime)
    try:
        try:
            with open_image(path, kind) as image:
                return orientation_of(image)
        except (ImageTooLarge, MemoryError):
            return _stored_size(path, kind)[1]
    except Exception as error:  # decoders raise arbitrary errors for broken files
        if is_machine_error(error):
            raise
        return 1


def open_image(path: Path, kind: str) -> ImageFile.ImageFile:
    """Open an image of a kind (Pillow's name), which is not decoded yet. Raises ImageTooLarge and Pillow's errors.

    A JPEG is only checked before it is decoded, because it can be decoded at a reduced size.
    """
    header = read_header(path, kind) if kind == "WEBP" else None  # already opening it needs memory for all pixels
    if header is not None:
        pixels = header.width * header.height
        _check_needed(pixels, pixels * 4 * (1 + _WEBP_BUFFERS))
    if kind == "HEIF":
        import_module("pi_heif").register_heif_opener()
    image = Image.open(path, formats=[kind])
    try:
        if kind != "JPEG":
            check_memory(image, image.width * image.height)  # already reading the orientation can decode
    except ImageTooLarge:
        image.close()
        raise
    return image


def _decode(path: Path, kind: str, breakpoints: Mapping[str, int]) -> tuple[Size, Wanted, Image.Image, int]:
    try:
        with open_image(path, kind) as image:
            pixels = image.width * image.height
            orientation = orientation_of(image)
            size = _shown_size(image, orientation)
            wanted = [] if _is_animated(image, kind) else wanted_formats(size, breakpoints)
            if wanted:
                image.draft(None, _draft_size(wanted, orientation))  # JPEG: decode at a reduced size
            check_memory(image, pixels)
            image.load()
            return size, wanted, _upright(image, kind, wanted, orientation) if wanted else image, orientation
    except (OctavoError, UnidentifiedImageError, MemoryError):
        raise
    except Exception as error:  # decoders raise arbitrary errors for broken files
        if is_machine_error(error):
            raise
        raise ApplicationError(_NO_IMAGE) from None


def _draft_size(wanted: Wanted, orientation: int) -> tuple[int, int]:
    """Return twice the size of the largest format, in the direction in which the image is stored."""
    largest = max((fitted for _, fitted in wanted), key=lambda fitted: fitted.width * fitted.height)
    width, height = 2 * largest.width, 2 * largest.height
    return (height, width) if orientation >= 5 else (width, height)


def check_memory(image: ImageFile.ImageFile, pixels: int) -> None:
    """Raise ImageTooLarge if decoding would need too much memory. `pixels` of a JPEG are those of its full size."""
    per_pixel = _PIXEL_BYTES.get(image.mode, 4)
    if image.format == "HEIF":
        per_pixel += _HEIF_BYTES
    if image.format == "WEBP":
        per_pixel *= 1 + _WEBP_BUFFERS
    needed = image.width * image.height * per_pixel + int(pixels * _coefficient_bytes(image)) + _strip_bytes(image)
    _check_needed(pixels, needed)


def _check_needed(pixels: int, needed: int) -> None:
    if needed > MAX_MEMORY:
        most = max(pixels * MAX_MEMORY // needed, MAX_UNDECODED_PIXELS) // 1_000_000
        raise ImageTooLarge(f"The image is too large: at most {most} million pixels are accepted")


def _strip_bytes(image: ImageFile.ImageFile) -> int:
    """Return the memory for a compressed strip of a TIFF file, and for the file, which the decoder maps."""
    if image.format != "TIFF" or not image.tile or image.tile[0][0] != "libtiff":
        return 0
    tags: Mapping[int, Any] = getattr(image, "tag_v2", {})
    bits = tags.get(_BITS, (1,))
    across = min(int(tags.get(_TILE_WIDTH, image.width)), image.width)
    down = min(int(tags.get(_TILE_HEIGHT, tags.get(_STRIP_HEIGHT, image.height))), image.height)
    return across * down * int(sum(bits)) // 8 + Path(os.fsdecode(image.filename)).stat().st_size


def _coefficient_bytes(image: Image.Image) -> float:
    """Return the memory for each pixel of a progressive JPEG: decoders keep all coefficients, of two bytes each."""
    if not image.info.get("progressive"):
        return 0
    areas: list[int] = [across * down for _, across, down, _ in getattr(image, "layer", ())]
    return 2 * sum(areas) / max(areas, default=1)


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


def _upright(image: Image.Image, kind: str, wanted: Wanted, orientation: int) -> Image.Image:
    """Return the image rotated as displayed, in a mode that can be resized and written, not much larger than needed."""
    profile_stays = image.mode in (*_MODES[kind], "P", "RGB", "RGBA")
    info = image.info
    image = _reduced(image, kind, wanted)
    image.info = {name: value for name, value in info.items() if name in _PICTURE_INFO}
    if image.mode == "RGBA":
        image.info.pop("transparency", None)
    if not profile_stays:
        image.info.pop("icc_profile", None)
    return image if orientation == 1 else image.transpose(TURNS[orientation - 2])


def _reduced(image: Image.Image, kind: str, wanted: Wanted) -> Image.Image:
    """Return a smaller image. It is converted in strips, which need little memory."""
    largest = max(max(size.width, size.height) for _, size in wanted)
    factor = max(1, int(max(image.size) / largest / _GAP))
    if factor == 1:
        return _converted(image, kind)
    rows = max(1, _STRIP_PIXELS // image.width // factor) * factor
    strips = (
        _converted(image.crop((0, top, image.width, min(top + rows, image.height))), kind).reduce(factor)
        for top in range(0, image.height, rows)
    )
    first = next(strips)
    reduced = Image.new(first.mode, (first.width, -(-image.height // factor)))
    reduced.paste(first)
    for number, strip in enumerate(strips, 1):
        reduced.paste(strip, (0, number * (rows // factor)))
    return reduced


def _converted(image: Image.Image, kind: str) -> Image.Image:
    """Return an image in a mode that can be resized and written."""
    if image.mode in _MODES[kind]:
        return image
    if image.mode.startswith("I"):  # 16 bits for each pixel
        image = image.point(lambda value: value / 256).convert("L")
    return image.convert("RGBA" if image.has_transparency_data and kind not in _OPAQUE else "RGB")


def orientation_of(image: Image.Image) -> int:
    """Return the EXIF orientation: 1 to 8, upright if it is missing or invalid. Pillow turns TIFF images itself."""
    if image.format == "TIFF":
        return 1
    return _orientation_in(image.getexif())


def _orientation_in(exif: Image.Exif) -> int:
    orientation = exif.get(0x0112, 1)
    return orientation if isinstance(orientation, int) and 1 <= orientation <= 8 else 1


def _shown_size(image: Image.Image, orientation: int) -> Size:
    """Return the displayed size; orientations from 5 on swap width and height."""
    turned = orientation >= 5
    return Size(image.height, image.width) if turned else Size(image.width, image.height)


# SVG

_MOST_LENGTH: Final = 2**31
_LENGTH: Final = re.compile(
    r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(|px|pt|pc|mm|cm|in|q|em|rem|ex|ch)", re.I | re.ASCII
)
_UNITS: Final = {
    "": 1.0,
    "px": 1.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 9.6 / 2.54,
    "q": 2.4 / 2.54,
    "pt": 96 / 72,
    "pc": 16.0,
    "em": 16.0,
    "rem": 16.0,
    "ex": 8.0,
    "ch": 8.0,
}
"""Pixels of each unit, as in CSS. Units of fonts assume the initial font size of browsers."""


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
    """Return the size; with only one length, the proportions of the view box determine the other."""
    width, height = _length(attributes.get("width", "")), _length(attributes.get("height", ""))
    box = [_length(part) for part in attributes.get("viewBox", "").replace(",", " ").split()]
    across, down = box[2:] if len(box) == 4 else (None, None)
    if across and down:
        if width is None and height is None:
            width, height = across, down
        elif width is None:
            width = (height or 0) * across / down
        elif height is None:
            height = width * down / across
    if width is None or height is None:
        return None
    size = Size(round(width), round(height))
    return size if 0 < size.width < _MOST_LENGTH and 0 < size.height < _MOST_LENGTH else None


def _length(text: str) -> float | None:
    """Return a length in pixels, or None for percentages and invalid ones."""
    match = _LENGTH.fullmatch(text.strip())
    number = float(match[1]) * _UNITS[match[2].lower()] if match else math.inf
    return number if 0 <= number < _MOST_LENGTH else None
