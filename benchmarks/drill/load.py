"""Requests at a constant rate through the proxy, and a record of every response and every acknowledged write."""

import asyncio
import itertools
import random
import re
import ssl
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from tests.cluster.load import POPULATED, QUERY, UNKNOWN, Results
from tests.cluster.proxies import HOST

CONCURRENT: Final = 400
"""Most requests in flight: beyond it the load skips requests instead of using up this machine."""
TIMEOUT_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Response:
    """One response, or the error that took its place (status 0)."""

    kind: str
    status: int
    seconds: float
    detail: str = ""


@dataclass(slots=True)
class Window:
    """The responses that arrived during one step."""

    responses: list[Response] = field(default_factory=list)

    @property
    def statuses(self) -> Counter[int]:
        """The number of responses by status; 0 is a broken connection."""
        return Counter(one.status for one in self.responses)

    def other_than(self, *statuses: int) -> list[str]:
        """Describe responses with any other status, at most one for each kind and status."""
        unexpected = {
            (one.kind, one.status): f"{one.kind}: {one.status} {one.detail}"
            for one in self.responses
            if one.status not in statuses
        }
        return [unexpected[key] for key in sorted(unexpected)]

    def summary(self) -> str:
        """Return the number of responses by status, and the slowest response."""
        slowest = max((one.seconds for one in self.responses), default=0.0)
        counts = ", ".join(f"{number} x {status or 'no response'}" for status, number in sorted(self.statuses.items()))
        return f"{counts}; slowest {slowest:.1f} s"


class Load:
    """Clients of the proxy: four reads for each write."""

    def __init__(self, port: int, certificate: str, headers: Mapping[str, str], rate: float) -> None:
        self.results = Results()
        self._client = httpx.AsyncClient(
            base_url=f"https://127.0.0.1:{port}",
            verify=ssl.create_default_context(cafile=certificate),
            headers={**headers, "Host": HOST},
            timeout=TIMEOUT_SECONDS,
            limits=httpx.Limits(max_connections=CONCURRENT, max_keepalive_connections=50),
        )
        self._pause = 1 / rate
        self._windows: list[Window] = []
        self._numbers = itertools.count()
        self._random = random.Random(7)
        self._not_updated: list[int] = []
        self._requests: set[asyncio.Task[None]] = set()
        self._sender: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to send requests."""
        self._sender = asyncio.create_task(self._send_forever())

    async def stop(self) -> None:
        """Send no more requests and wait for those in flight."""
        if self._sender is not None:
            self._sender.cancel()
        await asyncio.gather(*self._requests)
        await self._client.aclose()

    @contextmanager
    def window(self) -> Iterator[Window]:
        """Collect the responses that arrive during the block."""
        window = Window()
        self._windows.append(window)
        try:
            yield window
        finally:
            self._windows.remove(window)

    async def settle(self) -> None:
        """Wait until the requests in flight are answered."""
        await asyncio.gather(*list(self._requests))

    async def wait_until_answered(self, seconds: float) -> float:
        """Return the seconds until a read and a write succeed. Raises TimeoutError after `seconds`."""
        began = time.monotonic()
        async with asyncio.timeout(seconds):
            for request in (self._list, self._create):
                while (await request()).status != 200:  # noqa: ASYNC110 - the service sends no event
                    await asyncio.sleep(0.1)
        return time.monotonic() - began

    async def _send_forever(self) -> None:
        kinds = [self._list, self._list, self._one, self._graphql, self._create]
        kinds += [self._list, self._one, self._list, self._graphql, self._update]
        due = time.monotonic()
        for request in itertools.cycle(kinds):
            due += self._pause
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            if len(self._requests) < CONCURRENT:
                task = asyncio.create_task(self._record(request))
                self._requests.add(task)
                task.add_done_callback(self._requests.discard)

    async def _record(self, request: Callable[[], Awaitable[Response]]) -> None:
        response = await request()
        for window in self._windows:
            window.responses.append(response)

    async def _request(self, kind: str, method: str, path: str, **options: Any) -> tuple[Response, Any]:
        began = time.monotonic()
        try:
            answer = await self._client.request(method, path, extensions={"sni_hostname": HOST}, **options)
        except httpx.HTTPError as error:
            return Response(kind, 0, time.monotonic() - began, repr(error)), None
        seconds = time.monotonic() - began
        if answer.status_code != 200:
            return Response(kind, answer.status_code, seconds, _first_words(answer.text)), None
        try:
            return Response(kind, 200, seconds), answer.json()
        except ValueError:
            return Response(kind, 200, seconds, f"not JSON: {_first_words(answer.text)}"), None

    async def _list(self) -> Response:
        return (await self._request("list", "GET", POPULATED))[0]

    async def _one(self) -> Response:
        path = f"/api/articles/{self._any_article()}?populate=tags&publicationState=preview"
        return (await self._request("one entry", "GET", path))[0]

    async def _graphql(self) -> Response:
        response, body = await self._request("GraphQL", "POST", "/graphql", json={"query": QUERY})
        if body is not None and body.get("errors"):
            return Response("GraphQL", 200, response.seconds, str(body["errors"])[:200])
        return response

    async def _create(self) -> Response:
        key = f"drill-{next(self._numbers)}"
        self.results.attempted.add(key)
        data = {"title": key, "key": key, "tags": [1, 2, 3], "author": 1, "parts": [{"text": "a"}, {"text": "b"}]}
        body = {"data": data | {"publishedAt": None}}
        response, created = await self._request("create", "POST", "/api/articles", json=body)
        if created is not None:
            self.results.created[key] = created["data"]["id"]
            self._not_updated.append(created["data"]["id"])
        elif response.status in UNKNOWN or response.status == 0:
            self.results.unknown["create"] += 1
        return response

    async def _update(self) -> Response:
        """Update an entry that has not been updated, so that a late write cannot be mistaken for a lost one."""
        if not self._not_updated:
            return await self._create()
        article = self._not_updated.pop()
        self.results.reads[article] = (0, 1)
        data = {"reads": 1, "tags": [3, 1], "parts": [{"text": "1"}]}
        response, updated = await self._request("update", "PUT", f"/api/articles/{article}", json={"data": data})
        if updated is not None:
            self.results.reads[article] = (1, 1)
        return response

    def _any_article(self) -> int:
        """Return an article that exists: one that this load created, or the first of the site."""
        return self._random.choice(list(self.results.created.values())[-200:] or [1])


def _first_words(body: str) -> str:
    """Return the beginning of an error's text, without markup."""
    return " ".join(re.sub("<[^>]*>", " ", body).split())[:200]
