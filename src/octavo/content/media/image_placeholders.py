"""Create the blurred placeholder of an image or video: a ThumbHash, and a tiny WebP image in a data URL.

Runs in a worker.
"""

import base64
import io
from pathlib import Path
from typing import Final

import orjson
from PIL import Image, ImageOps

from octavo.content.media.image_errors import is_machine_error
from octavo.content.media.image_formats import check_memory, open_image, orientation_of
from octavo.content.media.image_structure import check_structure
from octavo.content.media.thumbhash import thumbhash
from octavo.content.media.transformations import KINDS
from octavo.content.media.videos import VIDEO, read_facts, write_frame
from octavo.core.errors import ApplicationError

_HASHED_SIDE: Final = 32
_SHOWN_SIDE: Final = 16
_MOST_PIXELS: Final = 16_000_000
"""Larger images without smaller formats get no placeholder. It would take longer than the rest of the upload."""


def create_placeholder(path: Path, mime: str) -> str | None:
    """Return the placeholder as JSON text; None for files that are not images, and for damaged or large ones."""
    if mime not in KINDS:
        return None
    try:
        check_structure(path, mime)
        with open_image(path, KINDS[mime]) as image:
            pixels = image.width * image.height
            if pixels > _MOST_PIXELS:
                return None
            check_memory(image, pixels)
            orientation = orientation_of(image)
            image.thumbnail((2 * _HASHED_SIDE, 2 * _HASHED_SIDE))
            small = _in_color(image if orientation == 1 else ImageOps.exif_transpose(image))
    except Exception as error:  # decoders raise arbitrary errors for broken files
        if is_machine_error(error):
            raise
        return None
    return _describe(small)


def describe_video(path: Path, mime: str) -> str | None:
    """Return the placeholder of a frame of a video as JSON text, with the facts about the video.

    Returns None for damaged videos.
    """
    frame = path.with_name(f"{path.name}.frame.jpg")
    try:
        facts = read_facts(path, mime)
        write_frame(path, mime, facts, frame)
        placeholder = create_placeholder(frame, "image/jpeg")
    except ApplicationError:
        return None
    finally:
        frame.unlink(missing_ok=True)
    video = {"width": facts.frame.width, "height": facts.frame.height, "duration": facts.duration}
    return None if placeholder is None else orjson.dumps({**orjson.loads(placeholder), VIDEO: video}).decode()


def _in_color(image: Image.Image) -> Image.Image:
    if image.mode.startswith("I"):  # 16 bits for each pixel
        image = image.point(lambda value: value / 256).convert("L")
    return image.convert("RGBA")


def _describe(image: Image.Image) -> str:
    hashed, shown = (_within(image, side) for side in (_HASHED_SIDE, _SHOWN_SIDE))
    written = io.BytesIO()
    shown.save(written, "WEBP", quality=30, method=6)
    placeholder = {
        "url": f"data:image/webp;base64,{base64.b64encode(written.getvalue()).decode()}",
        "width": shown.width,
        "height": shown.height,
        "thumbhash": base64.b64encode(thumbhash(hashed.width, hashed.height, hashed.tobytes())).decode(),
    }
    return orjson.dumps(placeholder).decode()


def _within(image: Image.Image, side: int) -> Image.Image:
    scale = side / max(image.size)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BILINEAR)
