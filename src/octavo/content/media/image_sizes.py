"""Image sizes: which smaller formats an image gets, and the measured result."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from octavo.core.values import dataclass

THUMBNAIL_NAME: Final = "thumbnail"
THUMBNAIL: Final = (245, 156)
"""Maximum width and height of thumbnails, in pixels."""


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height as displayed, in pixels."""

    width: int
    height: int

    def within(self, width: int, height: int) -> "Size":
        """Return the largest size with the same proportions that fits. Rounded as in Strapi, at least one pixel."""
        scale = 1 / max(self.width / width, self.height / height)
        return Size(*(max(1, math.floor(length * scale + 0.5)) for length in (self.width, self.height)))

    def exceeds(self, width: int, height: int) -> bool:
        return self.width > width or self.height > height


Wanted = list[tuple[str, Size]]


def wanted_formats(size: Size, breakpoints: Mapping[str, int]) -> Wanted:
    """Return the names and sizes of the formats to create: those smaller than the image."""
    bounds = {THUMBNAIL_NAME: THUMBNAIL, **{name: (length, length) for name, length in breakpoints.items()}}
    return [(name, size.within(*bound)) for name, bound in bounds.items() if size.exceeds(*bound)]


@dataclass(frozen=True, slots=True)
class Format:
    """A format created from an image. `mime` and `extension` are those of the image if they are None."""

    name: str
    path: Path
    size: Size
    mime: str | None = None
    extension: str | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured image: its size if known, its formats, and the EXIF orientation.

    `is_too_large`: it has no formats because decoding it would need too much memory. `placeholder`: a blurred picture
    of it, as JSON text.
    """

    size: Size | None = None
    formats: tuple[Format, ...] = ()
    orientation: int = 1
    is_too_large: bool = False
    placeholder: str | None = None

    @property
    def smallest(self) -> Format | None:
        """The smallest format."""
        return min(self.formats, key=lambda made: made.size.width, default=None)
