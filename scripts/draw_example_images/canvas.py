"""A palette, a pen, and a canvas of painted layers."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter

SCALE = 2  # drawn larger, then reduced, for smooth edges
QUALITY = 82

NIGHT = "#16243a"
BLUE = "#2c4766"
TEAL = "#3f6f78"
SAGE = "#86a695"
MIST = "#c9d6c8"
CREAM = "#f8efdd"
SAND = "#eed6a6"
APRICOT = "#eaa766"
BRICK = "#c65f3f"
PLUM = "#5b3850"
WOOD = "#8a5638"

Point = tuple[float, float]
Paint = str | tuple[str, str]


def chance(index: float) -> float:
    """Return a pseudo-random number from 0 to 1, the same for the same index."""
    value = math.sin(index * 12.9898 + 4.1414) * 43758.5453
    return value - math.floor(value)


def gradient(size: tuple[int, int], stops: Sequence[str]) -> Image.Image:
    """Return a vertical gradient through evenly spaced colors."""
    column = Image.new("RGB", (1, len(stops)))
    for row, color in enumerate(stops):
        column.putpixel((0, row), _rgb(color))
    tall = column.resize((1, size[1] * len(stops) // max(1, len(stops) - 1)), Image.Resampling.BILINEAR)
    edge = (tall.height - size[1]) // 2
    return tall.crop((0, edge, 1, edge + size[1])).resize(size)


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


class Pen:
    """Draws on the mask of one layer, in the units of the finished picture."""

    def __init__(self, mask: Image.Image) -> None:
        self._draw = ImageDraw.Draw(mask)

    def polygon(self, *points: Point, cut: bool = False) -> None:
        self._draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=0 if cut else 255)

    def box(self, x: float, y: float, width: float, height: float, radius: float = 0, cut: bool = False) -> None:
        corners = (x * SCALE, y * SCALE, (x + width) * SCALE, (y + height) * SCALE)
        self._draw.rounded_rectangle(corners, radius * SCALE, fill=0 if cut else 255)

    def oval(self, x: float, y: float, across: float, down: float | None = None, cut: bool = False) -> None:
        down = across if down is None else down
        corners = ((x - across) * SCALE, (y - down) * SCALE, (x + across) * SCALE, (y + down) * SCALE)
        self._draw.ellipse(corners, fill=0 if cut else 255)

    def line(self, *points: Point, width: float = 2) -> None:
        scaled = [(x * SCALE, y * SCALE) for x, y in points]
        self._draw.line(scaled, fill=255, width=max(1, round(width * SCALE)), joint="curve")


class Canvas:
    """An unfinished picture. Each layer is a mask through which a color or a gradient is painted."""

    def __init__(self, width: int, height: int, *sky: str) -> None:
        self.width, self.height = width, height
        self._size = (width * SCALE, height * SCALE)
        self._image = gradient(self._size, sky) if len(sky) > 1 else Image.new("RGB", self._size, sky[0])

    @contextmanager
    def paint(self, color: Paint, alpha: float = 1, blur: float = 0, within: Point | None = None) -> Iterator[Pen]:
        """Yield a layer to draw on. Two colors are a gradient over the whole height, or `within` two rows."""
        mask = Image.new("L", self._size)
        yield Pen(mask)
        if blur:
            mask = mask.filter(ImageFilter.GaussianBlur(blur * SCALE))
        if alpha < 1:
            mask = mask.point([round(value * alpha) for value in range(256)])
        self._image.paste(self._source(color, within), (0, 0), mask)

    def _source(self, color: Paint, within: Point | None) -> Image.Image:
        if isinstance(color, str):
            return Image.new("RGB", self._size, color)
        top, bottom = within or (0, self.height)
        source = Image.new("RGB", self._size, color[1])
        source.paste(color[0], (0, 0, self._size[0], round(top * SCALE)))
        part = gradient((self._size[0], round((bottom - top) * SCALE)), color)
        source.paste(part, (0, round(top * SCALE)))
        return source

    def save(self, path: Path) -> None:
        finished = self._image.resize((self.width, self.height), Image.Resampling.LANCZOS)
        finished.save(path, quality=QUALITY, optimize=True, progressive=True)

    def sun(self, x: float, y: float, radius: float, color: str = CREAM) -> None:
        with self.paint(color, alpha=0.45, blur=radius * 0.6) as pen:
            pen.oval(x, y, radius * 1.7)
        with self.paint(color) as pen:
            pen.oval(x, y, radius)

    def hills(self, y: float, swing: float, color: Paint, seed: float, length: float = 420) -> None:
        """Draw a range of soft hills down to the lower edge."""
        with self.paint(color, within=(y - swing, self.height)) as pen:
            ridge = [(x, ridge_height(x, y, swing, seed, length)) for x in range(-8, self.width + 16, 8)]
            pen.polygon((-8, self.height), *ridge, (self.width + 16, self.height))

    def water(self, y: float, color: Paint, shine: str, seed: float, amount: int = 46) -> None:
        """Draw water from a row to the lower edge, with dashes of light that grow towards the viewer."""
        with self.paint(color, within=(y, self.height)) as pen:
            pen.box(0, y, self.width, self.height - y)
        with self.paint(shine, alpha=0.35) as pen:
            for index in range(amount):
                near = chance(seed + index * 3.7) ** 1.4
                row = y + 8 + near * (self.height - y)
                reach = 14 + near * 90 * chance(seed + index)
                pen.box(chance(seed + index * 1.9) * self.width - reach, row, reach * 2, 1.5 + near * 3, 2)

    def stars(self, below: float, amount: int = 90) -> None:
        with self.paint(CREAM, alpha=0.8) as pen:
            for index in range(amount):
                size = 0.8 + chance(index * 5.3) * 1.5
                pen.oval(chance(index * 2.1) * self.width, chance(index * 3.3) ** 1.3 * below, size)

    def mist(self, y: float, height: float, color: str = CREAM, alpha: float = 0.4) -> None:
        with self.paint(color, alpha=alpha, blur=height / 2) as pen:
            pen.box(-200, y - height / 3, self.width + 400, height * 0.66)


def ridge_height(x: float, y: float, swing: float, seed: float, length: float) -> float:
    """Return the height of a range of hills at one place, from three waves."""
    slow = math.sin(x / length * 2.2 + seed)
    middle = math.sin(x / length * 4.1 + seed * 2.3) * 0.45
    return y + swing * (slow + middle + math.sin(x / length * 9.7 + seed * 4.1) * 0.14) / 1.6
