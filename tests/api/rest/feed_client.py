"""A client of the change feed that calls the application in the same process, without a socket."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.api.http.asgi import call, scope_of
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

PATIENCE = 120
ON = {"OCTAVO_API__EVENTS__ENABLED": "true"}


@dataclass
class Subscriber:
    """One subscriber: the response and the events it received."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    text: str = ""
    longest: int = 0
    """Size of the largest chunk in bytes."""
    is_over: bool = False
    takes: asyncio.Event = field(default_factory=asyncio.Event)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    leaves: asyncio.Event = field(default_factory=asyncio.Event)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.takes.set()

    async def receive(self) -> dict[str, Any]:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        await self.takes.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.text += message["body"].decode()
            self.longest = max(self.longest, len(message["body"]))
            self.is_over = not message.get("more_body", False)
        self.news.set()

    @property
    def blocks(self) -> list[dict[str, str]]:
        """Return the fields of each event so far."""
        whole = self.text.rpartition("\n\n")[0]
        return [dict(line.split(": ", 1) for line in block.split("\n")) for block in whole.split("\n\n") if block]

    @property
    def events(self) -> list[dict[str, Any]]:
        """Return the data of all events that have data."""
        return [json.loads(block["data"]) for block in self.blocks if "data" in block]

    @property
    def changes(self) -> list[tuple[str, int]]:
        """Return event names and entry ids; ids of entries that disappeared are negative."""
        changes = (event for event in self.events if "event" in event)
        return [(event["event"], -event["id"] if event.get("gone") else event["id"]) for event in changes]

    @property
    def last_id(self) -> str:
        """Return the id of the last event, from which a new connection would continue."""
        return next(block["id"] for block in reversed(self.blocks) if "id" in block)

    async def until(self, true: Any) -> None:
        async with asyncio.timeout(PATIENCE):
            while not true():
                self.news.clear()
                await self.news.wait()

    async def expect(self, *changes: tuple[str, int]) -> None:
        """Wait for this many events and compare them."""
        await self.until(lambda: len(self.changes) >= len(changes) or self.is_over)
        assert self.changes == list(changes)


@asynccontextmanager
async def subscribed(
    site: Site, query: str = "", token: str | None = None, last_id: str | None = None, client: str = "192.0.2.1"
) -> AsyncIterator[Subscriber]:
    """Connect to the feed, and wait until it has started or the request was refused."""
    headers = [("Authorization", f"Bearer {token}")] if token else []
    headers += [("Last-Event-ID", last_id)] if last_id else []
    subscriber = Subscriber()
    scope = scope_of("GET", f"/api/events{query}", headers, client)
    task = asyncio.create_task(site.octavo.asgi(scope, subscriber.receive, subscriber.send))
    task.add_done_callback(lambda _: subscriber.done.set())
    try:
        await subscriber.until(lambda: "id: " in subscriber.text or subscriber.is_over)
        yield subscriber
    finally:
        subscriber.leaves.set()
        subscriber.takes.set()
        async with asyncio.timeout(PATIENCE):
            await task


async def write(site: Site, method: str, path: str, data: Any = None, token: str = FULL_TOKEN) -> Any:
    """Send a write over REST and return the data of the response."""
    headers = [("Authorization", f"Bearer {token}"), ("Content-Type", "application/json")]
    body = [json.dumps({"data": data}).encode()] if data is not None else []
    answer = await call(site.octavo.asgi, method, f"/api/{path}", headers, body)
    assert answer.status == 200, answer.body
    return answer.json["data"]
