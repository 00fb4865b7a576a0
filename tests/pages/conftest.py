"""Fixtures for tests of the admin pages: the sample project on a server, and Ada in a browser."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, Page
from tests.cli.processes import Server, serving
from tests.pages.desk import ADA, Desk
from tests.pages.sample import FIRST, magazine
from tests.pages.sections import show_one_form

LONGEST = 1800.0
"""Maximum seconds for the tests of a module on a slow machine, after which the browser is stopped."""


@pytest.fixture(scope="session")
def seeded_magazine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create the sample project with its content on SQLite as a template: copying takes half the time of seeding."""
    project = magazine(tmp_path_factory.mktemp("seeded"))
    with serving("develop", project, "--seed", **FIRST):
        return project


@pytest.fixture(scope="module")
def service(seeded_magazine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve a copy of the sample project with its content, on SQLite. Ada is its administrator."""
    project = shutil.copytree(seeded_magazine, tmp_path_factory.mktemp("pages") / "magazine")
    with serving("develop", project, **FIRST) as server:
        yield server


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """Open a browser page."""
    with browser.open_page(LONGEST) as opened:
        yield opened


@pytest.fixture(scope="module")
def desk(service: Server, page: Page) -> Desk:
    """Sign in as Ada. Articles have one form without tabs; `tests/pages/test_sections.py` tests tabs."""
    found = Desk(page, f"http://127.0.0.1:{service.port}")
    show_one_form(found)
    found.log_in(ADA)
    return found


@pytest.fixture(autouse=True)
def nothing_is_wrong(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail tests whose pages violate the content security policy, throw errors or contact other hosts; clean up."""
    yield
    if "desk" not in request.fixturenames:
        return
    found: Desk = request.getfixturevalue("desk")
    found.tidy()
    assert found.complaints() == []
    if found.is_unjudged:
        found.is_unjudged = False
        pytest.skip("NO AXE, so accessibility was not checked: `make pages` installs it")
