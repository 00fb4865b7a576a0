"""Octavo, from this working copy, with its default settings."""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmarks.peers.content import copy_tables, v4_tables
from benchmarks.peers.processes import Service, serving
from benchmarks.peers.systems.base import Site, System
from benchmarks.peers.systems.strapi_files import PERMISSIONS, schema_files
from benchmarks.peers.systems.strapi_requests import OCTAVO
from benchmarks.peers.workloads import Api
from octavo.access.authorization.role_grants import grant
from octavo.operations.runtime.open_resources import open_project_database
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.operations.transfer.scaffold import add_secrets
from octavo.schema.loader import load_registry
from octavo.settings import Settings, load_settings, missing_secrets
from tests.cli.processes import ROOT, free_port

_PLUGINS = "[graphql.config]\ncursors = true\ndepthLimit = 20\n"


def _variables(site: Site) -> dict[str, str]:
    database = site.database
    return {
        "DATABASE_CLIENT": "postgres",
        "DATABASE_HOST": database.host,
        "DATABASE_PORT": str(database.port),
        "DATABASE_NAME": database.name,
        "DATABASE_USERNAME": database.user,
        **({"DATABASE_PASSWORD": database.password} if database.password else {}),
    }


async def _create_tables(settings: Settings) -> None:
    database = open_project_database(settings)
    try:
        await prepare_database(database, load_registry(settings.project), "en")
        await grant(database, "public", PERMISSIONS)
    finally:
        await database.close()


async def _fill(site: Site) -> None:
    connection = await site.database.connect()
    try:
        await copy_tables(connection, v4_tables(site.content))
    finally:
        await connection.close()


@contextmanager
def serve(site: Site) -> Iterator[Service]:
    """Serve a project with the same definitions as Strapi v4's."""
    site.write(schema_files(drafts=True) | {"config/plugins.toml": _PLUGINS, "public/uploads/.gitkeep": ""})
    variables, port = _variables(site), free_port()
    add_secrets(site.folder, missing_secrets(load_settings(site.folder, variables, require_secrets=False)))
    asyncio.run(_create_tables(load_settings(site.folder, variables)))
    asyncio.run(_fill(site))
    command = (sys.executable, "-m", "octavo", "start", "--project", site.folder, "--port", str(port))
    with serving(command, site.folder, {"PYTHONPATH": str(ROOT / "src"), **variables}, port, "/_health") as service:
        yield service


def _rest_cursor(answer: Mapping[str, Any]) -> str | None:
    cursor: str | None = answer["meta"]["pagination"]["after"]
    return cursor


def _graphql_cursor(answer: Mapping[str, Any]) -> str | None:
    return _rest_cursor(answer["data"]["articles"])


SYSTEM = System("octavo", "Octavo", OCTAVO, serve, {Api.REST: _rest_cursor, Api.VARIABLES: _graphql_cursor})
