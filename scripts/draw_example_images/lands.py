"""Pictures of land, and of things on shelves and tables."""

import math

from canvas import (
    APRICOT,
    BLUE,
    BRICK,
    CREAM,
    MIST,
    NIGHT,
    PLUM,
    SAGE,
    SAND,
    TEAL,
    WOOD,
    Canvas,
    Pen,
    Point,
    chance,
    ridge_height,
)


def fir(pen: Pen, x: float, y: float, size: float) -> None:
    """Draw a fir tree at a place."""
    for part in range(3):
        half, top = size * (0.2 + part * 0.07), y - size * (1 - part * 0.24)
        pen.polygon((x, top), (x + half, top + size * 0.42), (x - half, top + size * 0.42))
    pen.box(x - size * 0.03, y - size * 0.12, size * 0.06, size * 0.14)


def night_train(canvas: Canvas) -> None:
    """A lit train on a viaduct under a new moon."""
    canvas.stars(420)
    with canvas.paint(SAND, alpha=0.3, blur=40) as pen:
        pen.oval(930, 190, 90)
    with canvas.paint(SAND) as pen:
        pen.oval(930, 190, 62)
        pen.oval(960, 172, 56, cut=True)
    canvas.hills(400, 90, (BLUE, TEAL), 0.4, 600)
    canvas.hills(500, 60, (TEAL, NIGHT), 3.1, 380)
    with canvas.paint((PLUM, NIGHT), within=(560, 800)) as pen:
        pen.box(0, 560, 1200, 240)
        for x in range(-60, 1260, 170):
            pen.box(x, 620, 126, 260, 63, cut=True)
    canvas.mist(770, 120, MIST, 0.28)
    with canvas.paint((BRICK, PLUM), within=(484, 556)) as pen:
        for x in (-90, 190, 470):
            pen.box(x, 484, 272, 68, 9)
        pen.polygon((750, 484), (960, 484), (1016, 520), (1024, 552), (750, 552))
    with canvas.paint(SAND) as pen:
        for x in range(-70, 720, 280):
            for step in range(5):
                pen.box(x + step * 49 - 4, 500, 32, 24, 5)
        pen.polygon((950, 497), (968, 497), (994, 522), (950, 522))
    with canvas.paint(SAND, alpha=0.4, blur=26) as pen:
        pen.polygon((1018, 530), (1230, 480), (1230, 610))
    with canvas.paint(NIGHT) as pen:
        pen.box(0, 552, 1200, 10)


def bread(canvas: Canvas) -> None:
    """A loaf on a board, and ears of rye in a bottle."""
    with canvas.paint((WOOD, PLUM), within=(540, 800)) as pen:
        pen.box(0, 540, 1200, 260)
    with canvas.paint(CREAM, alpha=0.3, blur=50) as pen:
        pen.oval(820, 240, 260)
    with canvas.paint(NIGHT, alpha=0.5, blur=18) as pen:
        pen.oval(600, 668, 400, 34)
    with canvas.paint((SAND, MIST), within=(600, 680)) as pen:
        pen.box(170, 622, 860, 46, 22)
    with canvas.paint((APRICOT, WOOD), within=(300, 640)) as pen:
        pen.oval(560, 500, 330, 205)
        pen.box(200, 632, 740, 120, cut=True)
    with canvas.paint((CREAM, SAND), within=(310, 520)) as pen:
        for step in range(4):
            x = 350 + step * 124
            pen.polygon((x, 500 - step % 3 * 20), (x + 92, 352), (x + 122, 360), (x + 44, 505 - step % 3 * 20))
    with canvas.paint(BRICK, alpha=0.35, blur=30) as pen:
        pen.oval(560, 618, 300, 30)
    with canvas.paint((SAGE, TEAL), within=(420, 632)) as pen:
        pen.box(905, 470, 110, 156, 34)
        pen.box(938, 420, 44, 70, 10)
    with canvas.paint(BRICK) as pen:
        for lean in (-46, 8, 58):
            pen.line((960, 430), (960 + lean * 0.4, 330), (960 + lean, 210), width=3)
            for step in range(6):
                ear, y = 960.0 + lean * (0.55 + step * 0.09), 300 - step * 19
                pen.oval(ear - 9, y, 6, 13)
                pen.oval(ear + 9, y - 8, 6, 13)


