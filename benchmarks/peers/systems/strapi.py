"""Strapi v4 and Strapi 5, as production processes without their admin panel."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from benchmarks.peers.content import Content, Table, copy_tables, v4_tables, v5_tables
from benchmarks.peers.packages import PACKAGES
from benchmarks.peers.processes import Service, serving
from benchmarks.peers.systems.base import Site, System
from benchmarks.peers.systems.strapi_files import project_files
from benchmarks.peers.systems.strapi_requests import V4, V5
from tests.cli.processes import free_port


async def _fill(site: Site, tables: Iterable[Table]) -> None:
    connection = await site.database.connect()
    try:
        await copy_tables(connection, tables)
    finally:
        await connection.close()


@contextmanager
def _started(site: Site) -> Iterator[Service]:
    assert site.packages
    assert site.node
    port, database = free_port(), site.database
    variables = {
        "PORT": str(port),
        "NODE_ENV": "production",
        "STRAPI_TELEMETRY_DISABLED": "true",
        "PG_HOST": database.host,
        "PG_PORT": str(database.port),
        "PG_NAME": database.name,
        "PG_USER": database.user,
        "PG_PASSWORD": database.password,
        "JWT_SECRET": "jwt",
    }
    command = (site.node, site.packages / "node_modules/@strapi/strapi/bin/strapi.js", "start")
    with serving(command, site.folder, variables, port, "/_health") as service:
        yield service


def _serve(
    name: str, tables: Callable[[Content], Iterable[Table]], *, drafts: bool
) -> Callable[[Site], Iterator[Service]]:
    def serve(site: Site) -> Iterator[Service]:
        assert site.packages
        site.write(project_files(PACKAGES[name], drafts=drafts))
        (site.folder / "node_modules").symlink_to(site.packages / "node_modules")
        with _started(site):  # the first start creates the tables
            pass
        asyncio.run(_fill(site, tables(site.content)))
        with _started(site) as service:
            yield service

    return serve


V4_SYSTEM = System(
    "strapi4", "Strapi v4", V4, contextmanager(_serve("strapi4", v4_tables, drafts=True)), needs_packages=True
)
V5_SYSTEM = System(
    "strapi5", "Strapi 5", V5, contextmanager(_serve("strapi5", v5_tables, drafts=False)), needs_packages=True
)
