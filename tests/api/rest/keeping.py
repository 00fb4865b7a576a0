"""Two services on one database with a response cache, and direct SQL, for the cache's tests."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import asyncpg

from octavo.database.version_keeper import VersionTracker
from octavo.operations.runtime.process import Process
from tests.api.http.asgi import Answer
from tests.models.club import FULL, NEVER, Club, open_club
from tests.models.club_fixtures import CLUB_DATABASE
from tests.models.templates import Copy

KEPT = {**NEVER, "OCTAVO_API__CACHING__RESPONSES": "true", "OCTAVO_API__CACHING__ETAGS": "true"}
ARTICLES = "/api/articles?populate[tags]=*&populate[seo]=*&populate[parts]=*&sort=id"
COUNT = "/api/tags?pagination[pageSize]=1"
_HEADER = {"kind": "collectionType"}
_TYPES: Mapping[str, Mapping[str, Any]] = {
    "api/tag/content-types/tag": {
        **_HEADER,
        "collectionName": "tags",
        "info": {"singularName": "tag", "pluralName": "tags", "displayName": "Tag"},
        "attributes": {"name": {"type": "string"}, "views": {"type": "integer"}},
    },
    "api/article/content-types/article": {
        **_HEADER,
        "collectionName": "articles",
        "info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"},
        "options": {"draftAndPublish": True},
        "pluginOptions": {"i18n": {"localized": True}},
        "attributes": {
            "title": {"type": "string"},
            "views": {"type": "integer"},
            "tags": {"type": "relation", "relation": "manyToMany", "target": "api::tag.tag"},
            "seo": {"type": "component", "component": "parts.seo"},
            "parts": {"type": "dynamiczone", "components": ["parts.seo"]},
            "cover": {"type": "media", "multiple": False},
        },
    },
}
_SEO = {
    "collectionName": "components_parts_seos",
    "info": {"displayName": "Seo"},
    "attributes": {"views": {"type": "integer"}, "title": {"type": "string"}},
}


@dataclass
class Press:
    """Two services on one database, which can be the same one, and SQL that bypasses both."""

    one: Club
    two: Club
    file: Path | None
    url: str

    async def sql(self, text: str) -> None:
        """Run a statement as other software does, committed when this returns."""
        if self.file is not None:
            await asyncio.to_thread(_run, self.file, text)
            return
        connection = await asyncpg.connect(self.url)
        try:
            await connection.execute(text)
        finally:
            await connection.close()

    async def follow(self) -> int:
        """Update the table versions now, as services do in the background; return the number of created triggers."""
        return await VersionTracker(self.one.database, registry_of(self.one.octavo)).keep()


def registry_of(service: Process) -> Any:
    """Return the registry that is served."""
    return service.site.registry


def _run(file: Path, text: str) -> None:
    connection = apsw.Connection(str(file))  # the same library: another one in this process would lose its locks
    connection.set_busy_timeout(30_000)
    connection.execute(text).fetchall()
    connection.close()


def hits(club: Club) -> int:
    """Return the number of reused responses."""
    reports = club.octavo.infrastructure.caches.reports()
    return sum(one.hits for one in reports if one.name in ("answers", "quick answers"))


async def get(club: Club, target: str, **named: Any) -> Answer:
    return await club.ask("GET", target, token=FULL, **named)


async def write(club: Club, method: str, path: str, data: Mapping[str, Any]) -> Any:
    answer = await club.ask(method, f"/api/{path}", {"data": data}, FULL)
    assert answer.status == 200, answer.body
    return answer.json["data"]


def _define(folder: Path) -> None:
    for path, schema in _TYPES.items():
        (folder / "src" / path).mkdir(parents=True, exist_ok=True)
        (folder / "src" / path / "schema.json").write_text(json.dumps(schema))
    (folder / "src/components/parts").mkdir(parents=True, exist_ok=True)
    (folder / "src/components/parts/seo.json").write_text(json.dumps(_SEO))


@asynccontextmanager
async def open_press(
    folder: Path, copy: Copy, settings: Mapping[str, str] | None = None, services: int = 1
) -> AsyncIterator[Press]:
    """Open services for a copy of a database. Article 1 has tag 1, a component and a zone, with 0 views each."""
    _define(folder)
    file = folder / CLUB_DATABASE
    copy.place(file)
    variables = {**copy.variables, **KEPT, **(settings or {})}
    async with AsyncExitStack() as stack:
        clubs = [await stack.enter_async_context(open_club(folder, variables, filled=True)) for _ in range(services)]
        press = Press(clubs[0], clubs[-1], file if copy.file is not None else None, copy.url)
        await press.follow()
        await write(press.one, "POST", "tags", {"name": "first", "views": 0})
        seen = {"views": 0, "title": "x"}
        parts = [{"__component": "parts.seo", **seen}]
        await write(press.two, "POST", "articles", {"title": "a", "views": 0, "tags": [1], "seo": seen, "parts": parts})
        for club in clubs:  # a token's last use is written in the background, which changes its table's version
            await club.octavo.infrastructure.authenticator.drain()
        yield press
