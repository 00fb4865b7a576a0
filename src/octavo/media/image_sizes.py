"""What is known of an image: its size, and the smaller formats made of it."""

import math
from dataclasses import dataclass
from pathlib import Path


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
