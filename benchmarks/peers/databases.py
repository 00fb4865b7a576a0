"""One PostgreSQL server for all systems: a temporary one, or the one of `DATABASE_URL`."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

import asyncpg
import psutil  # type: ignore[import-untyped]

from tests.postgresql_server import start_server

PREFIX = "octavo_peers_"


@dataclass(frozen=True, slots=True)
class Address:
    """A database on a PostgreSQL server; `host` can be the folder of a socket."""

    host: str
    port: int
    user: str
    password: str
    name: str

    @property
    def url(self) -> str:
        """Return a URL that asyncpg and Node's pg accept."""
        secret = f":{quote(self.password)}" if self.password else ""
        return f"postgresql://{quote(self.user)}{secret}@/{self.name}?host={quote(self.host, safe='')}&port={self.port}"

    async def connect(self) -> asyncpg.Connection:
        """Return a new connection."""
        return await asyncpg.connect(
            host=self.host, port=self.port, user=self.user, password=self.password or None, database=self.name
        )


def parse_address(url: str) -> Address:
    """Return the parts of a URL."""
    parts = urlsplit(url)
    host = parts.hostname or parse_qs(parts.query).get("host", ["127.0.0.1"])[0]
    user, password = unquote(parts.username or "postgres"), unquote(parts.password or "")
    return Address(host, parts.port or 5432, user, password, parts.path.lstrip("/") or "postgres")


@dataclass(frozen=True, slots=True)
class PostgreSQL:
    """A running server."""

    administration: Address
    version: str
    pid: int | None
    """The server's main process, if it runs on this machine."""

    def create_database(self, name: str) -> Address:
        """Create an empty database for a system; an older one of this name is deleted."""
        self.drop_database(name)
        self._execute(f'CREATE DATABASE "{PREFIX}{name}" TEMPLATE template0')
        self._execute(f'ALTER DATABASE "{PREFIX}{name}" SET jit = off')  # the same for all: some turn it off themselves
        return replace(self.administration, name=f"{PREFIX}{name}")

    def drop_database(self, name: str) -> None:
        """Delete the database of a system."""
        self._execute(f'DROP DATABASE IF EXISTS "{PREFIX}{name}" WITH (FORCE)')

    def _execute(self, statement: str) -> None:
        query(self.administration, statement)


def query(address: Address, statement: str) -> Any:
    """Return the first value that a statement returns."""

    async def run() -> Any:
        connection = await address.connect()
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    return asyncio.run(run())


@contextmanager
def running_server() -> Iterator[PostgreSQL]:
    """Return the server of `DATABASE_URL`, or start one that is deleted afterwards."""
    url = os.environ.get("DATABASE_URL")
    if url:
        yield _server(parse_address(url))
        return
    server = start_server()
    try:
        yield _server(parse_address(server.url("postgres")))
    finally:
        server.remove()


def _server(address: Address) -> PostgreSQL:
    version = str(query(address, "SHOW server_version")).split()[0]
    return PostgreSQL(address, version, asyncio.run(_main_process(address)))


async def _main_process(address: Address) -> int | None:
    """Return the server's main process, the parent of each connection's process, if it runs on this machine."""
    connection = await address.connect()
    try:
        with suppress(psutil.NoSuchProcess):
            backend = psutil.Process(await connection.fetchval("SELECT pg_backend_pid()"))
            return int(backend.ppid()) if backend.name().startswith("postgres") else None
        return None
    finally:
        await connection.close()
