"""The bookshop put together as a service and asked in the same process: through HTTP, without a socket."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from octavo.app import Octavo, build
from octavo.database.connection import Database
from octavo.settings import load_settings
from tests.http.asgi import Answer, call
from tests.models.bookshop import DEFINITIONS, SECRETS, write_bookshop


@dataclass(frozen=True)
class Site:
    """A service, its database open."""

    octavo: Octavo

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


async def open_bookshop(folder: Path, variables: Mapping[str, str]) -> Site:
    """A new bookshop in a folder; without variables on SQLite there."""
    shutil.copytree(DEFINITIONS / "src", folder / "src")
    (folder / ".tmp").mkdir()
    (folder / ".tmp/data.db").touch()
    octavo = build(load_settings(folder, {**SECRETS, **variables}, mode="production"))
    await octavo.database.connect()
    await write_bookshop(octavo.database, octavo.registry)
    return Site(octavo)
