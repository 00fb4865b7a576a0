"""Templates of the club's database, written once per test run."""

from pathlib import Path

import pytest

from tests.models.club import NEVER, open_club
from tests.models.site import postgresql_variables
from tests.postgresql_server import PostgresqlServer, database_name

CLUB_DATABASE = ".octavo/data.db"


@pytest.fixture(scope="session")
async def sqlite_club_template(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a club's database."""
    folder = tmp_path_factory.mktemp("club")
    async with open_club(folder, NEVER):
        return folder / CLUB_DATABASE


@pytest.fixture(scope="session")
async def postgresql_club_template(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, postgresql_server: PostgresqlServer
) -> str:
    """Return the name of a club's database."""
    url = postgresql_server.create_database()
    async with open_club(tmp_path_factory.mktemp("club"), {**postgresql_variables(url), **NEVER}):
        return database_name(url)
