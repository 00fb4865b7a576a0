"""Sizes of images: which smaller formats an image gets, and what is known of it afterwards."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from octavo.core.values import dataclass

THUMBNAIL: Final = (245, 156)
"""Width and height within which thumbnails lie, in pixels."""


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height as shown, in pixels."""

    width: int
    height: int

    def within(self, width: int, height: int) -> "Size":
        """The largest size of the same proportions that fits. Rounded as the reference does; nothing vanishes."""
        scale = 1 / max(self.width / width, self.height / height)
        return Size(*(max(1, math.floor(length * scale + 0.5)) for length in (self.width, self.height)))

    def exceeds(self, width: int, height: int) -> bool:
        return self.width > width or self.height > height


Wanted = list[tuple[str, Size]]


def wanted_formats(size: Size, breakpoints: Mapping[str, int]) -> Wanted:
    """Name the formats to make of an image: those that are smaller than it is."""
    bounds = {"thumbnail": THUMBNAIL, **{name: (length, length) for name, length in breakpoints.items()}}
    return [(name, size.within(*bound)) for name, bound in bounds.items() if size.exceeds(*bound)]


@dataclass(frozen=True, slots=True)
class Format:
    """One format made of an image."""

    name: str
    path: Path
    size: Size


@dataclass(frozen=True, slots=True)
class Measured:
    """What an image turned out to be: its size where it has one, the formats made of it, how cameras want it turned."""

    size: Size | None = None
    formats: tuple[Format, ...] = ()
    orientation: int = 1
