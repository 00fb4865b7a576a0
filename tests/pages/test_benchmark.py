"""The benchmark of the pages works, and the number of requests for a first list is limited."""

from pathlib import Path

from benchmarks.pages import GOALS, measure, table_of
from benchmarks.pages_data import make_project
from tests.browser import Page

FIRST_REQUESTS = 26
"""The page and its files, user and permissions, list and side bar (18), and files that the idle browser preloads, which
can happen before a slow one has rendered the list.
"""


def test_the_pages_are_measured(page: Page, tmp_path: Path) -> None:
    make_project(tmp_path / "magazine", 100, lambda done, total: None)
    found = measure(page, tmp_path / "magazine", 1)
    assert list(found) == list(GOALS)
    assert all(len(taken) == 1 and taken[0].painted > 0 for taken in found.values())
    cold, warm = found["first list, nothing kept"][0], found["first list, files kept"][0]
    assert warm.requests < cold.requests <= FIRST_REQUESTS
    assert found["entry to list"][0].kilobytes == 0
    assert table_of(found).row_count == len(GOALS)
