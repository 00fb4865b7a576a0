"""Pictures with water."""

import math

from canvas import APRICOT, BLUE, BRICK, CREAM, MIST, NIGHT, PLUM, SAGE, SAND, TEAL, Canvas, Pen, Point, chance


def sail(canvas: Canvas, x: float, y: float, size: float, cloth: str, hull: str) -> None:
    """Draw a small sailing boat with its reflection."""
    with canvas.paint(cloth) as pen:
        pen.polygon((x - 4, y - size * 1.5), (x - 4, y - 12), (x - size * 0.62, y - 12))
    with canvas.paint(SAND) as pen:
        pen.polygon((x + 5, y - size * 1.2), (x + 5, y - 12), (x + size * 0.48, y - 12))
    with canvas.paint(hull) as pen:
        pen.polygon(
            (x - size * 0.6, y - 6), (x + size * 0.6, y - 6), (x + size * 0.4, y + 16), (x - size * 0.42, y + 16)
        )
    with canvas.paint(cloth, alpha=0.22, blur=2) as pen:
        pen.polygon((x - 4, y + size * 1.1), (x - 4, y + 18), (x - size * 0.6, y + 18))


def harbor(canvas: Canvas) -> None:
    """Sailing boats in front of a low sun."""
    canvas.sun(820, 400, 78)
    canvas.hills(430, 46, (PLUM, BLUE), 2.2, 520)
    canvas.water(480, (APRICOT, TEAL), CREAM, 3)
    with canvas.paint(CREAM, alpha=0.5, blur=6) as pen:
        for row in range(9):
            pen.box(820 - 80 + row * 7, 492 + row * 26, 160 - row * 14, 8, 4)
    sail(canvas, 330, 590, 170, CREAM, BRICK)
    sail(canvas, 610, 530, 88, BRICK, NIGHT)
    sail(canvas, 1010, 560, 116, CREAM, PLUM)
    with canvas.paint((PLUM, NIGHT), within=(640, 800)) as pen:
        pen.polygon((0, 690), (460, 716), (460, 742), (0, 760))
        for x in (40, 170, 300, 430):
            pen.box(x, 650, 18, 160, 4)


def island(canvas: Canvas) -> None:
    """A lighthouse on its rock."""
    canvas.sun(300, 250, 64)
    canvas.mist(430, 150, CREAM, 0.5)
    canvas.water(460, (SAGE, BLUE), CREAM, 9)
    for x, y, size, color in ((180, 462, 200, SAGE), (980, 470, 250, TEAL)):
        with canvas.paint(color, alpha=0.75) as pen:
            pen.polygon(
                (x - size, y),
                (x - size * 0.5, y - 44),
                (x - size * 0.1, y - 70),
                (x + size * 0.5, y - 30),
                (x + size, y),
            )
    with canvas.paint((TEAL, NIGHT), within=(400, 640)) as pen:
        pen.polygon((330, 622), (420, 560), (500, 500), (600, 460), (690, 470), (760, 520), (880, 570), (960, 624))
        pen.oval(645, 622, 318, 26)
    with canvas.paint((CREAM, MIST), within=(240, 480)) as pen:
        pen.polygon((618, 262), (662, 262), (678, 474), (602, 474))
    with canvas.paint(BRICK) as pen:
        pen.polygon((613, 325), (667, 325), (671, 375), (609, 375))
        pen.polygon((606, 425), (674, 425), (678, 474), (602, 474))
        pen.polygon((608, 222), (640, 192), (672, 222))
    with canvas.paint(NIGHT) as pen:
        pen.box(606, 254, 68, 9, 3)
        pen.box(618, 222, 44, 32)
    with canvas.paint(SAND) as pen:
        pen.box(626, 226, 28, 26, 3)
    with canvas.paint(CREAM, alpha=0.35, blur=9) as pen:
        pen.polygon((654, 238), (1200, 120), (1200, 300))
        pen.polygon((626, 238), (0, 150), (0, 290))
    with canvas.paint(CREAM) as pen:
        pen.box(706, 468, 74, 40)
    with canvas.paint(BRICK) as pen:
        pen.polygon((698, 470), (743, 436), (788, 470))


