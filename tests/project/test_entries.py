"""Entries for a project's code: drafts on request, under every profile."""

from collections.abc import AsyncIterator

import pytest

from octavo.sdk.entries import Entries
from tests.models.bookshop import BOOK, GENRE
from tests.models.site import Site, under_safe

pytestmark = pytest.mark.anyio
DRAFTS = [4, 8]


@pytest.fixture(params=["v4", "safe"])
async def shop(request: pytest.FixtureRequest, bookshop: Site) -> AsyncIterator[Site]:
    if request.param == "v4":
        yield bookshop
        return
    async with under_safe(bookshop) as site:
        yield site


def entries(site: Site, uid: str = GENRE) -> Entries:
    return Entries(site.octavo.site.services.controller, site.octavo.site.registry.content_types[uid])


async def test_drafts_are_included_unless_only_published_entries_are_requested(shop: Site) -> None:
    genres = entries(shop)
    found = [entry.id for entry in await genres.find_many(sort="id")]
    live = [entry.id for entry in await genres.find_many(sort="id", publication_state="live")]
    assert found == list(range(1, 10))
    assert live == [number for number in found if number not in DRAFTS]
    assert (await genres.count(), await genres.count(publication_state="live")) == (9, 7)


async def test_a_draft_is_found_by_its_id(shop: Site) -> None:
    draft = await entries(shop).find_one(4, populate="parent")
    assert draft is not None
    assert (draft["name"], draft["parent"]["name"], draft["publishedAt"]) == ("genre 4", "genre 2", None)
    assert await entries(shop).find_one(99) is None


async def test_filters_of_a_count_and_the_default_locale(shop: Site) -> None:
    assert await entries(shop).count(filters={"rank": {"$gt": 50}}) == 4
    assert await entries(shop, BOOK).count(locale="all") == 40
    assert await entries(shop, BOOK).count() == await entries(shop, BOOK).count(locale="en")


async def test_code_creates_drafts_and_finds_them(own_bookshop: Site) -> None:
    async with under_safe(own_bookshop) as site:
        vaults = entries(site)
        made = await vaults.create({"name": "new"})
        assert (made["name"], made["publishedAt"]) == ("new", None)
        assert (await vaults.update(made.id, {"name": "newer"}))["name"] == "newer"
        assert (await vaults.delete(made.id))["name"] == "newer"
