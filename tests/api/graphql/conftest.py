"""Bookshops that tests may write to, with and without project code."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from octavo.operations.runtime.process import build
from tests.models.site import Site, open_bookshop, postgresql_variables
from tests.postgresql_server import PostgresqlServer
from tests.robustness.sites import CONTINUE_IDS

CODE = Path(__file__).parent / "bookshop_code"


async def open_scratch(request: pytest.FixtureRequest, folder: Path) -> Site:
    """Open a new bookshop in a folder, on the database that the fixture's parameter names."""
    if request.param == "sqlite":
        return await open_bookshop(folder, {})
    server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    variables = postgresql_variables(server.create_database())
    site = await open_bookshop(folder, variables)
    server.run_sql(variables["DATABASE_NAME"], CONTINUE_IDS)
    return site


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
async def scratch(
    request: pytest.FixtureRequest, anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """A bookshop on each database in turn, for the tests of one file."""
    site = await open_scratch(request, tmp_path_factory.mktemp("scratch"))
    yield site
    await site.database.close()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
async def coded(
    request: pytest.FixtureRequest, anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """A bookshop with the code of `bookshop_code`, on each database in turn."""
    folder = tmp_path_factory.mktemp("coded")
    plain = await open_scratch(request, folder)
    await plain.database.close()
    shutil.copytree(CODE, folder / "src", dirs_exist_ok=True)
    octavo = build(plain.octavo.settings)
    await octavo.asgi.start()
    yield Site(octavo)
    await octavo.asgi.stop()
