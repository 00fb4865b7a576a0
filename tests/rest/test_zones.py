"""Dynamic zones asked for kind by kind (`on`): each kind has parameters of its own, on each database."""

import pytest

from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

CHAPTERS = "populate[extras][on][shop.chapter]"
DRAFT = 4
"""A genre."""


async def genres(site: Site, query: str) -> list[int]:
    """The genres of the first chapter in the zone of book 3."""
    answer = await site.get(f"/api/books/3?{CHAPTERS}[populate][genres][fields]=id&{query}", FULL_TOKEN)
    chapter = answer.json["data"]["attributes"]["extras"][0]
    return [genre["id"] for genre in chapter["genres"]["data"]]


async def test_a_kind_says_which_related_entries_it_shows(own_bookshop: Site) -> None:
    await own_bookshop.database.execute(
        f"UPDATE components_shop_chapters_genres_links SET genre_id = {DRAFT} WHERE genre_id = 2"
    )
    assert await genres(own_bookshop, "") == [DRAFT, 3]
    assert await genres(own_bookshop, f"{CHAPTERS}[publicationState]=live") == [3]
    assert await genres(own_bookshop, f"{CHAPTERS}[publicationState]=preview") == [DRAFT, 3]
