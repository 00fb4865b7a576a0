"""Faces made of a few plain shapes."""

import math

from canvas import APRICOT, BLUE, BRICK, CREAM, MIST, NIGHT, PLUM, SAGE, SAND, TEAL, Canvas

# Name: background, skin, hair, clothes, and hairstyle.
PORTRAITS: dict[str, tuple[str, str, str, str, str]] = {
    "portrait-ines": (SAND, "#d9a27a", PLUM, TEAL, "bob"),
    "portrait-jonas": (SAGE, "#f0cba6", BRICK, NIGHT, "beard"),
    "portrait-maelle": (APRICOT, "#8f5a3c", NIGHT, CREAM, "curls"),
    "portrait-oskar": (TEAL, "#e9bd95", MIST, BRICK, "cap"),
    "portrait-ruth": (PLUM, "#f3d3b3", MIST, APRICOT, "bun"),
    "portrait-tariq": (BLUE, "#b67b54", NIGHT, SAND, "short"),
}


def portrait(canvas: Canvas, skin: str, hair: str, clothes: str, style: str) -> None:
    """Draw a face."""
    with canvas.paint(CREAM, alpha=0.28) as pen:
        pen.oval(300, 290, 236)
    hair_behind(canvas, hair, style)
    with canvas.paint(clothes) as pen:
        pen.box(106, 456, 388, 260, 130)
    with canvas.paint(skin) as pen:
        pen.box(256, 370, 88, 126, 44)
        pen.oval(300, 284, 104, 126)
    with canvas.paint(NIGHT, alpha=0.16) as pen:
        pen.polygon((256, 392), (344, 392), (344, 410), (300, 436), (256, 418))
    with canvas.paint(skin) as pen:
        pen.oval(300, 284, 104, 126)
    hair_before(canvas, hair, style)
    with canvas.paint(NIGHT) as pen:
        pen.oval(262, 290, 7, 9)
        pen.oval(338, 290, 7, 9)
    with canvas.paint(NIGHT, alpha=0.28) as pen:
        pen.polygon((300, 286), (318, 334), (292, 334))
    with canvas.paint(BRICK, alpha=0.85) as pen:
        pen.polygon((270, 360), (330, 360), (318, 371), (300, 375), (282, 371))


def hair_behind(canvas: Canvas, hair: str, style: str) -> None:
    """Draw the hair behind the face."""
    with canvas.paint(hair) as pen:
        if style == "bob":
            pen.box(176, 146, 248, 274, 118)
        elif style == "curls":
            for turn in range(150, 391, 20):
                pen.oval(300 + math.cos(math.radians(turn)) * 126, 250 + math.sin(math.radians(turn)) * 120, 48)
        elif style == "bun":
            pen.oval(300, 116, 56)
            pen.oval(300, 254, 120, 128)


def hair_before(canvas: Canvas, hair: str, style: str) -> None:
    """Draw the hair over the face, and what is worn on it."""
    if style == "beard":
        with canvas.paint(hair) as pen:
            pen.polygon((195, 276), (214, 322), (258, 346), (300, 338), (342, 346), (386, 322), (405, 276), (400, 366),
                        (352, 428), (300, 442), (248, 428), (200, 366))  # fmt: skip
    if style == "cap":
        with canvas.paint(hair) as pen:
            pen.polygon((193, 240), (200, 330), (214, 330), (222, 240))
            pen.polygon((407, 240), (400, 330), (386, 330), (378, 240))
        with canvas.paint(NIGHT) as pen:
            pen.box(190, 134, 220, 140, 100)
            pen.box(190, 236, 220, 60, cut=True)
            pen.box(176, 222, 248, 30, 15)
        return
    with canvas.paint(hair) as pen:
        pen.oval(300, 244, 112, 100)
        if style == "bob":
            pen.polygon((180, 262), (424, 262), (424, 400), (180, 400), cut=True)
            pen.polygon((204, 262), (396, 262), (380, 220), (204, 300))
            return
        pen.oval(322 if style == "short" else 300, 318, 106, 92, cut=True)
        pen.box(150, 330, 300, 120, cut=True)
