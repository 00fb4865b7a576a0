"""The baseline: asyncpg behind a bare ASGI application, with the same statements that a careful author would write."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.peers.content import PLAIN_TABLES, copy_tables, plain_tables
from benchmarks.peers.processes import Service, serving
from benchmarks.peers.requests import Dialect, RestCall
from benchmarks.peers.systems.base import Site, System
from benchmarks.peers.workloads import Kind
from tests.cli.processes import ROOT, free_port


async def fill_plain(site: Site) -> None:
    """Create tables with foreign keys and copy the rows."""
    connection = await site.database.connect()
    try:
        await connection.execute(PLAIN_TABLES)
        await copy_tables(connection, plain_tables(site.content))
    finally:
        await connection.close()


@contextmanager
def serve(site: Site) -> Iterator[Service]:
    """Serve the plain tables."""
    asyncio.run(fill_plain(site))
    port = free_port()
    application = "benchmarks.peers.systems.driver_application:application"
    options = ("--interface", "asgi", "--port", str(port), "--no-access-log", "--loop", "uvloop")
    variables = {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", "BASELINE_DATABASE": site.database.url}
    command: tuple[str | Path, ...] = (sys.executable, "-m", "granian", *options, application)
    with serving(command, site.folder, variables, port, "/entry/1") as service:
        yield service


def _in_body(*values: object) -> list[object]:
    return list(values)


def _nothing(*values: object) -> tuple[()]:
    return ()


SYSTEM = System(
    "driver",
    "bare driver",
    Dialect(
        {
            Kind.ENTRY: RestCall("/entry/{}"),
            Kind.LIST: RestCall("/list/{}"),
            Kind.TOTAL: RestCall("/total/{}"),
            Kind.AFTER: RestCall("/after/{}"),
            Kind.FILTER: RestCall("/filter/{}/{}"),
            Kind.SEARCH: RestCall("/search/{}/{}"),
            Kind.POPULATE: RestCall("/populate/{}"),
            Kind.DEEP: RestCall("/deep/{}"),
            Kind.CREATE: RestCall("/create", "POST", _nothing, _in_body),
            Kind.UPDATE: RestCall("/update", "POST", _nothing, _in_body),
        },
        {},
    ),
    serve,
)
