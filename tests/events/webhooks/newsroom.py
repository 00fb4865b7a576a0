"""A newsroom: a project with webhooks, started, on each database, and a listener that receives the events."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from octavo.access.authentication.api_tokens import create_token
from octavo.events.webhooks.store import Webhooks
from octavo.events.webhooks.webhook import EVENTS, Webhook
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from tests.api.http.asgi import Answer, receiver, scope_of
from tests.cli.projects import make_project, write_type
from tests.http_services import Answer as Reply
from tests.http_services import Asked

ARTICLE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "articles",
    "info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"},
    "options": {"draftAndPublish": True},
    "attributes": {
        "title": {"type": "string", "required": True},
        "note": {"type": "string", "private": True},
        "code": {"type": "password"},
        "stories": {"type": "relation", "relation": "oneToMany", "target": "api::story.story"},
    },
}
UID = "api::article.article"
PATIENCE = 120


@dataclass
class Listener:
    """Records requests. It responds with `first`, if it has the path, or else with `reply`."""

    asked: list[Asked] = field(default_factory=list)
    reply: Reply = field(default_factory=Reply)
    first: dict[str, list[Reply]] = field(default_factory=dict)

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        first = self.first.get(asked.path)
        return first.pop(0) if first else self.reply

    def reset(self) -> None:
        self.asked.clear()
        self.first.clear()
        self.reply = Reply()

    def at(self, path: str) -> list[Asked]:
        return [one for one in self.asked if one.path == path]

    def bodies(self, path: str) -> list[dict[str, Any]]:
        return [json.loads(one.body) for one in self.at(path)]

    def events(self, path: str) -> list[str]:
        return [str(body["event"]) for body in self.bodies(path)]


@dataclass
class Newsroom:
    """A started service and the listener of its webhooks."""

    octavo: Process
    token: str
    url: str
    listener: Listener

    @property
    def webhooks(self) -> Webhooks:
        return self.octavo.infrastructure.webhooks

    async def ask(self, method: str, path: str, data: Any = None) -> Answer:
        """Return the response to a request below /api, with data if given."""
        return await self.send(method, path, b"" if data is None else json.dumps({"data": data}).encode())

    async def send(self, method: str, path: str, body: bytes, kind: str = "application/json") -> Answer:
        """Return the response to a request below /api."""
        sent: list[dict[str, Any]] = []

        async def send(message: Any) -> None:
            sent.append(message)

        headers = (("Authorization", f"Bearer {self.token}"), ("Content-Type", kind))
        await self.octavo.asgi(scope_of(method, f"/api/{path}", headers), receiver((body,) if body else ()), send)
        start, *pieces = sent
        named = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        return Answer(start["status"], named, b"".join(piece.get("body", b"") for piece in pieces))

    async def make(self, **data: Any) -> int:
        """Create an article and return its id."""
        answer = await self.ask("POST", "articles", {"title": "one", **data})
        assert answer.status == 200, answer.body
        return int(answer.json["data"]["id"])

    async def hook(self, path: str, **given: Any) -> Webhook:
        """Create a webhook to a path of the listener, for all events by default."""
        return await self.webhooks.create(**{"name": path, "url": self.url + path, "events": EVENTS, **given})


@asynccontextmanager
async def open_newsroom(
    folder: Path, variables: Mapping[str, str], url: str, listener: Listener
) -> AsyncIterator[Newsroom]:
    """Start a newsroom that is allowed to send to the listener."""
    make_project(folder)
    write_type(folder, ARTICLE)
    host = url.removeprefix("http://")
    settings = load_settings(folder, {**variables, "OCTAVO_SERVER__WEBHOOKS__PRIVATE_HOSTS": host}, mode="production")
    octavo = build(settings)
    await octavo.asgi.start()
    try:
        token = await create_token(octavo.database, "salt", "all", "full-access")
        yield Newsroom(octavo, token, url, listener)
    finally:
        await octavo.asgi.stop()


async def settled(newsroom: Newsroom) -> None:
    """Wait until nothing is left to deliver."""
    async with asyncio.timeout(PATIENCE):
        while await newsroom.octavo.database.fetch_value("SELECT count(*) FROM octavo_outbox"):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
