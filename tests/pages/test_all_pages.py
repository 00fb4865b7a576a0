"""Every page: accessible in both themes and at each width, and every control has a name."""

from collections.abc import Iterator

import pytest

from tests.cli.processes import Server, serving
from tests.pages.desk import Desk
from tests.pages.places import THEMES, WIDTHS, everywhere
from tests.pages.sample import FIRST, magazine


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the sample project with every request counted as slow, so that the list of slow requests is not empty."""
    project = magazine(tmp_path_factory.mktemp("pages"))
    with serving("develop", project, "--seed", **FIRST, OCTAVO_SERVER__METRICS__SLOW_THRESHOLD="0") as server:
        yield server


def test_every_page_is_accessible(desk: Desk) -> None:
    def look() -> list[str]:
        found = []
        for theme in THEMES:
            desk.theme(theme)
            desk.settle()
            found += [f"{theme}: {barrier}" for barrier in desk.barriers()]
        return found

    assert everywhere(desk, look) == ""


def test_pages_fit_their_windows_and_name_their_controls(desk: Desk) -> None:
    def look() -> list[str]:
        found = []
        for width in WIDTHS:
            desk.size(width)
            desk.settle()
            found += [f"wider than {width}"] if desk.overflows() else []
        return found + [f"{control} without a name" for control in desk.nameless()]

    found = everywhere(desk, look)
    assert found == ""
