"""`populate=deep` over HTTP: one statement, with the permissions and limits of every populate."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from octavo.operations.runtime.process import build
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def deep(site: Site, levels: int) -> AsyncIterator[Site]:
    settings = site.octavo.settings
    rest = replace(settings.api.rest, populate_deep=levels)
    made = Site(build(replace(settings, api=replace(settings.api, rest=rest))))
    await made.database.connect()
    yield made
    await made.database.close()


async def test_deep_equals_the_same_populate_written_out(bookshop: Site) -> None:
    async with deep(bookshop, 2) as site:
        for query in ("populate=deep", "populate=deep,2", "populate[0]=deep"):
            found = await site.get(f"/api/authors?{query}", FULL_TOKEN)
            assert found.status == 200
            assert found.body == (await site.get("/api/authors?populate=*", FULL_TOKEN)).body
        further = await site.get("/api/authors/2?populate=deep,3", FULL_TOKEN)
        books = further.json["data"]["attributes"]["books"]["data"]
        assert books
        assert all("cover" in book["attributes"] for book in books)
        assert await site.statements("/api/authors?populate=deep,3&sort=name", FULL_TOKEN) == 1
        assert (await site.get("/api/authors?populate=deep,20", FULL_TOKEN)).status == 400


async def test_deep_through_circular_lists_is_limited_by_actual_sizes(bookshop: Site) -> None:
    """A limit on list sizes would refuse it, although most of the lists are short."""
    async with deep(bookshop, 4) as site:
        assert (await site.get("/api/authors?populate=deep&pagination[pageSize]=100", FULL_TOKEN)).status == 200
        for name in ("authors", "front-page", "genres"):
            refused = await site.get(f"/api/{name}?populate=deep,6&pagination[pageSize]=100", FULL_TOKEN)
            assert b"The request costs" not in refused.body


async def test_without_the_setting_deep_is_an_ordinary_name(bookshop: Site) -> None:
    found = await bookshop.get("/api/authors?populate=deep,2", FULL_TOKEN)
    assert found.body == (await bookshop.get("/api/authors", FULL_TOKEN)).body
