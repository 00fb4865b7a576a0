"""Re-encode uploaded images in place, if the settings of the media library ask for it: smaller, or upright.

Animations, images with 16 bits for each channel, and large images stay as they are.
"""

from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageFile, ImageOps, JpegImagePlugin

from octavo.content.media.image_errors import is_machine_error
from octavo.content.media.image_formats import open_image

MAX_PIXELS: Final = {"JPEG": 24_000_000, "PNG": 12_000_000, "WEBP": 8_000_000}
"""The maximum number of pixels. Larger images would need too much memory or time at their full size."""
MAX_TURNED_PIXELS: Final = 16_000_000
"""The maximum number of pixels of an image that is turned, which needs memory for two images."""
_FORMATS: Final = {"image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WEBP"}
_SMALLER: Final[dict[str, dict[str, Any]]] = {
    "JPEG": {"quality": 80, "optimize": True, "progressive": False},
    "PNG": {"compress_level": 6},
    "WEBP": {"quality": 80},
}
_SAME: Final[dict[str, dict[str, Any]]] = {
    "JPEG": {"optimize": True},
    "PNG": {},
    "WEBP": {"quality": 95},
}
_COLORS: Final = ("gamma", "chromaticity")
"""Colors of a PNG file that Pillow does not write."""
_DEEP: Final = "16"
"""Part of the names of Pillow's decoders for 16 bits."""
_MODES: Final = frozenset({"1", "L", "LA", "P", "RGB", "RGBA"})
_UPRIGHT: Final = 1


def optimize_image(path: Path, mime: str, orientation: int, *, smaller: bool, upright: bool) -> int:
    """Re-encode an image in place, and return its orientation, which the file no longer contains.

    `smaller`: replace it by a compressed one if that is smaller. `upright`: turn the pixels. Raises OSError for errors
    of the machine.
    """
    kind = _FORMATS.get(mime)
    turns = upright and orientation != _UPRIGHT
    if kind is None or not (smaller or turns):
        return orientation
    target = path.with_name(f"{path.name}.optimized")
    try:
        is_turned = _encode(path, kind, target, smaller=smaller, turns=turns)
        if is_turned or (is_turned is not None and target.stat().st_size < path.stat().st_size):
            target.replace(path)
            return _UPRIGHT if is_turned else orientation
    except Exception as error:  # decoders raise arbitrary errors; the original stays
        if is_machine_error(error):
            raise
    finally:
        target.unlink(missing_ok=True)
    return orientation


def _encode(path: Path, kind: str, target: Path, *, smaller: bool, turns: bool) -> bool | None:
    """Write the image to `target`; return whether it is turned, or None if the original must stay."""
    with open_image(path, kind) as image:
        pixels = image.width * image.height
        turns = turns and pixels <= MAX_TURNED_PIXELS
        if pixels > MAX_PIXELS[kind] or not (smaller or turns) or not _is_plain(image):
            return None
        options = {**(_SMALLER if smaller else _SAME)[kind], "icc_profile": image.info.get("icc_profile")}
        if kind == "JPEG" and not smaller and isinstance(image, JpegImagePlugin.JpegImageFile):
            options |= {"qtables": image.quantization, "subsampling": JpegImagePlugin.get_sampling(image)}
        transparency = image.info.get("transparency")
        result: Image.Image = image
        if turns or kind == "WEBP":
            result = ImageOps.exif_transpose(image) if turns else image.copy()
            image.close()  # frees its pixels, and those that the decoder of WebP keeps
        result.info = {} if transparency is None else {"transparency": transparency}
        result.save(target, kind, exif=b"", **options)
    return turns


def _is_plain(image: ImageFile.ImageFile) -> bool:
    """Return whether Pillow keeps all of an image: one picture, 8 bits for each channel, known colors."""
    if image.mode not in _MODES or getattr(image, "is_animated", False):
        return False
    is_deep = image.format == "PNG" and any(_DEEP in str(tile[3]) for tile in image.tile)
    return not is_deep and not any(name in image.info for name in _COLORS)
