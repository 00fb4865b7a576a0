"""What is measured of the pages works; requests of a first list, which are bounded whatever the load of the machine."""

from pathlib import Path

from benchmarks.pages import GOALS, measure, table_of
from benchmarks.pages_data import make_project
from tests.browser import Page

FIRST_REQUESTS = 26
"""The page, its files, who is there and what they may, what the list and the side bar show (18); and files that an idle
browser loads ahead, which may come before a slow one has painted the list."""


def test_the_pages_are_measured(page: Page, tmp_path: Path) -> None:
    make_project(tmp_path / "magazine", 100, lambda done, total: None)
    found = measure(page, tmp_path / "magazine", 1)
    assert list(found) == list(GOALS)
    assert all(len(taken) == 1 and taken[0].painted > 0 for taken in found.values())
    cold, warm = found["first list, nothing kept"][0], found["first list, files kept"][0]
    assert warm.requests < cold.requests <= FIRST_REQUESTS
    assert found["entry to list"][0].kilobytes == 0
    assert table_of(found).row_count == len(GOALS)
