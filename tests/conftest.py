"""Fixtures with real databases: empty at the start of each test, and started only if a test needs them."""

import asyncio
import functools
import gc
import os
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from anyio import pytest_plugin

from octavo.access.authentication import passwords
from octavo.database.connection import Database
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase
from tests.browser import MISSING, Browser, find_browser
from tests.mysql_server import MysqlServer
from tests.postgresql_server import PostgresqlServer, start_server

if TYPE_CHECKING:
    from tests.openid_server import OpenIdServer
    from tests.s3_server import S3Server
    from tests.valkey_server import CountingServer

pytest_plugins = [
    "tests.golden.option",
    "tests.markers",
    "tests.distribution",
    "tests.models.club_fixtures",
    "tests.models.fixtures",
    "tests.models.people_fixtures",
    "tests.models.workshop_fixtures",
    "tests.worked_examples",
]


USUAL_PASSWORDS = (passwords.COST, passwords._NOBODYS)
"""The cost of new hashes in production, and the hash that replaces a missing one."""


def pytest_xdist_auto_num_workers() -> int:
    """Run three workers on two processors: tests wait for other processes, but each worker starts its own servers."""
    return (3 * (os.cpu_count() or 1) + 1) // 2


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the collected tests out of garbage collections: they live as long as the process."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()  # frozen garbage would never be freed
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that leaves a cancellation in the task that anyio shares among tests, instead of the next test."""
    result = yield
    task: asyncio.Task[None] | None = getattr(pytest_plugin._current_runner, "_runner_task", None)
    if task is not None and task.cancelling():
        while task.uncancel():
            pass
        pytest.fail(f"{item.nodeid} leaves a cancellation")
    return result


@pytest.fixture(scope="session", autouse=True)
def low_password_cost() -> Iterator[None]:
    """Hash passwords in this process with bcrypt's lowest cost. The default takes 50 ms of CPU time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "COST", 4)
        patch.setattr(passwords, "_NOBODYS", passwords.hash_now("unknown"))
        yield


@pytest.fixture
def usual_password_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords as in production."""
    monkeypatch.setattr(passwords, "COST", USUAL_PASSWORDS[0])
    monkeypatch.setattr(passwords, "_NOBODYS", USUAL_PASSWORDS[1])


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run asynchronous tests (marked `anyio`) on asyncio."""
    return "asyncio"


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresqlServer]:
    """Start the PostgreSQL server of the test run at its first use."""
    server = start_server(os.environ.get("PYTEST_XDIST_TESTRUNUID"))
    yield server
    server.remove()


@pytest.fixture(scope="session")
def mysql_server() -> Iterator[MysqlServer]:
    """Start the worker's MariaDB or MySQL server at its first use. Tests are skipped if none is installed."""
    server = MysqlServer()
    yield server
    server.remove()


@pytest.fixture
def own_mysql_server() -> Iterator[MysqlServer]:
    """Start a server for one test, which may stop it."""
    server = MysqlServer()
    yield server
    server.remove()


@pytest.fixture
def mysql_name(mysql_server: MysqlServer) -> Iterator[str]:
    """Return the name of a new, empty database on `mysql_server`."""
    name = mysql_server.create_database()
    yield name
    mysql_server.drop_database(name)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return the worker's only browser, started on first use. Skip the test if this machine has none."""
    command = find_browser()
    if command is None:
        pytest.skip(MISSING)
    browser = Browser(command, tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def s3_server() -> Iterator["S3Server"]:
    """Start the S3 server of the test run at its first use."""
    from tests.s3_server import S3Server  # slow to import

    server = S3Server()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def counting_server() -> Iterator["CountingServer"]:
    """Start the Redis-compatible server of the test run at its first use."""
    from tests.valkey_server import CountingServer

    server = CountingServer()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def one_openid_server() -> Iterator["OpenIdServer"]:
    """Start the OpenID provider of the test run at its first use."""
    from tests.openid_server import OpenIdServer

    server = OpenIdServer()
    yield server
    server.remove()


@pytest.fixture
def openid_server(one_openid_server: "OpenIdServer") -> "OpenIdServer":
    """Return the OpenID provider, reset to correct behavior."""
    one_openid_server.reset()
    return one_openid_server


@pytest.fixture
def own_postgresql_server() -> Iterator[PostgresqlServer]:
    """Start a server for one test, which may stop it."""
    server = start_server()
    yield server
    server.remove()


@pytest.fixture
def postgresql_url(postgresql_server: PostgresqlServer) -> Iterator[str]:
    """Return the URL of a new, empty PostgreSQL database."""
    url = postgresql_server.create_database()
    yield url
    postgresql_server.drop_database(url)


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    """Return the path of an SQLite database that does not exist yet."""
    return tmp_path / "data.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database(request: pytest.FixtureRequest) -> Callable[..., Database]:
    """Return a function that creates an unconnected driver, with options, on an empty database. Once per database."""
    if request.param == "sqlite":
        return functools.partial(SqliteDatabase, request.getfixturevalue("sqlite_path"))
    return functools.partial(PostgresqlDatabase, request.getfixturevalue("postgresql_url"))


@pytest.fixture
async def database(anyio_backend: str, new_database: Callable[..., Database]) -> AsyncIterator[Database]:
    """Return a connected driver on an empty database. Once per database."""
    made = new_database()
    await made.connect()
    yield made
    await made.close()
