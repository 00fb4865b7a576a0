"""Purges of CDNs and reverse proxies: in the format of each, batched, and retried while they are unreachable."""

import asyncio
import json
import logging
import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from octavo.access.authentication.api_tokens import create_token
from octavo.core.clock import this_moment
from octavo.events.outbox import describe_message, list_waiting
from octavo.operations.runtime.process import Process, build
from octavo.settings import load_settings
from octavo.settings.problems import SettingsError
from tests.api.http.asgi import Answer, call
from tests.cli.processes import run
from tests.cli.projects import make_project, write_type
from tests.http_services import Answer as Reply
from tests.http_services import Asked, serving
from tests.models.site import postgresql_variables
from tests.postgresql_server import PostgresqlServer

pytestmark = pytest.mark.anyio

PATIENCE = 120
UID, TOKEN = "api::article.article", "a-token-that-nobody-sees"
MANY_AT_ONCE = {
    "OCTAVO_API__CACHING__PURGE__DELAY": "500ms",
    "OCTAVO_MIDDLEWARES__REQUESTS__CONCURRENCY": "2000",
    "OCTAVO_MIDDLEWARES__REQUESTS__CONCURRENCY_PER_CLIENT": "2000",
}
"""One client may send a thousand concurrent requests: its default share is a quarter of the queue."""
KEYED = {"OCTAVO_API__CACHING__SURROGATE_KEYS__HEADERS": "Surrogate-Key"}
ARTICLE = {
    "kind": "collectionType",
    "collectionName": "articles",
    "info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"},
    "attributes": {"title": {"type": "string"}},
}


@dataclass
class Front:
    """A cache that records its requests. `reply` is its response."""

    asked: list[Asked] = field(default_factory=list)
    reply: Reply = field(default_factory=Reply)

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        return self.reply

    def named(self, header: str = "surrogate-key") -> set[str]:
        """Return all tags that it received in a header and confirmed."""
        return {tag for one in self.asked for tag in one.headers.get(header, "").split()}


@dataclass
class Newsroom:
    octavo: Process
    token: str
    front: Front

    async def write(self, method: str, path: str, data: Any = None) -> Answer:
        headers = (("Authorization", f"Bearer {self.token}"), ("Content-Type", "application/json"))
        chunks = () if data is None else (json.dumps({"data": data}).encode(),)
        answer = await call(self.octavo.asgi, method, f"/api/{path}", headers, chunks)
        assert answer.status == 200, answer.body
        return answer

    async def make(self) -> int:
        return int((await self.write("POST", "articles", {"title": "one"})).json["data"]["id"])

    async def until_purged(self, *tags: str, header: str = "surrogate-key") -> None:
        await until(lambda: set(tags) <= self.front.named(header))

    async def until_all_purged(self) -> None:
        database = self.octavo.database
        async with asyncio.timeout(PATIENCE):
            while await database.fetch_value("SELECT count(*) FROM octavo_outbox"):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)


async def until(true: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.005)


@asynccontextmanager
async def open_newsroom(folder: Path, front: Front, **settings: str) -> AsyncIterator[Newsroom]:
    """Open a started service with settings for caches."""
    variables = {**KEYED, "OCTAVO_API__CACHING__PURGE__REPEAT": "", **settings}
    if not (folder / "src").exists():
        make_project(folder)
        write_type(folder, ARTICLE)
    octavo = build(load_settings(folder, variables, mode="production"))
    await octavo.asgi.start()
    try:
        token = await create_token(octavo.database, "salt", f"all {token_hex(4)}", "full-access")
        yield Newsroom(octavo, token, front)
    finally:
        await octavo.asgi.stop()


def caches(**tables: dict[str, str]) -> dict[str, str]:
    return {"OCTAVO_API__CACHING__PURGE__CACHES": json.dumps(tables)}


async def until_refused(newsroom: Newsroom) -> None:
    """Wait until `octavo jobs list` shows the failed purges and their reason."""
    async with asyncio.timeout(PATIENCE):
        while not (found := [one for one in await list_waiting(newsroom.octavo.database) if one.error]):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
    for one in found:
        assert re.fullmatch(r"any, api::article\.article, .* in two", describe_message(one.payload))
        assert re.fullmatch(r"127\.0\.0\.1 returned 503; failing since 20.*Z", one.error or "")