def loom(canvas: Canvas) -> None:
    """Bands of woven cloth, two over and two under."""
    colors = (BRICK, SAND, TEAL, CREAM, PLUM, APRICOT, BLUE, SAND, SAGE)
    step = 50
    for column in range(26):
        with canvas.paint(colors[column // 3 % len(colors)]) as pen:
            pen.box(column * step - 30, 0, step - 7, 800, 6)
    for row in range(17):
        color = colors[(row // 2 * 2 + 3) % len(colors)]
        with canvas.paint(NIGHT, alpha=0.25, blur=3) as shadow:
            for column in range(26):
                if (column + row) % 4 < 2:
                    shadow.box(column * step - 35, row * step - 24, step + 3, step - 3, 8)
        with canvas.paint(color) as pen:
            for column in range(26):
                if (column + row) % 4 < 2:
                    pen.box(column * step - 35, row * step - 26, step + 3, step - 9, 8)
        with canvas.paint(CREAM, alpha=0.16) as pen:
            for column in range(26):
                if (column + row) % 4 < 2:
                    pen.box(column * step - 31, row * step - 20, step - 5, 7, 3)


def pots(canvas: Canvas) -> None:
    """Two shelves of pots."""
    with canvas.paint(CREAM, alpha=0.5, blur=60) as pen:
        pen.oval(330, 200, 280, 200)
    for y in (420, 720):
        with canvas.paint(PLUM, alpha=0.25, blur=10) as pen:
            pen.box(60, y + 14, 1080, 30)
        with canvas.paint((WOOD, PLUM), within=(y, y + 26)) as pen:
            pen.box(60, y, 1080, 24, 3)
    shelf = (
        (170, 420, 76, 200, BRICK),
        (370, 420, 110, 150, SAGE),
        (600, 420, 62, 240, BLUE),
        (800, 420, 96, 130, SAND),
        (1010, 420, 80, 220, PLUM),
        (190, 720, 104, 150, TEAL),
        (420, 720, 70, 220, APRICOT),
        (640, 720, 112, 140, PLUM),
        (850, 720, 64, 230, MIST),
        (1030, 720, 90, 170, BRICK),
    )
    for index, (x, y, half, height, color) in enumerate(shelf):
        pot(canvas, x, y, half, height, color, index)


def pot(canvas: Canvas, x: float, y: float, half: float, height: float, color: str, index: int) -> None:
    """Draw a pot: its outline, mirrored at its axis."""
    outline: list[Point] = []
    for step in range(41):
        up = step / 40
        belly = math.sin(math.pi * min(1, up * (0.82 + 0.16 * (index % 3))) ** 0.8)
        lip = 0.12 * max(0, up - 0.86) / 0.14
        outline.append((half * (0.38 + 0.58 * belly + lip), y - height * up))
    shape = [(x - reach, row) for reach, row in outline] + [(x + reach, row) for reach, row in reversed(outline)]
    with canvas.paint(color) as pen:
        pen.polygon(*shape)
    with canvas.paint(CREAM, alpha=0.3) as pen:
        pen.polygon(*[(x - reach * 0.72, row) for reach, row in outline[4:36]],
                    *[(x - reach * 0.5, row) for reach, row in reversed(outline[4:36])])  # fmt: skip
    with canvas.paint(NIGHT if index % 2 else CREAM, alpha=0.5) as pen:
        for at in (20, 23) if index % 3 else (16,):
            reach, row = outline[at]
            pen.box(x - reach, row, reach * 2, 6)


def winter(canvas: Canvas) -> None:
    """A cabin in the snow."""
    canvas.sun(240, 220, 60)
    canvas.hills(360, 110, (SAGE, CREAM), 0.9, 420)
    canvas.mist(440, 110, CREAM, 0.6)
    with canvas.paint((TEAL, BLUE), within=(340, 620), alpha=0.8) as pen:
        for index in range(34):
            x = index * 37 + chance(index) * 20
            fir(pen, x, ridge_height(x, 500, 44, 2.6, 560) + 16, 60 + chance(index * 3.3) * 60)
    canvas.hills(500, 44, (CREAM, MIST), 2.6, 560)
    with canvas.paint((BRICK, PLUM), within=(470, 600)) as pen:
        pen.box(700, 512, 150, 84)
    with canvas.paint(CREAM) as pen:
        pen.polygon((680, 520), (775, 446), (870, 520))
    with canvas.paint(SAND) as pen:
        pen.box(722, 538, 30, 30, 3)
        pen.box(798, 538, 30, 30, 3)
    with canvas.paint(CREAM, alpha=0.55, blur=8) as pen:
        for step in range(5):
            pen.oval(826 + step * 16, 440 - step * 34, 9 + step * 5, 13 + step * 5)
    canvas.hills(640, 40, (CREAM, SAGE), 4.3, 640)
    with canvas.paint((BLUE, NIGHT), within=(400, 800)) as pen:
        for x, y, size in ((110, 730, 290), (230, 770, 210), (1060, 740, 300), (960, 780, 180), (1160, 790, 220)):
            fir(pen, x, y, size)
    with canvas.paint(CREAM, alpha=0.75) as pen:
        for index in range(110):
            pen.oval(chance(index * 2.7) * 1200, chance(index * 4.9) * 800, 1.2 + chance(index) * 2.4)


def orchard(canvas: Canvas) -> None:
    """Three rows of apple trees."""
    canvas.sun(980, 190, 66)
    canvas.hills(330, 50, (SAGE, SAGE), 3.6, 560)
    canvas.hills(420, 20, (SAND, SAGE), 1.0, 800)
    for row, (y, size) in enumerate(((450, 62), (545, 100), (690, 160))):
        for index in range(-1, 9):
            x = index * size * 2.1 + row * 50
            seed = row * 20 + index
            with canvas.paint(WOOD) as pen:
                pen.polygon((x - size * 0.07, y), (x - size * 0.04, y - size), (x + size * 0.05, y - size),
                            (x + size * 0.08, y))  # fmt: skip
            crown = (SAGE, TEAL) if seed % 3 else (TEAL, BLUE)
            with canvas.paint(crown, within=(y - size * 1.9, y - size * 0.3)) as pen:
                for dx, dy, radius in ((-0.36, -0.85, 0.42), (0.36, -0.86, 0.44), (0, -1.25, 0.5), (0, -0.8, 0.46)):
                    pen.oval(x + dx * size, y + dy * size, radius * size)
            with canvas.paint(BRICK if seed % 2 else APRICOT) as pen:
                for apple in range(9):
                    turn = apple * 2.4 + seed
                    reach = size * 0.58 * math.sqrt((apple + 0.5) / 9)
                    pen.oval(x + math.cos(turn) * reach, y - size * 0.98 + math.sin(turn) * reach * 0.9, size * 0.055)
        with canvas.paint((SAGE, TEAL), alpha=0.35, within=(y, y + 90)) as pen:
            pen.box(0, y, 1200, 800 - y)


def station(canvas: Canvas) -> None:
    """A station hall with its clock, seen from the track."""
    with canvas.paint((APRICOT, SAND), within=(150, 620)) as pen:
        pen.box(200, 130, 800, 700, 400)
    canvas.sun(600, 420, 76)
    with canvas.paint((TEAL, BLUE), within=(420, 620)) as pen:
        pen.polygon((200, 620), (200, 500), (380, 450), (560, 510), (760, 440), (1000, 520), (1000, 620))
    with canvas.paint(PLUM) as pen:
        for turn in range(0, 181, 20):
            angle = math.radians(turn)
            pen.line((600, 530), (600 - math.cos(angle) * 402, 530 - math.sin(angle) * 402), width=5)
        for reach in (402, 300, 200):
            arc = [(600 - math.cos(math.radians(turn)) * reach, 530 - math.sin(math.radians(turn)) * reach)
                   for turn in range(0, 181, 3)]  # fmt: skip
            pen.line(*arc, width=12 if reach > 400 else 5)
        pen.box(0, 524, 1200, 14)
    with canvas.paint((PLUM, NIGHT), within=(600, 800)) as pen:
        pen.polygon((0, 600), (470, 600), (300, 800), (0, 800))
        pen.polygon((1200, 600), (730, 600), (900, 800), (1200, 800))
    with canvas.paint(NIGHT) as pen:
        pen.polygon((470, 600), (730, 600), (900, 800), (300, 800))
        for x in (60, 1104):
            pen.box(x, 170, 36, 440)
    with canvas.paint(SAND) as pen:
        pen.line((585, 600), (480, 800), width=6)
        pen.line((615, 600), (720, 800), width=6)
        pen.polygon((452, 600), (470, 600), (300, 800), (262, 800))
        pen.polygon((748, 600), (730, 600), (900, 800), (938, 800))
    with canvas.paint(CREAM) as pen:
        pen.oval(600, 258, 62)
    with canvas.paint(NIGHT) as pen:
        pen.line((600, 258), (600, 212), width=6)
        pen.line((600, 258), (630, 276), width=6)
        pen.oval(600, 258, 7)
        pen.box(597, 128, 6, 70)
