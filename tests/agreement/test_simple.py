"""With `performance.simple`, a service responds as with all optimizations, and uses none of them."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from octavo.database.request_coalescing import RequestCoalescer
from octavo.operations.runtime.process import build
from octavo.settings.files.server import Performance
from tests.agreement.questions import query_of, questions
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

AT_ONCE = 8


@asynccontextmanager
async def simple_twin(site: Site) -> AsyncIterator[Site]:
    """Serve the same database in another service, without optimizations."""
    server = replace(site.octavo.settings.server, performance=Performance(simple=True))
    octavo = build(replace(site.octavo.settings, server=server))
    await octavo.database.connect()
    try:
        yield Site(octavo)
    finally:
        await octavo.database.close()


@pytest.fixture
async def simple(bookshop: Site) -> AsyncIterator[Site]:
    async with simple_twin(bookshop) as twin:
        yield twin


async def at_once(site: Site, target: str) -> list[Answer]:
    return await asyncio.gather(*(site.get(target) for _ in range(AT_ONCE)))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(questions())
async def test_reads_are_answered_alike(bookshop: Site, simple: Site, params: dict[str, Any]) -> None:
    target = f"/api/books?{query_of(params)}"
    expected = await simple.get(target)
    for answer in [*await at_once(bookshop, target), await bookshop.get(target)]:
        assert (answer.status, answer.json) == (expected.status, expected.json)


async def test_reads_are_not_shared(bookshop: Site, simple: Site) -> None:
    target = "/api/books?populate=*&pagination[pageSize]=100"
    before = RequestCoalescer.joined
    statements = simple.database.statements
    await at_once(simple, target)
    assert RequestCoalescer.joined == before
    assert simple.database.statements - statements >= AT_ONCE
    await at_once(bookshop, target)
    assert RequestCoalescer.joined > before


async def test_writes_are_answered_alike(own_bookshop: Site) -> None:
    async with simple_twin(own_bookshop) as simple:
        made = [
            await write(site, "POST", "/api/books", f"Book {number}")
            for number, site in enumerate([*[own_bookshop] * 5, *[simple] * 5])
        ]
    assert [answer.status for answer in made] == [200] * 10
    values = [answer.json["data"]["attributes"] for answer in made]
    for one in values:
        del one["title"], one["createdAt"], one["updatedAt"], one["publishedAt"]
    assert all(one == values[0] for one in values)


async def test_writes_are_not_prepared(own_bookshop: Site) -> None:
    """A prepared update needs fewer statements, from the fourth body of its shape on."""
    book = (await write(own_bookshop, "POST", "/api/books", "First")).json["data"]["id"]
    async with simple_twin(own_bookshop) as simple:
        for site, is_prepared in ((own_bookshop, True), (simple, False)):
            counts = []
            for number in range(5):
                before = site.database.statements
                await write(site, "PUT", f"/api/books/{book}", f"Book {number}")
                counts.append(site.database.statements - before)
            assert (counts[4] < counts[2]) is is_prepared, counts  # the token's use is recorded meanwhile


async def write(site: Site, method: str, path: str, title: str) -> Answer:
    headers = [("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", "application/json")]
    return await call(site.octavo.asgi, method, path, headers, [json.dumps({"data": {"title": title}}).encode()])