def river(canvas: Canvas) -> None:
    """A river that winds out of the hills."""
    canvas.sun(760, 230, 80)
    canvas.hills(330, 60, (SAGE, SAGE), 1.2, 500)
    canvas.mist(390, 90)
    canvas.hills(420, 60, (TEAL, SAGE), 4.4, 620)
    canvas.hills(510, 44, (SAGE, TEAL), 2.7, 720)
    with canvas.paint((CREAM, TEAL), within=(500, 800)) as pen:
        left: list[Point] = []
        right: list[Point] = []
        for step in range(61):
            near = step / 60
            middle = 690 + math.sin(near * 7.2 + 0.6) * (60 + 200 * near) - 120 * near
            reach = 5 + 190 * near**1.7
            left.append((middle - reach, 505 + near * 300))
            right.append((middle + reach, 505 + near * 300))
        pen.polygon(*left, *reversed(right))
    with canvas.paint((TEAL, NIGHT), within=(480, 800)) as pen:
        for index in range(26):
            x = chance(index * 2.9) * 1200
            y = 560 + chance(index * 4.7) * 60
            if not 480 < x < 900:
                size = 40 + chance(index) * 54
                pen.oval(x, y - size * 0.7, size * 0.3, size * 0.62)
                pen.box(x - 2, y - size * 0.4, 4, size * 0.55)
    canvas.hills(770, 46, (NIGHT, NIGHT), 5.5, 520)


