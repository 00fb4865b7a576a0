"""Fixtures of the workshop on each database, with makers and files to link to, and the writer."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from octavo.content.writer import EntryWriter
from octavo.database import open_database
from octavo.database.connection import Database, Row
from octavo.database.mysql import MysqlDatabase
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase
from octavo.database.synchronize import synchronize
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from tests.layouts import registry_of
from tests.models.templates import copy_of
from tests.models.workshop import DEFINITIONS
from tests.mysql_server import MysqlServer
from tests.postgresql_server import PostgresqlServer, database_name


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    return registry_of(DEFINITIONS, tmp_path_factory.mktemp("workshop"))


@dataclass(frozen=True)
class Workshop:
    """The writer, and helpers to read what it wrote."""

    database: Database
    registry: Registry
    writer: EntryWriter

    def type(self, name: str) -> ContentType:
        return self.registry.content_types[f"api::{name}.{name}"]

    async def create(self, type_name: str, /, **data: Any) -> int:
        return await self.writer.create(self.type(type_name), data)

    async def update(self, type_name: str, entry_id: int, /, **data: Any) -> bool:
        return await self.writer.update(self.type(type_name), entry_id, data)

    async def delete(self, name: str, entry_id: int) -> bool:
        return await self.writer.delete(self.type(name), entry_id)

    async def rows(self, table: str, *columns: str, where: str = "1 = 1") -> list[Row]:
        names = ", ".join(map(self.database.dialect.quote, columns))
        quoted = self.database.dialect.quote(table)
        found: Sequence[Row] = await self.database.fetch_all(f"SELECT {names} FROM {quoted} WHERE {where} ORDER BY id")
        return [tuple(row) for row in found]

    async def count(self, table: str) -> int:
        return int(await self.database.fetch_value(f"SELECT count(*) FROM {self.database.dialect.quote(table)}"))


MAKERS, FILES = 6, 4


async def _write(database: Database, workshop: Registry) -> None:
    await database.connect()
    await synchronize(database, workshop)
    for number in range(1, MAKERS + 1):
        await database.execute(f"INSERT INTO makers (name) VALUES ('maker {number}')")
    for number in range(1, FILES + 1):
        await database.execute(f"INSERT INTO files (name, hash) VALUES ('file {number}', 'h{number}')")
    await database.close()


@pytest.fixture(scope="session")
async def sqlite_workshop_template(
    anyio_backend: str, workshop: Registry, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return the file of a workshop's database, as a template."""
    path = tmp_path_factory.mktemp("template") / "data.db"
    await _write(SqliteDatabase(path), workshop)
    return path


@pytest.fixture(scope="session")
async def postgresql_workshop_template(
    anyio_backend: str, workshop: Registry, postgresql_server: PostgresqlServer
) -> str:
    """Return the name of a workshop's database, as a template."""
    url = postgresql_server.create_database()
    await _write(PostgresqlDatabase(url), workshop)
    return database_name(url)


@pytest.fixture(scope="session")
async def mysql_workshop_template(anyio_backend: str, workshop: Registry, mysql_server: MysqlServer) -> str:
    """Return the name of a workshop's database, as a template."""
    name = mysql_server.create_database(collation=mysql_server.exact)
    await _write(MysqlDatabase(mysql_server.url(name)), workshop)
    return name


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def workshop_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Database]]:
    """Return a function that creates a driver, not yet connected, of a copy of the workshop's database. Once per
    database."""
    path = tmp_path / "workshop.db"
    with copy_of(request, "workshop") as copy:
        copy.place(path)
        yield lambda: open_database(copy.url or f"sqlite:///{path}")


@pytest.fixture
async def shop(
    anyio_backend: str, workshop: Registry, workshop_database: Callable[[], Database]
) -> AsyncIterator[Workshop]:
    """Return the workshop with makers 1 to 6 and files 1 to 4."""
    database = workshop_database()
    await database.connect()
    yield Workshop(database, workshop, EntryWriter(database, workshop))
    await database.close()
