"""Apply a transformation to an image file. All functions block; they run in `image_workers`.

JPEG files are reduced while they are decoded, so that a large photo needs little time and memory. Raises
ApplicationError for images that cannot be decoded.
"""

import math
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageFile, ImageFilter, UnidentifiedImageError

from octavo.content.media.image_errors import is_machine_error
from octavo.content.media.image_formats import TURNS, check_memory, open_image, orientation_of
from octavo.content.media.image_sizes import Size
from octavo.content.media.image_structure import check_structure
from octavo.content.media.transformations import KINDS, ImageFormat, Placement, Rendering, place
from octavo.core.errors import ApplicationError, OctavoError

_REDUCING_GAP: Final = 2.0
_FILTER_RADIUS: Final = 3
"""How many pixels, at their size after resizing, the filter reads in each direction."""
_STRIP_PIXELS: Final = 1_000_000
_TURNED: Final = frozenset({5, 6, 7, 8})
"""The Exif orientations that swap width and height."""
_FROM_RIGHT: Final = frozenset({2, 3, 7, 8})
"""The orientations whose stored columns begin at the other end."""
_FROM_BOTTOM: Final = frozenset({3, 4, 6, 7})
"""The orientations whose stored rows begin at the other end."""
_SAVE: Final[dict[ImageFormat, dict[str, Any]]] = {
    "avif": {"speed": 8, "max_threads": 1},  # from 0, slow, to 10
    "webp": {"method": 4},
    "jpeg": {"optimize": True, "progressive": True},
    "png": {"optimize": False},
}
_MODES: Final[dict[ImageFormat, tuple[str, ...]]] = {
    "avif": ("RGB", "RGBA", "L"),
    "webp": ("RGB", "RGBA"),
    "jpeg": ("RGB", "L"),
    "png": ("RGB", "RGBA", "L", "LA"),
}


def render(source: Path, mime: str, rendering: Rendering, target: Path) -> Size | None:
    """Write the transformed image to `target` and return its size; None for an animation, which stays as it is."""
    check_structure(source, mime)
    try:
        with open_image(source, KINDS[mime]) as image:
            if KINDS[mime] in ("GIF", "WEBP", "PNG") and getattr(image, "is_animated", False):
                return None
            result = _transformed(image, rendering)
        profile = {"icc_profile": result.info["icc_profile"]} if "icc_profile" in result.info else {}
        result.info = {}
        options = {"quality": rendering.wanted.quality, **_SAVE[rendering.format], **profile}
        result.save(target, rendering.format, **options)
    except (OctavoError, MemoryError):
        raise
    except UnidentifiedImageError:
        raise ApplicationError("The image cannot be decoded: its format is not supported") from None
    except Exception as error:  # decoders raise arbitrary errors for broken files
        if is_machine_error(error):
            raise
        raise ApplicationError("The image cannot be decoded: it is damaged or needs too much memory") from error
    return Size(result.width, result.height)


def _transformed(image: ImageFile.ImageFile, rendering: Rendering) -> Image.Image:
    pixels = image.width * image.height
    orientation = orientation_of(image)
    is_turned = orientation in _TURNED
    shown = Size(image.height, image.width) if is_turned else Size(image.width, image.height)
    placement = place(shown, rendering.wanted, rendering.focus)
    _draft(image, shown, placement)
    check_memory(image, pixels)
    image.load()
    size = placement.size
    stored = Size(size.height, size.width) if is_turned else size
    box = _stored_box(placement, shown, Size(image.width, image.height), orientation)
    result = _resized(image, stored, box, rendering.format)
    if orientation != 1:
        result = result.transpose(TURNS[orientation - 2])
    if rendering.wanted.blur:
        result = result.filter(ImageFilter.GaussianBlur(rendering.wanted.blur))
    padded = _padded(result, placement.canvas)
    padded.info = {name: value for name, value in result.info.items() if name == "icc_profile"}
    return padded


