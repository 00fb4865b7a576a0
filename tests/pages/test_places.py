"""Every page: nobody is kept out of it, in both themes and at each width, and every control has a name."""

import pytest

from tests.pages.desk import AXE, Desk
from tests.pages.places import PLACES, THEMES, WIDTHS, visit


@pytest.mark.skipif(not AXE.is_file(), reason="NO AXE: `make pages` installs it")
def test_nobody_is_kept_out_of_any_page(desk: Desk) -> None:
    found = []
    for name, place in PLACES.items():
        visit(desk, place)
        for theme in THEMES:
            desk.theme(theme)
            desk.settle()
            found += [f"{name}, {theme}: {barrier}" for barrier in desk.barriers()]
    assert not found, "\n".join(sorted({one[:260].replace("\n", " ") for one in found}))


def test_pages_fit_their_windows_and_name_their_controls(desk: Desk) -> None:
    found = []
    for name, place in PLACES.items():
        visit(desk, place)
        for width in WIDTHS:
            desk.size(width)
            desk.settle()
            found += [f"{name} is wider than {width}"] if desk.overflows() else []
        found += [f"{name}: {control} without a name" for control in desk.nameless()]
    desk.size(1400)
    assert not found, "\n".join(sorted({one[:260].replace("\n", " ") for one in found}))
