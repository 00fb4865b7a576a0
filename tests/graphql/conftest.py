"""A bookshop that tests may write to."""

from collections.abc import AsyncIterator

import pytest

from tests.models.site import Site, open_bookshop, postgresql_variables
from tests.postgresql_server import PostgresqlServer
from tests.robustness.sites import CONTINUE_IDS


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
async def scratch(
    request: pytest.FixtureRequest, anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """A bookshop on each database in turn, for the tests of one file."""
    variables: dict[str, str] = {}
    folder = tmp_path_factory.mktemp("scratch")
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("postgresql_server")
        variables = postgresql_variables(server.create_database())
    site = await open_bookshop(folder, variables)
    if request.param == "postgresql":
        server.run_sql(variables["DATABASE_NAME"], CONTINUE_IDS)
    yield site
    await site.database.close()
