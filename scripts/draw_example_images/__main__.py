"""Draw the illustrations of `examples/magazine`: layered shapes in one palette, with the same pixels in every run.

Usage: python scripts/draw_example_images [FOLDER]
"""

import sys
from collections.abc import Callable
from pathlib import Path

import lands
import portraits
import waters
from canvas import APRICOT, BLUE, BRICK, CREAM, MIST, NIGHT, PLUM, SAGE, SAND, TEAL, Canvas

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "magazine" / "seed" / "images"

LANDSCAPES: dict[str, tuple[Callable[[Canvas], None], tuple[str, ...]]] = {
    "bread": (lands.bread, (SAND, APRICOT)),
    "canal": (waters.canal, (MIST, SAND, APRICOT)),
    "chart": (waters.chart, (BLUE, NIGHT)),
    "ferry": (waters.ferry, (PLUM, BRICK, SAND)),
    "harbor": (waters.harbor, (TEAL, SAND, APRICOT)),
    "island": (waters.island, (TEAL, MIST, CREAM)),
    "loom": (lands.loom, (NIGHT,)),
    "marsh": (waters.marsh, (APRICOT, CREAM, MIST)),
    "night-train": (lands.night_train, (NIGHT, BLUE, TEAL)),
    "orchard": (lands.orchard, (MIST, CREAM)),
    "pots": (lands.pots, (SAND, MIST)),
    "river": (waters.river, (APRICOT, SAND, CREAM)),
    "station": (lands.station, (BLUE, NIGHT)),
    "winter": (lands.winter, (BLUE, SAGE, CREAM)),
}


def main(folder: Path) -> None:
    """Draw every picture into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (draw, sky) in LANDSCAPES.items():
        canvas = Canvas(1200, 800, *sky)
        draw(canvas)
        canvas.save(folder / f"{name}.jpg")
    for name, (background, *look) in portraits.PORTRAITS.items():
        canvas = Canvas(600, 600, background)
        portraits.portrait(canvas, *look)
        canvas.save(folder / f"{name}.jpg")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