@pytest.fixture(params=["sqlite", "postgresql"])
def database_variables(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    server: PostgresqlServer = request.getfixturevalue("postgresql_server")
    return postgresql_variables(server.create_database())


async def test_a_purge_has_the_format_of_each_cache(
    anyio_backend: str, tmp_path: Path, database_variables: dict[str, str]
) -> None:
    front = Front()
    with serving(front.answer) as url:
        reported = caches(
            varnish={"kind": "purge", "url": f"{url}/varnish", "token": TOKEN},
            fastly={"kind": "fastly", "url": f"{url}/fastly", "service": "SID", "token": TOKEN},
            cloud={"kind": "cloudflare", "url": f"{url}/cloud", "zone": "ZID", "token": TOKEN},
        )
        reported["OCTAVO_API__CACHING__SURROGATE_KEYS__PREFIX"] = "shop-"
        async with open_newsroom(tmp_path, front, **reported, **database_variables) as newsroom:
            number = await newsroom.make()
            await newsroom.until_all_purged()
    tags = [f"shop-{tag}" for tag in ("any", UID, f"{UID}:{number}")]
    asked = {one.path: one for one in front.asked if set(tags) <= purged_tags(one)}
    varnish, fastly, cloud = (
        asked["/varnish"],
        asked["/fastly/service/SID/purge"],
        asked["/cloud/zones/ZID/purge_cache"],
    )
    assert (varnish.method, varnish.headers["authorization"]) == ("PURGE", f"Bearer {TOKEN}")
    assert (fastly.method, fastly.headers["fastly-key"]) == ("POST", TOKEN)
    assert (cloud.method, cloud.headers["authorization"]) == ("POST", f"Bearer {TOKEN}")


def purged_tags(asked: Asked) -> set[str]:
    body = json.loads(asked.body) if asked.body else {}
    return {*asked.headers.get("surrogate-key", "").split(), *body.get("tags", ())}


async def test_a_thousand_changes_are_few_requests(anyio_backend: str, tmp_path: Path) -> None:
    front, written = Front(), threading.Event()

    def answer_after_all(asked: Asked) -> Reply:
        """The cache is as slow as the writes, so the number of purge requests does not depend on the machine."""
        written.wait(PATIENCE)
        return front.answer(asked)

    with serving(answer_after_all) as url:
        reported = caches(varnish={"kind": "purge", "url": url}) | MANY_AT_ONCE
        async with open_newsroom(tmp_path, front, **reported) as newsroom:
            try:
                await asyncio.gather(*(newsroom.make() for _ in range(1000)))
            finally:
                written.set()
            await newsroom.until_all_purged()
    assert f"{UID}:one" in front.named() or len(front.named()) > 1000
    assert len(front.asked) < 100


async def test_purges_are_repeated_later(anyio_backend: str, tmp_path: Path) -> None:
    front = Front()
    with serving(front.answer) as url:
        reported = caches(varnish={"kind": "purge", "url": url}) | {
            "OCTAVO_API__CACHING__PURGE__REPEAT": "100ms, 250ms"
        }
        async with open_newsroom(tmp_path, front, **reported) as newsroom:
            number = await newsroom.make()
            await newsroom.until_all_purged()
    assert sum(f"{UID}:{number}" in purged_tags(one) for one in front.asked) == 3


async def test_an_unreachable_cache_gets_its_purges_later_and_delays_no_other(
    anyio_backend: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    there, away = Front(), Front(reply=Reply(503))
    with serving(there.answer) as url, serving(away.answer) as other:
        reported = caches(
            one={"kind": "purge", "url": url},
            two={"kind": "fastly", "url": other, "service": "SID", "token": TOKEN},
        )
        async with open_newsroom(tmp_path, there, **reported) as newsroom:
            numbers = [await newsroom.make() for _ in range(3)]
            tags = [f"{UID}:{number}" for number in numbers]
            await newsroom.until_purged(*tags)
            await until(lambda: away.asked)
            await until_refused(newsroom)
            away.asked.clear()
            away.reply = Reply()
            await newsroom.until_all_purged()
            uses = {one.name: one for one in newsroom.octavo.infrastructure.purges.uses()}
    assert (uses["one"].sent > 0, uses["one"].failed) == (True, 0)
    assert uses["two"].sent > 0 < uses["two"].failed
    assert set(tags) <= away.named()
    said = [record.getMessage() for record in caplog.records if "cache two" in record.getMessage()]
    assert said == [
        "Could not purge the cache two; retrying: 127.0.0.1 returned 503",
        "Purging the cache two works again",
    ]
    assert TOKEN not in caplog.text


async def test_pending_purges_are_sent_after_a_restart(anyio_backend: str, tmp_path: Path) -> None:
    front = Front()
    async with open_newsroom(
        tmp_path, front, **caches(one={"kind": "purge", "url": "http://127.0.0.1:9/"})
    ) as newsroom:
        number = await newsroom.make()
    with serving(front.answer) as url:
        async with open_newsroom(tmp_path, front, **caches(one={"kind": "purge", "url": url})) as newsroom:
            await newsroom.until_purged(f"{UID}:{number}")


async def test_publications_in_the_future_are_purged_on_time_also_after_a_restart(
    anyio_backend: str, tmp_path: Path
) -> None:
    """Until that time, caches store a response without the entry."""
    front = Front()
    drafted = {**ARTICLE, "options": {"draftAndPublish": True}}
    make_project(tmp_path)
    write_type(tmp_path, drafted)
    hidden = {"OCTAVO_API__COMPAT__FUTURE_PUBLICATION": "hidden"}
    reported: list[tuple[int, str]] = []

    def answer(asked: Asked) -> Reply:
        reported.append((this_moment(), asked.headers.get("surrogate-key", "")))
        return front.answer(asked)

    with serving(answer) as url:
        cached = {**hidden, **caches(one={"kind": "purge", "url": url})}
        async with open_newsroom(tmp_path, front, **cached) as newsroom:
            number = await newsroom.make()
            appears = this_moment() + 3000
            await newsroom.write("PUT", f"articles/{number}", {"publishedAt": appears})
        async with open_newsroom(tmp_path, front, **cached) as newsroom:
            tags = {UID, f"{UID}:{number}"}
            await until(lambda: any(at >= appears and tags <= set(names.split()) for at, names in reported))
            await newsroom.write("GET", f"articles/{number}")


async def test_other_definitions_purge_everything(anyio_backend: str, tmp_path: Path) -> None:
    front = Front()
    with serving(front.answer) as url:
        async with open_newsroom(tmp_path, front, **caches(one={"kind": "purge", "url": url})) as newsroom:
            await newsroom.octavo.reload()
            await newsroom.until_purged("all")


async def test_a_command_purges_writes_of_other_programs(anyio_backend: str, tmp_path: Path) -> None:
    front = Front()
    with serving(front.answer) as url:
        reported = caches(one={"kind": "purge", "url": url})
        async with open_newsroom(tmp_path, front, **reported) as newsroom:
            for tags, wanted in (((UID,), ("any", UID, f"{UID}:one")), ((f"{UID}:7",), (f"{UID}:7",)), ((), ("all",))):
                code, _ = await asyncio.to_thread(run, "purge", *tags, "--project", str(tmp_path), **KEYED, **reported)
                assert code == 0
                await newsroom.until_purged(*wanted)  # waiting events are delivered together
    code, said = run("purge", "--project", str(tmp_path))
    assert (code != 0, "caching.purge.caches" in said) == (True, True)


async def test_no_purge_is_stored_without_caches(anyio_backend: str, tmp_path: Path) -> None:
    async with open_newsroom(tmp_path, Front(), OCTAVO_SERVER__BACKGROUND="false") as newsroom:
        await newsroom.make()
        assert await newsroom.octavo.database.fetch_value("SELECT count(*) FROM octavo_outbox") == 0


@pytest.mark.parametrize(
    "table, place",
    [
        ({"kind": "squid"}, r"one\.kind"),
        ({"kind": "fastly", "service": "x"}, r"one\.token"),
        ({"kind": "purge", "url": "ftp://x"}, r"one\.url"),
        ({"kind": "purge", "url": "http://user:secret@x/"}, r"one\.url"),
        ({"kind": "cloudflare", "zone": "../x", "token": TOKEN}, r"one\.zone"),
        ({"kind": "purge", "url": "http://x", "tokens": TOKEN}, r"one\.tokens"),
        ({"kind": "purge", "url": "http://x", "token": f"{TOKEN}\n"}, r"one\.token"),
    ],
)
def test_invalid_cache_settings_stop_the_start(tmp_path: Path, table: dict[str, str], place: str) -> None:
    named = {**KEYED, **caches(one=table)}
    with pytest.raises(SettingsError, match=rf"caching\.purge\.caches\.{place}") as refused:
        load_settings(tmp_path, named)
    assert TOKEN not in str(refused.value)
    assert "secret@" not in str(refused.value)


def test_a_cache_that_knows_no_tags_is_refused_at_a_start(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"surrogateKeys\.headers"):
        load_settings(tmp_path, caches(one={"kind": "purge", "url": "http://x"}))


def test_replicas_that_lag_are_waited_for(tmp_path: Path) -> None:
    lagging = {
        **KEYED,
        **caches(one={"kind": "purge", "url": "http://x"}),
        "OCTAVO_DATABASE__REPLICAS": "postgresql://replica/content",
        "OCTAVO_DATABASE__REPLICA_LAG": "5000",
    }
    with pytest.raises(SettingsError, match=r"caching\.purge\.repeat"):
        load_settings(tmp_path, lagging)


def test_a_token_must_be_in_the_environment(tmp_path: Path) -> None:
    settings = load_settings(
        tmp_path,
        {
            **KEYED,
            **caches(one={"kind": "fastly", "service": "x"}),
            "OCTAVO_API__CACHING__PURGE__CACHES__ONE__TOKEN": "12345",
        },
    )
    assert "12345" not in repr(settings)
