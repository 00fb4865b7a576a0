"""All pages together contain every entry once, in the order of the whole list."""

from itertools import chain
from typing import Any

import pytest

from tests.models.site import Site

pytestmark = pytest.mark.anyio

LISTS = [
    "fields=id",
    "fields=id&sort=order",
    "fields=id&sort=order:desc",
    "fields=id&sort[0]=weird-name&sort[1]=pages:desc",
    "fields=id&sort=author.name",
    "fields=id&sort=genres.rank:desc",
    "fields=id&sort=chapters.footnote.text",
    "fields=id&filters[genres][rank][$gte]=10",
    "fields=id&filters[$or][0][genres][rank][$gt]=30&filters[$or][1][chapters][pages][$gt]=5&sort=author.name:desc",
    "fields=id&publicationState=preview&locale=all&sort=locale",
]


async def ids(site: Site, target: str) -> tuple[list[int], dict[str, Any]]:
    answer = await site.get(target)
    assert answer.status == 200, answer.body
    return [item["id"] for item in answer.json["data"]], answer.json["meta"]["pagination"]


@pytest.mark.parametrize("asked", LISTS)
async def test_all_pages_together_are_the_list(bookshop: Site, asked: str) -> None:
    whole, meta = await ids(bookshop, f"/api/books?{asked}&pagination[limit]=100")
    assert len(set(whole)) == len(whole) == meta["total"] > 10
    by_page, by_offset = [], []
    for number in range(6):
        page, counted = await ids(bookshop, f"/api/books?{asked}&pagination[page]={number + 1}&pagination[pageSize]=7")
        assert counted == {"page": number + 1, "pageSize": 7, "pageCount": -(-len(whole) // 7), "total": len(whole)}
        part, _ = await ids(bookshop, f"/api/books?{asked}&pagination[start]={number * 7}&pagination[limit]=7")
        by_page += page
        by_offset += part
    assert by_page == by_offset == whole


async def test_parts_of_populated_lists_together_are_the_list(bookshop: Site) -> None:
    asked = "/api/authors?fields=id&populate[books][fields]=id&populate[books][sort]=pages:desc"

    async def books(part: str) -> list[list[int]]:
        answer = await bookshop.get(asked + part)
        return [[book["id"] for book in item["attributes"]["books"]["data"]] for item in answer.json["data"]]

    whole = await books("")
    parts = [await books(f"&populate[books][start]={start}&populate[books][limit]=2") for start in range(0, 40, 2)]
    assert max(map(len, whole)) > 2
    assert [list(chain(*lists)) for lists in zip(*parts, strict=True)] == whole
