"""Mixed load for the soak, and a ledger of acknowledged writes, which must all exist at the end.

Each client has its own entries, so it knows the expected values of each.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

import httpx

from benchmarks.soak_watch import YARDSTICK, Watch

ENTRIES = 30
"""Entries that a client has at a time. Older ones are deleted, so that the content does not grow."""
PATIENCE = 60.0
_AUTHORS = "/api/authors"
_READS: tuple[tuple[str, Callable[[Random], str]], ...] = (
    ("list", lambda random: f"/api/articles?pagination[page]={random.randint(1, 8)}"),
    ("one", lambda random: f"/api/articles/{random.randint(1, 200)}"),
    ("populated", lambda _: "/api/articles?populate=*&pagination[pageSize]=10"),
    ("filtered", lambda random: f"/api/articles?filters[author][slug][$eq]=author-{random.randint(1, 400)}"),
)
_QUERY = "{ articles(pagination: {limit: 10}) { data { id attributes { title author { data { id } } } } } }"


@dataclass(slots=True)
class Entry:
    """The possible values of an entry: one of `values`; the last one was sent last.

    `id` is None while it is unknown whether the entry was created. `leaving`: its deletion was requested; `gone`:
    acknowledged.
    """

    name: str
    values: list[str]
    id: int | None = None
    gone: bool = False
    leaving: bool = False


@dataclass(slots=True)
class Load:
    """Sends requests at a constant rate and reports them to `watch`."""

    url: str
    token: str
    rate: float
    callers: int
    watch: Watch
    entries: list[Entry] = field(default_factory=list)
    unexpected: deque[str] = field(default_factory=lambda: deque(maxlen=50))
    unexpected_count: int = 0
    _numbers: Any = field(default_factory=lambda: count(1))

    async def run(self, until: float) -> None:
        """Run until a time of the monotonic clock."""
        async with httpx.AsyncClient(base_url=self.url, timeout=PATIENCE) as client:
            await asyncio.gather(*(self._call_on(client, Random(number), until) for number in range(self.callers)))

    async def _call_on(self, client: httpx.AsyncClient, random: Random, until: float) -> None:
        mine: deque[Entry] = deque()
        pause = self.callers / self.rate
        while time.monotonic() < until:
            begun = time.monotonic()
            await self._one(client, random, mine)
            spent = time.monotonic() - begun
            await asyncio.sleep(max(0.0, pause * random.uniform(0.5, 1.5) - spent))

    async def _one(self, client: httpx.AsyncClient, random: Random, mine: deque[Entry]) -> None:
        chance = random.random()
        if chance < 0.1:
            await self._ask(YARDSTICK, client.get("/_health"))
        elif chance < 0.6:
            kind, path = random.choice(_READS)
            await self._ask(kind, client.get(path(random)))
        elif chance < 0.75:
            await self._ask("graphql", client.post("/graphql", json={"query": _QUERY}))
        elif chance < 0.85 or not mine:
            await self._create(client, mine)
        else:
            await self._update(client, random.choice(mine))
        if len(mine) > ENTRIES:
            await self._delete(client, mine.popleft())

    async def _ask(self, kind: str, call: Awaitable[httpx.Response]) -> httpx.Response | None:
        """Return the response, or None if the request failed, which is allowed only during a fault."""
        begun, tolerant = time.monotonic(), self.watch.is_broken
        try:
            answer = await call
        except httpx.HTTPError as error:
            said = repr(error)
        else:
            if answer.status_code < 400 or (kind == "one" and answer.status_code == 404):  # a draft
                self.watch.see(kind, time.monotonic() - begun)
                return answer
            said = f"{answer.status_code} {answer.text[:300]}"
        self.watch.see_failure(kind)
        if not (tolerant or self.watch.is_broken):
            self.unexpected_count += 1
            self.unexpected.append(f"{self.watch.elapsed():.0f} s: {kind}: {said}")
        return None

    @property
    def _headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def _create(self, client: httpx.AsyncClient, mine: deque[Entry]) -> None:
        number = next(self._numbers)
        entry = Entry(f"soak {number}", ["first"])
        self.entries.append(entry)
        data = {"name": entry.name, "slug": f"soak-{number}", "role": "first"}
        answer = await self._ask("create", client.post(_AUTHORS, json={"data": data}, headers=self._headers))
        if answer is not None:
            entry.id = answer.json()["data"]["id"]
            mine.append(entry)

    async def _update(self, client: httpx.AsyncClient, entry: Entry) -> None:
        value = f"value {next(self._numbers)}"
        entry.values.append(value)
        call = client.put(f"{_AUTHORS}/{entry.id}", json={"data": {"role": value}}, headers=self._headers)
        if await self._ask("update", call) is not None:
            entry.values = [value]

    async def _delete(self, client: httpx.AsyncClient, entry: Entry) -> None:
        entry.leaving = True
        call = client.delete(f"{_AUTHORS}/{entry.id}", headers=self._headers)
        if await self._ask("delete", call) is not None:
            entry.gone = True

    async def losses(self) -> list[str]:
        """Return the differences between acknowledged values and what the service returns."""
        found = await self._read_back()
        return [said for entry in self.entries if (said := loss(entry, found))]

    async def _read_back(self) -> dict[str, tuple[int, str]]:
        """Return id and value of all entries of the load, by name."""
        found: dict[str, tuple[int, str]] = {}
        async with httpx.AsyncClient(base_url=self.url, timeout=PATIENCE) as client:
            for page in count(1):
                query = f"?filters[name][$startsWith]=soak&sort=id&pagination[pageSize]=100&pagination[page]={page}"
                answer = await client.get(_AUTHORS + query, headers=self._headers)
                data = answer.raise_for_status().json()["data"]
                for one in data:
                    name = one["attributes"]["name"]
                    if name in found:
                        raise AssertionError(f"{name} is there twice")
                    found[name] = one["id"], one["attributes"]["role"]
                if not data:
                    return found
        raise AssertionError


def loss(entry: Entry, found: Mapping[str, tuple[int, str]]) -> str | None:
    """Return the difference from an entry's acknowledged values, or None. `found` has id and value by name."""
    stored = found.get(entry.name)
    if entry.id is None or (entry.leaving and not entry.gone):
        return None  # not acknowledged
    if entry.gone:
        return f"{entry.name} was removed, and is there" if stored else None
    if stored is None or stored[0] != entry.id:
        return f"{entry.name} was made, and is not there"
    return None if stored[1] in entry.values else f"{entry.name} holds {stored[1]!r}, not one of {entry.values}"
