"""Test databases: created once and restored to their initial state before each test.

SQLite uses a file in the tests' folder, restored from a copy. On PostgreSQL, tests use a new schema in the configured
database and a second schema that stores the initial rows. Both are dropped at the end.
"""

import secrets
from contextlib import closing
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

import apsw
import asyncpg

from octavo.settings.files.database import Database

_BUSY_MILLISECONDS: Final = 10_000
# Triggers update the totals when rows of the other tables change.
_TABLES: Final = """
SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename <> 'octavo_totals' ORDER BY tablename"""
_KEYS: Final = """
SELECT f.relname, t.relname FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON
t.oid = c.confrelid JOIN pg_namespace n ON n.oid = f.relnamespace WHERE c.contype = 'f' AND n.nspname = $1"""
_COUNTERS: Final = """
SELECT s.relname, t.relname, a.attname FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.deptype IN ('a', 'i')
JOIN pg_class t ON t.oid = d.refobjid JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
JOIN pg_namespace n ON n.oid = t.relnamespace WHERE s.relkind = 'S' AND n.nspname = $1"""


class Origin(Protocol):
    """A database that can be restored to its initial state."""

    settings: Database

    async def open(self) -> None:
        """Prepare the database. Called before the service connects."""

    async def remember(self) -> None:
        """Store the current state as the initial state."""

    async def restore(self) -> None:
        """Restore the initial state."""

    async def close(self) -> None:
        """Clean up. Called after the service has closed its connections."""


class SqliteOrigin:
    """A SQLite file in the tests' folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "data.db"
        self._start = folder / "start.db"
        self.settings = Database(client="sqlite", filename=str(self._file))

    async def open(self) -> None:
        """Do nothing: the service creates the file."""

    async def remember(self) -> None:
        _copy_pages(self._file, self._start)

    async def restore(self) -> None:
        _copy_pages(self._start, self._file)

    async def close(self) -> None:
        """Do nothing: the file is deleted with its folder."""


def _copy_pages(source: Path, target: Path) -> None:
    """Copy a database file over another one that may be in use. Open connections see the new content."""
    with closing(apsw.Connection(str(source))) as given, closing(apsw.Connection(str(target))) as taking:
        taking.set_busy_timeout(_BUSY_MILLISECONDS)
        with taking.backup("main", given, "main") as copying:
            copying.step()


class PostgresqlOrigin:
    """Two schemas in a PostgreSQL database that can be shared."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._schema = f"octavo_test_{secrets.token_hex(6)}"
        self._start = f"{self._schema}_start"
        self._script = ""
        self.settings = _from_url(url, self._schema)

    async def open(self) -> None:
        await self._run(f"CREATE SCHEMA {self._schema}; CREATE SCHEMA {self._start}")

    async def remember(self) -> None:
        connection = await asyncpg.connect(self._url)
        try:
            self._script = await self._read(connection)
        finally:
            await connection.close()

    async def _read(self, connection: "asyncpg.Connection[asyncpg.Record]") -> str:
        """Copy the initial rows and return the SQL script that restores them, referenced tables first."""
        tables = [row[0] for row in await connection.fetch(_TABLES, self._schema)]
        order: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(tables, ()))
        for table, target in await connection.fetch(_KEYS, self._schema):
            if table != target:
                order.add(table, target)
        script = [f"TRUNCATE {', '.join(self._named(table) for table in tables)} RESTART IDENTITY CASCADE"]
        for table in order.static_order():
            if await connection.fetchval(f"SELECT EXISTS (SELECT 1 FROM {self._named(table)})"):
                copy = f'{self._start}."{table}"'
                await connection.execute(f"CREATE TABLE {copy} AS TABLE {self._named(table)}")
                script.append(f"INSERT INTO {self._named(table)} SELECT * FROM {copy}")
        for counter, table, column in await connection.fetch(_COUNTERS, self._schema):
            largest = f'SELECT max("{column}") FROM {self._named(table)}'
            script.append(f"SELECT setval('{self._schema}.\"{counter}\"', ({largest})) WHERE ({largest}) IS NOT NULL")
        return ";\n".join(script)

    def _named(self, table: str) -> str:
        return f'{self._schema}."{table}"'

    async def restore(self) -> None:
        await self._run(self._script)

    async def close(self) -> None:
        await self._run(f"DROP SCHEMA {self._schema} CASCADE; DROP SCHEMA {self._start} CASCADE")

    async def _run(self, script: str) -> None:
        connection = await asyncpg.connect(self._url)
        try:
            await connection.execute(script)
        finally:
            await connection.close()


def origin_of(url: str | None, folder: Path) -> Origin:
    """Return the origin for a PostgreSQL URL, or SQLite in the folder if there is none."""
    if url is None:
        return SqliteOrigin(folder)
    if urlsplit(url).scheme not in ("postgresql", "postgres"):
        raise ValueError("expected None for SQLite, or a PostgreSQL URL: postgresql://...")
    return PostgresqlOrigin(url)


def _from_url(url: str, schema: str) -> Database:
    parts = urlsplit(url)
    asked = parse_qs(parts.query)
    return Database(
        client="postgres",
        host=asked.get("host", [parts.hostname or "localhost"])[0],
        port=parts.port or 5432,
        name=unquote(parts.path.lstrip("/")) or None,
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        schema=schema,
    )