def _draft(image: Image.Image, shown: Size, placement: Placement) -> None:
    """Let a JPEG decoder reduce the image, but not below the size that is needed."""
    left, top, right, bottom = placement.box
    scale = max(placement.size.width / (right - left), placement.size.height / (bottom - top))
    image.draft(None, (math.ceil(image.width * scale), math.ceil(image.height * scale)))


def _stored_box(
    placement: Placement, shown: Size, decoded: Size, orientation: int
) -> tuple[float, float, float, float]:
    """Return the part of the image in pixels of the decoded image, which may be reduced and is not turned yet.

    Only the result is turned, because turning the whole image would need its memory twice.
    """
    left, top, right, bottom = placement.box
    lefts, tops = sorted((left / shown.width, right / shown.width)), sorted((top / shown.height, bottom / shown.height))
    if orientation in _TURNED:
        lefts, tops = tops, lefts
    if orientation in _FROM_RIGHT:
        lefts = [1 - lefts[1], 1 - lefts[0]]
    if orientation in _FROM_BOTTOM:
        tops = [1 - tops[1], 1 - tops[0]]
    across, down = decoded.width, decoded.height
    return (
        max(lefts[0], 0.0) * across,
        max(tops[0], 0.0) * down,
        min(lefts[1] * across, across),
        min(tops[1] * down, down),
    )


def _resized(
    image: Image.Image, size: Size, box: tuple[float, float, float, float], image_format: ImageFormat
) -> Image.Image:
    """Return a part of the image in a mode that can be written, resized. Strips of it need little memory."""
    left, top, right, bottom = box
    step = (bottom - top) / size.height
    margin = math.ceil(_FILTER_RADIUS * max(step, 1.0)) + 1  # rows outside of a strip that its pixels depend on
    rows = max(1, int(_STRIP_PIXELS / image.width / step))
    result: Image.Image | None = None
    for start in range(0, size.height, rows):
        end = min(start + rows, size.height)
        upper, lower = top + start * step, min(top + end * step, bottom)
        first, last = max(0, math.floor(upper) - margin), min(image.height, math.ceil(lower) + margin)
        is_whole = (first, last) == (0, image.height)
        strip = _in_mode(image if is_whole else image.crop((0, first, image.width, last)), image_format)
        part = (left, upper - first, right, lower - first)
        resized = strip.resize((size.width, end - start), Image.Resampling.LANCZOS, part, _REDUCING_GAP)
        if result is None:
            result = Image.new(resized.mode, (size.width, size.height))
            result.info = dict(strip.info)
        result.paste(resized, (0, start))
    assert result is not None
    return result


def _in_mode(image: Image.Image, image_format: ImageFormat) -> Image.Image:
    """Return the image in a mode that can be resized and written; JPEG gets a white background."""
    if image.mode.startswith("I"):  # 16 bits for each pixel
        image = image.point(lambda value: value / 256).convert("L")
    if image_format == "jpeg" and image.has_transparency_data:
        return _on_white(image.convert("RGBA"))
    if image.mode in _MODES[image_format]:
        return image
    keeps_profile = image.mode in ("P", "RGB", "RGBA")
    converted = image.convert("RGBA" if image.has_transparency_data else "RGB")
    if not keeps_profile:
        converted.info.pop("icc_profile", None)
    return converted


def _on_white(image: Image.Image) -> Image.Image:
    background = Image.new("RGB", image.size, "white")
    background.paste(image, mask=image.getchannel("A"))
    background.info = dict(image.info)
    return background


def _padded(image: Image.Image, canvas: Size) -> Image.Image:
    """Return the image in the middle of the canvas, on a transparent background, or a white one for opaque images."""
    if (canvas.width, canvas.height) == image.size:
        return image
    color = (0, 0, 0, 0) if image.mode == "RGBA" else "white" if image.mode == "RGB" else 255
    padded = Image.new(image.mode, (canvas.width, canvas.height), color)
    padded.paste(image, ((canvas.width - image.width) // 2, (canvas.height - image.height) // 2))
    return padded
