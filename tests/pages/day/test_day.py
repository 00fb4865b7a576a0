"""An editor's day passes on each database, told step by step."""

import shutil
from pathlib import Path

import pytest

from tests.browser import MISSING, find_browser, open_page
from tests.cli.processes import ROOT, serving
from tests.cli.projects import database_variables
from tests.pages.conftest import FIRST
from tests.pages.day.finding import FINDING
from tests.pages.day.house import HOUSE
from tests.pages.desk import Desk

DAYS = (FINDING, HOUSE)
PATIENCE = 900.0
"""Seconds, of a machine that has much else to do."""


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_day_of_an_editor(database: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    browser = find_browser()
    if browser is None:
        pytest.skip(MISSING)
    project = tmp_path / "magazine"
    shutil.copytree(ROOT / "examples/magazine", project, ignore=shutil.ignore_patterns(".octavo", ".env", "data"))
    on_server = database == "postgresql"
    variables = database_variables(request.getfixturevalue("postgresql_url")) if on_server else {}
    with (
        serving("develop", project, "--seed", **FIRST, **variables) as server,
        open_page(browser, tmp_path / "browser", PATIENCE) as page,
    ):
        desk = Desk(page, f"http://127.0.0.1:{server.port}")
        assert [wrong for day in DAYS for wrong in day.failures(desk)] == []
