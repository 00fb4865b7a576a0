"""A mixed load through the balancer, and the check of the data after it."""

import asyncio
import itertools
import random
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

UNKNOWN: Final = frozenset({502, 503, 504})
"""Statuses of writes with an unknown result: the node was killed."""
POPULATED: Final = "/api/articles?populate=*&pagination[pageSize]=5&sort=id:desc&publicationState=preview"
QUERY: Final = """{ articles(pagination: {limit: 3}) {
  data { id attributes { title tags { data { id } } } } meta { pagination { total } } } }"""


@dataclass
class Results:
    """Responses that clients received."""

    failed: list[str] = field(default_factory=list)
    """Unexpected responses: failed reads, and writes refused without a reason."""
    done: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    created: dict[str, int] = field(default_factory=dict)
    """Ids of entries by key."""
    attempted: set[str] = field(default_factory=set)
    reads: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By entry: the last acknowledged value, and the last sent one."""
    published: set[int] = field(default_factory=set)
    uploaded: dict[int, str] = field(default_factory=dict)


class Load:
    """Clients of one balancer. `tokens`: `api`, and those of administrators and users."""

    def __init__(self, address: str, token: str, admin: Mapping[str, str], user: Mapping[str, str]) -> None:
        self.results = Results()
        self._client = httpx.AsyncClient(base_url=address, timeout=30, limits=httpx.Limits(max_connections=50))
        self._headers = {"Authorization": f"Bearer {token}"}
        self._admin, self._user = admin, user
        self._ended = False
        self._numbers = itertools.count()
        self._name = secrets.token_hex(3)
        self._random = random.Random(7)

    async def run(self, until: Callable[[], Awaitable[None]]) -> Results:
        """Run the load until `until` ends."""
        works = [self._list, self._list, self._one, self._graphql, self._create, self._create, self._update]
        works += [self._publish, self._upload, self._sign_in, self._administer]
        tasks = [asyncio.create_task(self._again_and_again(work)) for work in works]
        try:
            await until()
        finally:
            self._ended = True
            await asyncio.gather(*tasks)
            await self._client.aclose()
        return self.results

    async def _again_and_again(self, work: Callable[[], Awaitable[None]]) -> None:
        while not self._ended:
            await work()
            await asyncio.sleep(0.005)

    async def _read(self, name: str, path: str, headers: Mapping[str, str] | None = None) -> httpx.Response | None:
        try:
            answer = await self._client.get(path, headers=headers or self._headers)
        except httpx.HTTPError as error:
            self.results.failed.append(f"{name}: {error!r}")
            return None
        if answer.status_code != 200:
            self.results.failed.append(f"{name}: {answer.status_code} {answer.text[:300]}")
            return None
        self.results.done[name] += 1
        return answer

    async def _write(self, name: str, method: str, path: str, **given: Any) -> dict[str, Any] | None:
        """Return the response, or None if it was not acknowledged."""
        given.setdefault("headers", self._headers)
        try:
            answer = await self._client.request(method, path, **given)
        except httpx.HTTPError:
            self.results.unknown[name] += 1
            return None
        if answer.status_code in UNKNOWN:
            self.results.unknown[f"{name} {answer.status_code}"] += 1
            return None
        if answer.status_code >= 300:
            self.results.failed.append(f"{name}: {answer.status_code} {answer.text[:300]}")
            return None
        self.results.done[name] += 1
        body = answer.json()
        first: dict[str, Any] = body[0] if isinstance(body, list) else body
        return first

    def _any_created(self) -> int | None:
        ids = list(self.results.created.values())
        return self._random.choice(ids) if ids else None

    async def _list(self) -> None:
        await self._read("list", POPULATED)

    async def _one(self) -> None:
        found = self._any_created()
        if found is not None:
            await self._read("one", f"/api/articles/{found}?populate=tags&publicationState=preview")

    async def _graphql(self) -> None:
        answer = await self._read("graphql", f"/graphql?{httpx.QueryParams({'query': QUERY})}")
        if answer is not None and answer.json().get("errors"):
            self.results.failed.append(f"graphql: {answer.text[:300]}")

    async def _create(self) -> None:
        key = f"{self._name}-{next(self._numbers)}"
        self.results.attempted.add(key)
        data = {"title": key, "key": key, "tags": [1, 2, 3], "author": 1, "parts": [{"text": "a"}, {"text": "b"}]}
        made = await self._write("create", "POST", "/api/articles", json={"data": data | {"publishedAt": None}})
        if made is not None:
            self.results.created[key] = made["data"]["id"]

    async def _update(self) -> None:
        found = self._any_created()
        if found is None or found in self.results.published:
            return
        acknowledged, sent = self.results.reads.get(found, (0, 0))
        self.results.reads[found] = (acknowledged, sent + 1)
        data = {"reads": sent + 1, "tags": [3, 1], "parts": [{"text": str(sent + 1)}]}
        if await self._write("update", "PUT", f"/api/articles/{found}", json={"data": data}) is not None:
            self.results.reads[found] = (sent + 1, sent + 1)

    async def _publish(self) -> None:
        found = self._any_created()
        if found is None:
            return
        data = {"publishedAt": "2024-01-01T00:00:00.000Z"}
        if await self._write("publish", "PUT", f"/api/articles/{found}", json={"data": data}) is not None:
            self.results.published.add(found)

    async def _upload(self) -> None:
        name = f"note-{next(self._numbers)}.txt"
        made = await self._write("upload", "POST", "/api/upload", files={"files": (name, name.encode() * 50)})
        if made is not None:
            self.results.uploaded[made["id"]] = name
        await asyncio.sleep(0.1)

    async def _sign_in(self) -> None:
        answer = await self._write("sign in", "POST", "/api/auth/local", json=dict(self._user), headers={})
        if answer is not None:
            await self._read("me", "/api/users/me", {"Authorization": f"Bearer {answer['jwt']}"})
        await asyncio.sleep(0.2)

    async def _administer(self) -> None:
        answer = await self._write("admin sign in", "POST", "/admin/login", json=dict(self._admin), headers={})
        if answer is not None:
            headers = {"Authorization": f"Bearer {answer['data']['token']}"}
            await self._read("admin list", "/content-manager/collection-types/api::article.article?page=1", headers)
            await self._read("admin me", "/admin/users/me", headers)
        await asyncio.sleep(0.2)


def problems(results: Results, sql: Callable[[str], str]) -> list[str]:
    """Return lost, duplicate and partial writes. `sql` returns the rows of a query."""
    found = list(results.failed)
    keys = [line for line in sql("SELECT key || '|' || id FROM articles WHERE key IS NOT NULL").splitlines() if line]
    counted = Counter(line.partition("|")[0] for line in keys)
    stored = {line.partition("|")[0]: int(line.partition("|")[2]) for line in keys}
    found += [f"{key} is lost" for key, entry in results.created.items() if stored.get(key) != entry]
    found += [f"{key} is there {number} times" for key, number in counted.items() if number > 1]
    found += [
        f"{key} is there and was not acknowledged as {entry}"
        for key, entry in stored.items()
        if results.created.get(key, entry) != entry
    ]
    values = dict(line.split("|") for line in sql("SELECT id || '|' || coalesce(reads, 0) FROM articles").splitlines())
    for entry, (acknowledged, sent) in results.reads.items():
        value = values.get(str(entry))
        if value is None or not acknowledged <= int(value) <= sent:
            found.append(f"article {entry} has {value}, acknowledged {acknowledged}, sent {sent}")
    published = set(sql("SELECT id FROM articles WHERE published_at IS NOT NULL").split())
    found += [f"article {entry} is not published" for entry in results.published if str(entry) not in published]
    files = set(sql("SELECT id FROM files").split())
    found += [f"file {entry} is lost" for entry in results.uploaded if str(entry) not in files]
    for what, query in UNSOUND.items():
        found += [f"{what}: {line}" for line in sql(query).splitlines() if line][:5]
    return found


UNSOUND: Final = {
    "a link of an article that is not there": """SELECT l.id FROM articles_tags_links l
        LEFT JOIN articles a ON a.id = l.article_id LEFT JOIN tags t ON t.id = l.tag_id
        WHERE a.id IS NULL OR t.id IS NULL""",
    "an article that is half written": """SELECT a.id FROM articles a WHERE key IS NOT NULL AND (
        (SELECT count(*) FROM articles_tags_links l WHERE l.article_id = a.id) NOT IN (2, 3)
        OR (SELECT count(*) FROM articles_components c WHERE c.entity_id = a.id)
           <> CASE WHEN (SELECT count(*) FROM articles_tags_links l WHERE l.article_id = a.id) = 2 THEN 1 ELSE 2 END
        OR (SELECT count(*) FROM articles_author_links l WHERE l.article_id = a.id) <> 1)""",
    "a link that is there twice": """SELECT article_id, tag_id FROM articles_tags_links
        GROUP BY 1, 2 HAVING count(*) > 1""",
    "tags in no order": """SELECT article_id FROM articles_tags_links
        GROUP BY article_id, tag_order HAVING count(*) > 1""",
    "a component of nobody": """SELECT p.id FROM components_press_parts p WHERE NOT EXISTS
        (SELECT 1 FROM articles_components c WHERE c.component_id = p.id)""",
    "a total that is wrong": """SELECT k.total, a.n FROM (SELECT sum(total) AS total FROM octavo_totals
        WHERE relation = 'articles'::regclass AND known IS NULL) k, (SELECT count(*) AS n FROM articles) a
        WHERE k.total <> a.n""",
}
