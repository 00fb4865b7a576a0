"""Transform an image, or a frame of a video, in a worker process, which alone imports Pillow."""

from pathlib import Path

from octavo.content.media.image_sizes import Size
from octavo.content.media.transformations import Rendering
from octavo.content.media.videos import has_frames, read_facts, write_frame


def render_image(source: Path, mime: str, rendering: Rendering, target: Path) -> Size | None:
    """Write the transformed image to `target` and return its size; None for an animation. Raises ApplicationError."""
    from octavo.content.media.image_rendering import render

    if not has_frames(mime):
        return render(source, mime, rendering, target)
    frame = source.with_name(f"{source.name}.jpg")
    try:
        write_frame(source, mime, read_facts(source, mime), frame)
        return render(frame, "image/jpeg", rendering, target)
    finally:
        frame.unlink(missing_ok=True)
