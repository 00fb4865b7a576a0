"""Transform an image, and extract the poster of a video, in a worker process, which alone imports Pillow."""

from pathlib import Path

from octavo.content.media.image_sizes import Size
from octavo.content.media.transformations import Rendering
from octavo.content.media.videos import read_facts, write_frame


def render_image(source: Path, mime: str, rendering: Rendering, target: Path) -> Size | None:
    """Write the transformed image to `target` and return its size; None for an animation. Raises ApplicationError."""
    from octavo.content.media.image_rendering import render

    return render(source, mime, rendering, target)


def extract_poster(source: Path, mime: str, target: Path) -> None:
    """Write a frame of a video to `target` as a JPEG. Raises ApplicationError."""
    frame = source.with_name(f"{source.name}.jpg")  # ffmpeg needs a name that ends like this
    try:
        write_frame(source, mime, read_facts(source, mime), frame)
        frame.replace(target)
    finally:
        frame.unlink(missing_ok=True)
