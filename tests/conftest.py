"""Databases for the tests: real ones, empty at the beginning of each test, started only when a test asks for them."""

import functools
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from octavo.database.connection import Database
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase
from tests.postgresql_server import PostgresqlServer, start_server

if TYPE_CHECKING:
    from tests.openid_server import OpenIdServer
    from tests.s3_server import S3Server
    from tests.valkey_server import CountingServer

pytest_plugins = [
    "tests.golden.option",
    "tests.markers",
    "tests.models.club_fixtures",
    "tests.models.fixtures",
    "tests.models.people_fixtures",
    "tests.models.workshop_fixtures",
    "tests.worked_examples",
]


def pytest_xdist_auto_num_workers() -> int:
    """Twice as many workers as processors: tests wait for disks and other processes much of the time."""
    return 2 * (os.cpu_count() or 1)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Asynchronous tests (marked `anyio`) run on asyncio."""
    return "asyncio"


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresqlServer]:
    """The one server of a test run, started lazily."""
    server = start_server(os.environ.get("PYTEST_XDIST_TESTRUNUID"))
    yield server
    server.remove()


@pytest.fixture(scope="session")
def s3_server() -> Iterator["S3Server"]:
    """The one S3 server of a test run, started lazily."""
    from tests.s3_server import S3Server  # its libraries take their time

    server = S3Server()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def counting_server() -> Iterator["CountingServer"]:
    """The one server of a test run that speaks the protocol of Redis, started lazily."""
    from tests.valkey_server import CountingServer

    server = CountingServer()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def one_openid_server() -> Iterator["OpenIdServer"]:
    """The one provider of a test run, started lazily."""
    from tests.openid_server import OpenIdServer

    server = OpenIdServer()
    yield server
    server.remove()


@pytest.fixture
def openid_server(one_openid_server: "OpenIdServer") -> "OpenIdServer":
    """A provider to sign in at, that does nothing wrong yet."""
    one_openid_server.reset()
    return one_openid_server


@pytest.fixture
def own_postgresql_server() -> Iterator[PostgresqlServer]:
    """A server for one test alone, which may stop it."""
    server = start_server()
    yield server
    server.remove()


@pytest.fixture
def postgresql_url(postgresql_server: PostgresqlServer) -> Iterator[str]:
    """The address of a new, empty PostgreSQL database."""
    url = postgresql_server.create_database()
    yield url
    postgresql_server.drop_database(url)


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    """The path of an SQLite database that does not exist yet."""
    return tmp_path / "data.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database(request: pytest.FixtureRequest) -> Callable[..., Database]:
    """Each driver in turn: makes one on an empty database, with the driver's own options, not yet connected."""
    if request.param == "sqlite":
        return functools.partial(SqliteDatabase, request.getfixturevalue("sqlite_path"))
    return functools.partial(PostgresqlDatabase, request.getfixturevalue("postgresql_url"))


@pytest.fixture
async def database(anyio_backend: str, new_database: Callable[..., Database]) -> AsyncIterator[Database]:
    """Each driver in turn on an empty database, connected."""
    made = new_database()
    await made.connect()
    yield made
    await made.close()
