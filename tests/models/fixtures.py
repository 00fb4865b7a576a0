"""Fixtures of the bookshop: written once per test run and database, shared by tests that only read."""

from collections.abc import AsyncIterator, Iterator, Mapping
from functools import partial
from math import inf
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import pytest

from octavo.access.authentication.authenticator import Authenticator
from octavo.content import locales
from octavo.database import read_placement, sqlite
from octavo.operations.runtime import infrastructure
from octavo.operations.runtime import process as app
from octavo.schema.registry import Registry
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN, bookshop_registry
from tests.models.people import Hands
from tests.models.site import Site, mysql_variables, open_bookshop, open_project, postgresql_variables, under_safe
from tests.models.templates import Copy, copy_of
from tests.mysql_server import MysqlServer
from tests.postgresql_server import PostgresqlServer, database_name


@pytest.fixture(scope="session")
def registry() -> Registry:
    """Return the definitions of the bookshop."""
    return bookshop_registry()


@pytest.fixture(scope="session")
async def sqlite_bookshop(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    site = await open_bookshop(tmp_path_factory.mktemp("bookshop"), {})
    yield site
    await site.database.close()


@pytest.fixture(scope="session")
async def postgresql_bookshop(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, postgresql_server: PostgresqlServer
) -> AsyncIterator[Site]:
    variables = postgresql_variables(postgresql_server.create_database())
    site = await open_bookshop(tmp_path_factory.mktemp("bookshop"), variables)
    yield site
    await site.database.close()


@pytest.fixture(scope="session")
async def mysql_bookshop(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, mysql_server: MysqlServer
) -> AsyncIterator[Site]:
    """Texts are compared by code points, as on the other databases."""
    variables = mysql_variables(mysql_server.url(mysql_server.create_database(collation=mysql_server.exact)))
    site = await open_bookshop(tmp_path_factory.mktemp("bookshop"), variables)
    yield site
    await site.database.close()


@pytest.fixture(scope="session", params=["sqlite", "postgresql", "mysql"])
def bookshop(request: pytest.FixtureRequest) -> Site:
    """Serve the bookshop on each database."""
    site: Site = request.getfixturevalue(f"{request.param}_bookshop")
    return site


@pytest.fixture(scope="session")
async def safe_bookshop(anyio_backend: str, bookshop: Site) -> AsyncIterator[Site]:
    """Serve the same bookshop under the profile `safe`."""
    async with under_safe(bookshop) as site:
        yield site


@pytest.fixture(scope="session")
async def sqlite_bookshop_template(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a bookshop's database, as a template."""
    folder = tmp_path_factory.mktemp("template")
    site = await open_bookshop(folder, {})
    await site.database.close()
    return folder / ".tmp/data.db"


@pytest.fixture(scope="session")
async def postgresql_bookshop_template(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, postgresql_server: PostgresqlServer
) -> str:
    """Return the name of a bookshop's database, as a template."""
    url = postgresql_server.create_database()
    site = await open_bookshop(tmp_path_factory.mktemp("template"), postgresql_variables(url))
    await site.database.close()
    return database_name(url)


@pytest.fixture(scope="session")
async def mysql_bookshop_template(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory, mysql_server: MysqlServer
) -> str:
    """Return the name of a bookshop's database, as a template."""
    name = mysql_server.create_database(collation=mysql_server.exact)
    site = await open_bookshop(tmp_path_factory.mktemp("template"), mysql_variables(mysql_server.url(name)))
    await site.database.close()
    return name


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def bookshop_copy(request: pytest.FixtureRequest) -> Iterator[Copy]:
    """Return a copy of the bookshop's database, on each database."""
    with copy_of(request, "bookshop") as copy:
        yield copy


async def open_copy(folder: Path, copy: Copy, settings: Mapping[str, str] = MappingProxyType({})) -> Site:
    """Open the bookshop in a folder, on a copy of its database, with custom settings."""
    copy.place(folder / ".tmp/data.db")
    return await open_project(folder, {**copy.variables, **settings})


@pytest.fixture
async def own_bookshop(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> AsyncIterator[Site]:
    """Serve a writable bookshop on each database. Its rows were inserted with their ids."""
    site = await open_copy(tmp_path, bookshop_copy)
    yield site
    await site.database.close()


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> Hands:
    """Stop the clocks of services created from now on, so that no cache expires. Tests advance them."""
    return hold_clocks(monkeypatch)


def hold_clocks(monkeypatch: pytest.MonkeyPatch) -> Hands:
    """Stop the clocks for fixtures of other scopes."""
    hands = Hands()
    monkeypatch.setattr(infrastructure, "Authenticator", partial(Authenticator, clock=hands.clock))
    monkeypatch.setattr(locales, "time", SimpleNamespace(monotonic=lambda: hands.steady))
    return hands


@pytest.fixture
def measured_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every measured read as fast, however long it took, for tests that count calls: slow reads wait for a slot
    or a thread, which adds calls.
    """
    for name in ("QUICK_SECONDS", "SHORT_SECONDS"):
        monkeypatch.setattr(read_placement, name, inf)
    monkeypatch.setattr(sqlite, "LOOP_SECONDS", inf)


@pytest.fixture
async def warm(bookshop: Site, still: Hands) -> AsyncIterator[Site]:
    """Serve a bookshop whose clocks stand still and whose roles, locales and tokens of `bookshop` are cached."""
    octavo = app.build(bookshop.octavo.settings)
    await octavo.database.connect()
    site = Site(octavo)
    for token in (None, FULL_TOKEN, SOME_TOKEN):
        await site.get("/api/books?populate=author", token)
    await octavo.infrastructure.authenticator.drain()  # uses of tokens are written in the background
    yield site
    await octavo.database.close()
