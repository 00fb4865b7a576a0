"""The bookshop as a service. Tests send HTTP requests in the same process, without a socket."""

import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from octavo.database.connection import Database
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from octavo.settings.compat import RULES
from octavo.settings.files.compatibility import Compat
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import DEFINITIONS, SECRETS, write_bookshop

COUNTED = {"OCTAVO_DATABASE__TOTALS": "counted"}
"""Settings without background maintenance of counts, for tests that count statements."""


@dataclass(frozen=True)
class Site:
    """A service with an open database."""

    octavo: Process

    @property
    def database(self) -> Database:
        return self.octavo.database

    async def get(self, target: str, token: str | None = None) -> Answer:
        headers = [("Authorization", f"Bearer {token}")] if token else []
        return await call(self.octavo.asgi, "GET", target, headers)

    async def statements(self, target: str, token: str | None = None) -> int:
        """Return how many statements a request sends."""
        before = self.database.statements
        answer = await self.get(target, token)
        assert answer.status == 200, answer.body
        return self.database.statements - before


def postgresql_variables(url: str) -> dict[str, str]:
    """Return the variables that configure a database of a v4 project."""
    parts = urlsplit(url)
    return {
        "DATABASE_CLIENT": "postgres",
        "DATABASE_HOST": parse_qs(parts.query)["host"][0],
        "DATABASE_NAME": parts.path.lstrip("/"),
        "DATABASE_USERNAME": parts.username or "postgres",
    }


def mysql_variables(url: str) -> dict[str, str]:
    """Return the same variables for MySQL or MariaDB."""
    return {"DATABASE_CLIENT": "mysql", "DATABASE_URL": url}


@asynccontextmanager
async def another(site: Site, **compat: Any) -> AsyncIterator[Site]:
    """Serve the same content in another service with other rules of the compatibility profile."""
    settings = site.octavo.settings
    rules = replace(settings.api.compat, **compat)
    octavo = build(replace(settings, api=replace(settings.api, compat=rules)))
    await octavo.database.connect()
    try:
        yield Site(octavo)
    finally:
        await octavo.database.close()


async def open_bookshop(folder: Path, variables: Mapping[str, str]) -> Site:
    """Open a new bookshop in a folder, on SQLite there unless `variables` name another database."""
    site = await open_project(folder, variables)
    await write_bookshop(site.database, site.octavo.site.registry)
    return site


async def open_project(folder: Path, variables: Mapping[str, str]) -> Site:
    """Open the bookshop's project in a folder, on an existing database."""
    shutil.copytree(DEFINITIONS / "src", folder / "src", dirs_exist_ok=True)
    (folder / ".tmp").mkdir(exist_ok=True)
    (folder / ".tmp/data.db").touch()
    octavo = build(load_settings(folder, {**SECRETS, **variables}, mode="production"))
    await octavo.database.connect()
    return Site(octavo)


@asynccontextmanager
async def under_safe(site: Site) -> AsyncIterator[Site]:
    """Serve the same content under the profile `safe`."""
    settings = site.octavo.settings
    compat = Compat(profile="safe", **{name: rule.safe for name, rule in RULES.items()})  # type: ignore[arg-type]
    octavo = build(replace(settings, api=replace(settings.api, compat=compat)))
    await octavo.asgi.start()
    try:
        yield Site(octavo)
    finally:
        await octavo.asgi.stop()
