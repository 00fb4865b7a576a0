"""Bookshops that project code may write to: one for each module of tests, on each database."""

from collections.abc import AsyncIterator, Iterator

import pytest

from octavo.sdk.app import App
from tests.models.fixtures import open_copy
from tests.models.site import Site
from tests.models.templates import Copy, copy_of
from tests.project.hooked_site import open_hooked_site


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def code_copy(request: pytest.FixtureRequest) -> Iterator[Copy]:
    with copy_of(request, "bookshop") as copy:
        yield copy


@pytest.fixture(scope="module")
async def code_site(
    anyio_backend: str, code_copy: Copy, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """The module's own bookshop."""
    site = await open_copy(tmp_path_factory.mktemp("code"), code_copy)
    yield site
    await site.database.close()


@pytest.fixture
def app(code_site: Site) -> App:
    """The `app` object of a bookshop's project code."""
    given: App = code_site.octavo.site.extending.app
    return given


@pytest.fixture(scope="module")
async def hooked_site(
    anyio_backend: str, code_copy: Copy, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """A started bookshop with the code in `hooks_code`, one for each module."""
    async with open_hooked_site(tmp_path_factory.mktemp("hooks"), code_copy) as site:
        yield site
