"""What tests of the administrators' pages share: the sample project served for them, and Ada at its pages."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import MISSING, Page, find_browser, open_page
from tests.cli.processes import Server, serving
from tests.pages.desk import ADA, Desk
from tests.pages.sample import FIRST, magazine
from tests.pages.sections import show_one_form

LONGEST = 1800.0
"""Seconds that the tests of a module may take on a slow machine before their browser is ended."""


@pytest.fixture(scope="session")
def seeded_magazine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample project with its sample content on SQLite, to be copied: a copy takes half the time of a new one."""
    project = magazine(tmp_path_factory.mktemp("seeded"))
    with serving("develop", project, "--seed", **FIRST):
        return project


@pytest.fixture(scope="module")
def service(seeded_magazine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The sample project with its sample content, in its own folder, on SQLite. Ada is its administrator."""
    project = shutil.copytree(seeded_magazine, tmp_path_factory.mktemp("pages") / "magazine")
    with serving("develop", project, **FIRST) as server:
        yield server


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page of a browser."""
    browser = find_browser()
    if browser is None:
        pytest.skip(MISSING)
    with open_page(browser, tmp_path_factory.mktemp("browser"), LONGEST) as opened:
        yield opened


@pytest.fixture(scope="module")
def desk(service: Server, page: Page) -> Desk:
    """Ada, logged in. Articles have one form, for tests of fields; `tests/pages/test_sections.py` has tabs."""
    found = Desk(page, f"http://127.0.0.1:{service.port}")
    show_one_form(found)
    found.log_in(ADA)
    return found


@pytest.fixture(autouse=True)
def nothing_is_wrong(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a page does, it breaks no policy, throws nothing and asks nobody else; and it leaves nothing behind."""
    yield
    if "desk" not in request.fixturenames:
        return
    found: Desk = request.getfixturevalue("desk")
    found.tidy()
    assert found.complaints() == []
    if found.is_unjudged:
        found.is_unjudged = False
        pytest.skip("NO AXE, so who is kept out is not known: `make pages` installs it")
