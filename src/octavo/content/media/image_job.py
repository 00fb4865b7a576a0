"""Transform an image in a worker process, which alone imports Pillow."""

from pathlib import Path

from octavo.content.media.image_sizes import Size
from octavo.content.media.transformations import Rendering


def render_image(source: Path, mime: str, rendering: Rendering, target: Path) -> Size | None:
    """Write the transformed image to `target` and return its size; None for an animation. Raises ApplicationError."""
    from octavo.content.media.image_rendering import render

    return render(source, mime, rendering, target)