def canal(canvas: Canvas) -> None:
    """A row of gabled houses and a barge."""
    canvas.sun(960, 190, 58)
    fronts = (BRICK, CREAM, TEAL, APRICOT, PLUM, SAND, BLUE, BRICK, SAGE)
    canvas.water(560, (TEAL, NIGHT), SAND, 5, 30)
    for index, color in enumerate(fronts):
        x, width = index * 136 - 14, 132
        top = 250 + chance(index * 7.7) * 120
        with canvas.paint(color, alpha=0.28, blur=4) as pen:
            pen.box(x, 562, width, (560 - top) * 0.62)
        with canvas.paint(color) as pen:
            pen.box(x, top, width, 562 - top)
            gable(pen, index % 3, x, top, width)
        light = SAND if color not in (SAND, CREAM) else BLUE
        with canvas.paint(light, alpha=0.85) as pen:
            for row in range(int((520 - top) // 74)):
                for column in range(3):
                    if chance(index * 31 + row * 5 + column) > 0.2:
                        pen.box(x + 18 + column * 37, top + 26 + row * 74, 22, 42, 3)
            pen.box(x + 53, 506, 28, 54, 12)
    with canvas.paint(NIGHT) as pen:
        pen.box(0, 556, 1200, 14)
    with canvas.paint((BRICK, PLUM), within=(640, 720)) as pen:
        pen.polygon((330, 650), (790, 650), (760, 706), (372, 706))
        pen.box(430, 612, 220, 44, 6)
    with canvas.paint(SAND) as pen:
        for x in range(446, 640, 50):
            pen.box(x, 622, 30, 20, 4)


def gable(pen: Pen, kind: int, x: float, top: float, width: float) -> None:
    """Draw the upper end of a house: pointed, stepped or round."""
    if kind == 0:
        pen.polygon((x, top), (x + width / 2, top - 66), (x + width, top))
    elif kind == 1:
        for step in range(3):
            pen.box(x + step * 20, top - 24 * (step + 1), width - step * 40, 25)
    else:
        pen.oval(x + width / 2, top, width / 2 - 14, 52)


def marsh(canvas: Canvas) -> None:
    """A heron among reeds."""
    canvas.sun(420, 270, 92, SAND)
    canvas.hills(390, 24, (SAGE, MIST), 1.9, 700)
    canvas.water(430, (MIST, TEAL), CREAM, 14)
    canvas.mist(430, 150, CREAM, 0.6)
    with canvas.paint((TEAL, NIGHT), within=(420, 800)) as pen:
        for index in range(150):
            x = chance(index * 1.7) * 1240 - 20
            if not 560 < x < 960 or index % 9 == 0:
                height = 150 + chance(index * 3.1) * 280
                lean = (chance(index * 5.9) - 0.4) * 70
                pen.line((x, 810), (x + lean * 0.3, 810 - height * 0.6), (x + lean, 810 - height), width=3)
                if index % 3 == 0:
                    pen.oval(x + lean, 810 - height, 6, 26)
    with canvas.paint(NIGHT) as pen:
        pen.line((742, 640), (742, 520), width=5)
        pen.line((764, 640), (760, 520), width=5)
    with canvas.paint((BLUE, NIGHT), within=(280, 540)) as pen:
        pen.polygon((690, 470), (760, 440), (812, 480), (800, 520), (736, 536), (640, 556))
        pen.line((796, 490), (822, 440), (792, 380), (806, 336), width=17)
        pen.oval(812, 330, 24, 16)
    with canvas.paint(APRICOT) as pen:
        pen.polygon((826, 322), (904, 338), (826, 340))
    with canvas.paint(CREAM, alpha=0.35, blur=3) as pen:
        for row in range(4):
            pen.oval(752, 642 + row * 10, 60 + row * 34, 3)


def ferry(canvas: Canvas) -> None:
    """A small steamer in the evening."""
    canvas.sun(880, 330, 110, APRICOT)
    canvas.hills(440, 50, (PLUM, BRICK), 5.2, 640)
    canvas.water(470, (BRICK, NIGHT), SAND, 21, 60)
    with canvas.paint(NIGHT, alpha=0.4, blur=8) as pen:
        pen.oval(560, 626, 360, 22)
    with canvas.paint((NIGHT, PLUM), within=(520, 620)) as pen:
        pen.polygon((190, 530), (960, 530), (900, 616), (262, 616))
    with canvas.paint(CREAM) as pen:
        pen.box(270, 456, 560, 78, 8)
        pen.box(350, 396, 360, 64, 8)
        pen.polygon((640, 396), (700, 340), (740, 340), (740, 396))
    with canvas.paint(BRICK) as pen:
        pen.polygon((440, 396), (456, 300), (526, 300), (526, 396))
        pen.box(196, 548, 752, 10)
    with canvas.paint(NIGHT) as pen:
        pen.box(452, 298, 76, 20)
    with canvas.paint(BLUE) as pen:
        for x in range(292, 800, 50):
            pen.oval(x + 12, 496, 13)
        for x in range(372, 690, 44):
            pen.box(x, 414, 28, 24, 4)
    with canvas.paint(CREAM, alpha=0.4, blur=12) as pen:
        for step in range(7):
            pen.oval(480 - step * 56, 268 - step * 22, 24 + step * 10, 16 + step * 6)
    with canvas.paint(CREAM, alpha=0.6, blur=2) as pen:
        for step in range(5):
            pen.box(120 - step * 20, 620 + step * 16, 220 + step * 40, 5, 3)


def chart(canvas: Canvas) -> None:
    """A chart of an archipelago: depth lines around three islands."""
    peaks = ((380, 330, 1.0, 0.3), (820, 500, 1.25, 2.1), (880, 170, 0.62, 4.0), (240, 660, 0.5, 5.1))
    rings = ((250, TEAL), (205, SAGE), (165, MIST), (130, SAND), (92, APRICOT), (54, BRICK))
    for reach, color in rings:
        with canvas.paint(color) as pen:
            for x, y, size, seed in peaks:
                pen.polygon(*coast(x, y, reach * size, seed))
    with canvas.paint(CREAM, alpha=0.28) as pen:
        for x in range(150, 1200, 150):
            pen.line((x, 0), (x, 800), width=1.5)
        for y in range(100, 800, 150):
            pen.line((0, y), (1200, y), width=1.5)
    with canvas.paint(CREAM) as pen:
        for step in range(34):
            near = step / 33
            pen.oval(400 + near * 420, 470 + math.sin(near * 5.4) * 66 + near * 20, 4)
    with canvas.paint(CREAM) as pen:
        for turn in range(8):
            angle = math.radians(turn * 45)
            reach = 82 if turn % 2 == 0 else 46
            side = angle + math.pi / 2
            pen.polygon((1070 + math.cos(angle) * reach, 670 + math.sin(angle) * reach),
                        (1070 + math.cos(side) * 11, 670 + math.sin(side) * 11),
                        (1070 - math.cos(side) * 11, 670 - math.sin(side) * 11))  # fmt: skip
    with canvas.paint(BRICK) as pen:
        pen.oval(1070, 670, 8)


def coast(x: float, y: float, reach: float, seed: float) -> list[Point]:
    """Return the outline of an island, or of one of its depth lines."""
    points = []
    for turn in range(0, 360, 4):
        angle = math.radians(turn)
        wave = 1 + 0.16 * math.sin(angle * 3 + seed) + 0.1 * math.sin(angle * 5 + seed * 3) + 0.05 * math.cos(angle * 9)
        points.append((x + math.cos(angle) * reach * wave * 1.18, y + math.sin(angle) * reach * wave * 0.92))
    return points
