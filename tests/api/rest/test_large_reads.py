"""Populates that multiply: responses up to the limit succeed, larger ones are refused, and short reads do not wait."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest

from octavo.content.read_limiter import ReadLimiter
from octavo.core.errors import ServiceUnavailable
from octavo.operations.runtime.process import build
from tests.api.graphql.asking import send
from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

KILOBYTE = 1024
MEGABYTE = KILOBYTE**2
WAY = ["books", "author"] * 5 + ["books"]
EXPLOSIVE = "populate=" + ".".join(WAY)
ADVICE = f"Request fewer levels, or fewer entries at {'.'.join(WAY)}"
TOO_LARGE = f"The response would be larger than 64 kB. {ADVICE}"
ONE, MANY = "/api/authors/2", "/api/authors"


@asynccontextmanager
async def limited(site: Site, **limits: Any) -> AsyncIterator[Site]:
    """Serve the same bookshop with other limits."""
    settings = site.octavo.settings
    reads = replace(settings.api.reads, max_cost=limits.pop("cost", 20_000), timeout=limits.pop("timeout", 5_000))
    api = replace(settings.api, max_response_size=limits.pop("largest", MEGABYTE), reads=reads)
    made = Site(build(replace(settings, api=api, database=replace(settings.database, **limits))))
    await made.database.connect()
    yield made
    await made.database.close()


def problem_of(answer: Any) -> tuple[int, str, list[list[str]]]:
    error = answer.json["error"]
    return answer.status, error["message"], [problem["path"] for problem in error["details"]["errors"]]


def check_too_large(site: Site, answer: Any) -> None:
    """Check the refusal of EXPLOSIVE. MySQL measures the response at its end, so the time limit can come first."""
    status, message, paths = problem_of(answer)
    messages = [TOO_LARGE]
    if site.database.dialect.name == "mysql":
        messages.append(f"The response would take too long. {ADVICE}")
    assert (status, paths) == (400, [WAY])
    assert message in messages


@pytest.mark.parametrize("target", [ONE, MANY])
async def test_exponential_requests_are_refused_with_their_path(bookshop: Site, target: str) -> None:
    async with limited(bookshop, largest=64 * KILOBYTE) as site:
        check_too_large(site, await site.get(f"{target}?{EXPLOSIVE}"))
        assert (await site.get(target)).status == 200


async def test_large_intermediate_results_are_refused(bookshop: Site) -> None:
    async with limited(bookshop, largest=64 * KILOBYTE) as site:
        nothing = "[populate]".join(f"[{name}]" for name in WAY[:7])
        status, message, paths = problem_of(await site.get(f"{MANY}?fields=id&populate{nothing}[filters][id]=0"))
        assert (status, message.partition(".")[0], paths) == (400, TOO_LARGE.partition(".")[0], [WAY[:7]])


SHAPES = {
    "flat": "/api/authors",
    "one level": "/api/authors?populate=books",
    "three levels": "/api/authors?populate=books.genres.children,books.extras,books.chapters.footnote",
    "five levels of an entry": "/api/authors/2?populate=books.author.books.author.books.genres",
    "lists of nothing": "/api/genres?fields=id&populate[children][populate][children][filters][id]=0",
}


@pytest.mark.parametrize("target", SHAPES.values(), ids=list(SHAPES))
async def test_responses_up_to_the_limit_succeed(bookshop: Site, target: str) -> None:
    whole = await bookshop.get(target)
    size = whole.body.rindex(b',"meta":') - len(b'{"data":')
    async with limited(bookshop, largest=size) as site:
        assert (await site.get(target)).body == whole.body
    async with limited(bookshop, largest=size - 1) as site:
        status, message, _ = problem_of(await site.get(target))
        assert (status, message.partition(".")[0]) == (400, f"The response would be larger than {size - 1} bytes")


async def test_each_large_read_is_measured_separately(bookshop: Site) -> None:
    target = SHAPES["three levels"]
    whole = await bookshop.get(target)
    async with limited(bookshop, largest=len(whole.body)) as site:
        for _ in range(20):
            assert (await site.get(target)).status == 200


NESTED = "data { attributes { name books(pagination: { limit: 20 }) { %s } } }"


def nested(times: int) -> str:
    inner = "data { id }"
    for _ in range(times):
        inner = "data { attributes { title author { " + NESTED % inner + " } } }"
    return "{ authors { " + NESTED % inner + " } }"


async def test_graphql_lists_that_multiply(bookshop: Site) -> None:
    settings = bookshop.octavo.settings
    graphql = replace(settings.plugins.graphql, config=replace(settings.plugins.graphql.config, depth_limit=60))
    deep = replace(settings, plugins=replace(settings.plugins, graphql=graphql))
    async with limited(Site(build(deep)), largest=8 * KILOBYTE) as site:
        answer = await send(site, {"query": nested(2)})
        assert answer.json["data"] == {"authors": None}
        [error] = answer.json["errors"]
        assert error["message"].partition(".")[0] == "The response would be larger than 8 kB"
        assert error["extensions"]["error"]["details"]["errors"][0]["path"] == WAY[:5]


async def test_root_fields_are_counted_together(bookshop: Site) -> None:
    field = "authors { data { id attributes { name books { data { attributes { title } } } } } }"
    alone = await send(bookshop, {"query": f"{{ a: {field} }}"})
    async with limited(bookshop, largest=2 * len(alone.body)) as site:
        both = await send(site, {"query": f"{{ a: {field} b: {field} }}"})
        assert both.json["data"] == {"a": alone.json["data"]["a"], "b": alone.json["data"]["a"]}
        three = await send(site, {"query": f"{{ a: {field} b: {field} c: {field} }}"})
        assert [error["message"].partition(".")[0] for error in three.json["errors"]] == [
            f"The response would be larger than {2 * len(alone.body)} bytes"
        ]
        assert list(three.json["data"].values()).count(None) == 1


ENDLESS = f"{MANY}?{EXPLOSIVE}.{'.'.join(WAY[1:8])}"


@pytest.mark.parametrize("limits", [{"statement_timeout": 1000}, {"timeout": 100}], ids=["any statement", "large read"])
async def test_slow_reads_are_refused(bookshop: Site, limits: dict[str, int]) -> None:
    async with limited(bookshop, largest=512 * MEGABYTE, cost=10**9, **limits) as site:
        status, message, _ = problem_of(await site.get(ENDLESS))
        assert (status, message.partition(".")[0]) == (400, "The response would take too long")
        assert (await site.get(ONE)).status == 200


async def test_costs_above_the_limit_never_reach_the_database(bookshop: Site) -> None:
    async with limited(bookshop) as site:
        for token in (None, FULL_TOKEN):
            before = site.octavo.database.statements
            status, message, [path] = problem_of(await site.get(ENDLESS, token))
            assert status == 400
            assert message.startswith(
                f"The request costs at least 50012 at {'.'.join(path)}, more than the 20000 that "
            )
            assert "`reads.maxCost` in config/api.toml" in message
            assert site.octavo.database.statements - before <= 2  # authentication and permissions
            assert path[0] == "populate"


async def test_a_costly_write_is_refused_before_it_runs(own_bookshop: Site) -> None:
    async with limited(own_bookshop) as site:
        headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
        body = json.dumps({"data": {"name": "renamed"}}).encode()
        answer = await call(
            site.octavo.asgi,
            "PUT",
            f"{ONE}?{ENDLESS.partition('?')[2]}.author.books",
            headers,
            [body],
        )
        assert "`reads.maxCost`" in problem_of(answer)[1]
        assert b"renamed" not in (await site.get(ONE)).body


async def test_a_write_with_a_response_that_is_too_large_is_rolled_back(own_bookshop: Site) -> None:
    async with limited(own_bookshop, largest=64 * KILOBYTE) as site:
        headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
        before = (await site.get("/api/authors")).body
        renamed = json.dumps({"data": {"name": "renamed"}}).encode()
        answer = await call(site.octavo.asgi, "PUT", f"{ONE}?{quote(EXPLOSIVE, '=')}", headers, [renamed])
        check_too_large(site, answer)
        assert (await call(site.octavo.asgi, "DELETE", f"{ONE}?{EXPLOSIVE}", headers)).status == 400
        assert (await site.get("/api/authors")).body == before


async def test_values_larger_than_an_answer_can_be_written(own_bookshop: Site) -> None:
    async with limited(own_bookshop, largest=64 * KILOBYTE) as site:
        headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
        body = json.dumps({"data": {"title": "long", "body": "x" * 100 * KILOBYTE}}).encode()
        refused = await call(site.octavo.asgi, "PUT", "/api/books/1", headers, [body])
        assert problem_of(refused)[0] == 400
        written = await call(site.octavo.asgi, "PUT", "/api/books/1?fields=title", headers, [body])
        assert (written.status, written.json["data"]["attributes"]) == (200, {"title": "long"})
        assert (await site.get("/api/books/1?fields=body")).status == 400


async def test_the_read_limiter_admits_a_fixed_number() -> None:
    lane, entered = ReadLimiter(2, 0.01), asyncio.Event()
    async with lane, lane:
        with pytest.raises(ServiceUnavailable, match="Too many large reads are waiting"):
            async with lane:
                entered.set()
    assert not entered.is_set()
    async with lane:
        entered.set()
    assert entered.is_set()


LARGE = "populate=books.author.books.author.books"
WAITING = "SELECT count(*) FROM pg_locks, pg_sleep(0.01) WHERE NOT granted AND relation = 'books'::regclass"


async def test_short_reads_find_a_connection(postgresql_bookshop: Site) -> None:
    """Large reads that wait for a locked table can use only half of the connections."""
    pool = replace(postgresql_bookshop.octavo.settings.database.pool, max=4)
    async with limited(postgresql_bookshop, pool=pool) as site:
        async with postgresql_bookshop.database.transaction() as holder:
            await holder.execute_script("LOCK TABLE books IN ACCESS EXCLUSIVE MODE")
            large = [asyncio.create_task(site.get(f"/api/authors/{number}?{LARGE}")) for number in range(1, 8)]
            while await holder.fetch_value(WAITING) < 2:
                pass
            assert (await site.get("/api/genres")).status == 200
            assert await holder.fetch_value(WAITING) == 2
        assert {(await one).status for one in large} == {200}
