"""The bookshop put together as a service and asked in the same process: through HTTP, without a socket."""

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
"""Nothing looks after totals in the background: for tests that count statements."""


@dataclass(frozen=True)
class Site:
    """A service, its database open."""

    octavo: Process

    @property
    def database(self) -> Database:
        return self.octavo.database

    async def get(self, target: str, token: str | None = None) -> Answer:
        headers = [("Authorization", f"Bearer {token}")] if token else []
        return await call(self.octavo.asgi, "GET", target, headers)

    async def statements(self, target: str, token: str | None = None) -> int:
        """How many statements a request needs."""
        before = self.database.statements
        answer = await self.get(target, token)
        assert answer.status == 200, answer.body
        return self.database.statements - before


def postgresql_variables(url: str) -> dict[str, str]:
    """The variables that name a database to a v4 project."""
    parts = urlsplit(url)
    return {
        "DATABASE_CLIENT": "postgres",
        "DATABASE_HOST": parse_qs(parts.query)["host"][0],
        "DATABASE_NAME": parts.path.lstrip("/"),
        "DATABASE_USERNAME": parts.username or "postgres",
    }


def mysql_variables(url: str) -> dict[str, str]:
    """The same for a database on MySQL or MariaDB."""
    return {"DATABASE_CLIENT": "mysql", "DATABASE_URL": url}


@asynccontextmanager
async def another(site: Site, **compat: Any) -> AsyncIterator[Site]:
    """The same content served by another process, with other rules of the compatibility profile."""
    settings = site.octavo.settings
    rules = replace(settings.api.compat, **compat)
    octavo = build(replace(settings, api=replace(settings.api, compat=rules)))
    await octavo.database.connect()
    try:
        yield Site(octavo)
    finally:
        await octavo.database.close()


async def open_bookshop(folder: Path, variables: Mapping[str, str]) -> Site:
    """A new bookshop in a folder; without variables on SQLite there."""
    site = await open_project(folder, variables)
    await write_bookshop(site.database, site.octavo.site.registry)
    return site


async def open_project(folder: Path, variables: Mapping[str, str]) -> Site:
    """The project of the bookshop in a folder, on a database as it is."""
    shutil.copytree(DEFINITIONS / "src", folder / "src", dirs_exist_ok=True)
    (folder / ".tmp").mkdir(exist_ok=True)
    (folder / ".tmp/data.db").touch()
    octavo = build(load_settings(folder, {**SECRETS, **variables}, mode="production"))
    await octavo.database.connect()
    return Site(octavo)


@asynccontextmanager
async def under_safe(site: Site) -> AsyncIterator[Site]:
    """The same content, served under the profile `safe`."""
    settings = site.octavo.settings
    compat = Compat(profile="safe", **{name: rule.safe for name, rule in RULES.items()})  # type: ignore[arg-type]
    octavo = build(replace(settings, api=replace(settings.api, compat=compat)))
    await octavo.asgi.start()
    try:
        yield Site(octavo)
    finally:
        await octavo.asgi.stop()
