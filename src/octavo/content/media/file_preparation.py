"""Prepare an uploaded file in a worker: measure an image, create its formats, and remove metadata."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from octavo.content.media.box_metadata import FIRST_BOXES
from octavo.content.media.image_sizes import Measured
from octavo.content.media.videos import has_frames
from octavo.core.values import dataclass

_TYPES_WITH_METADATA = ("image/", "video/", "audio/", "application/mp4")


@dataclass(frozen=True, slots=True)
class Preparation:
    """What to do with a file: the formats to create, by name and maximum width or height, beside a thumbnail; whether
    a file that starts like an image must be one; whether to keep metadata; whether to compress images and to turn them
    upright; whether videos get a placeholder; whether HEIC images get formats."""

    breakpoints: Mapping[str, int]
    check_images: bool = False
    keep_notes: bool = False
    smaller: bool = False
    upright: bool = False
    describes_videos: bool = False
    heic_formats: bool = False


def prepared_type(types: Iterable[str], head: bytes) -> str | None:
    """Return the first of a file's possible types that has a size or metadata; None if the file needs no preparation.

    `head`: the first bytes. Videos and raw files of cameras are often sent without their type.
    """
    mime_type = next((mime for mime in types if mime.startswith(_TYPES_WITH_METADATA)), None)
    return mime_type or ("application/mp4" if head[4:8] in FIRST_BOXES else None)


def prepare_file(path: Path, mime: str, preparation: Preparation) -> Measured:
    """Measure a file, write its formats beside it, and remove its metadata in place. Raises ApplicationError."""
    from octavo.content.media.image_formats import process_image  # Pillow is only for workers
    from octavo.content.media.image_metadata import remove_notes
    from octavo.content.media.image_optimization import optimize_image

    checks = {"check": preparation.check_images, "heic": preparation.heic_formats}
    measured = process_image(path, mime, preparation.breakpoints, path, **checks)
    if not measured.is_too_large and (preparation.describes_videos or not has_frames(mime)):
        measured = replace(measured, placeholder=_placeholder(measured, path, mime))
    if preparation.keep_notes:
        return measured
    if not measured.is_too_large:
        choices = {"smaller": preparation.smaller, "upright": preparation.upright}
        measured = replace(measured, orientation=optimize_image(path, mime, measured.orientation, **choices))
    remove_notes(path, mime, measured.orientation)
    return measured


def _placeholder(measured: Measured, path: Path, mime: str) -> str | None:
    """Return the placeholder of a file, from its smallest format if there is one."""
    smallest = measured.smallest
    if smallest is None:
        return describe_placeholder(path, mime)
    return describe_placeholder(smallest.path, smallest.mime or mime)


def describe_placeholder(path: Path, mime: str) -> str | None:
    """Return the placeholder of an image or a video as JSON text; None for other files."""
    from octavo.content.media.image_placeholders import create_placeholder, describe_video  # Pillow is only for workers

    return describe_video(path, mime) if has_frames(mime) else create_placeholder(path, mime)


def clean_file(path: Path, mime: str) -> bool:
    """Remove metadata from a file in place; return whether there was any."""
    from octavo.content.media.image_formats import read_orientation  # Pillow is only for workers
    from octavo.content.media.image_metadata import remove_notes

    return remove_notes(path, mime, read_orientation(path, mime))
