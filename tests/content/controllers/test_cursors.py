"""Cursors: the pages add up to the whole list for every sort order; limited totals."""

import base64
import itertools
import json
from typing import Any
from urllib.parse import quote

import pytest

from octavo.query.cursors import MOST_SORTS, NO_CURSOR
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

BOOKS = "/api/books?locale=all&publicationState=preview&fields[0]=title"


async def read(site: Site, target: str) -> Any:
    answer = await site.get(target, FULL_TOKEN)
    assert answer.status == 200, answer.body
    return answer.json


async def refused(site: Site, target: str) -> str:
    answer = await site.get(target, FULL_TOKEN)
    assert answer.status == 400, answer.body
    return str(answer.json["error"]["message"])


async def pages(site: Site, target: str, limit: int) -> list[int]:
    """Return the ids of all pages, following the cursors."""
    found, cursor = [], ""
    while cursor is not None:
        page = await read(site, f"{target}&pagination[limit]={limit}&pagination[after]={cursor}")
        found += [entry["id"] for entry in page["data"]]
        cursor = page["meta"]["pagination"]["after"]
    return found


SORTS = [
    "",
    *(f"sort={name}:{direction}" for name in ("pages", "author.name", "publishedAt") for direction in ("asc", "desc")),
    "sort=pages:desc,title",
    "sort=publishedAt,pages:desc,id:desc",
    "sort=author.name:desc,pages&filters[pages][$notNull]=true",
    "sort=title&_q=e",
]


@pytest.mark.parametrize("sort", SORTS)
async def test_pages_by_cursors_add_up_to_the_list(bookshop: Site, sort: str) -> None:
    target = f"{BOOKS}&{sort}"
    whole = [entry["id"] for entry in (await read(bookshop, f"{target}&pagination[limit]=100"))["data"]]
    assert len(whole) > 1
    for limit in (1, 2, 100):
        assert await pages(bookshop, target, limit) == whole


async def test_lists_sorted_by_every_scalar(bookshop: Site) -> None:
    """Values are compared with those in cursors to the last digit, in every type of column."""
    attributes = bookshop.octavo.site.registry.content_types["api::book.book"].scalars
    for attribute, direction in itertools.product(attributes, ("asc", "desc")):
        if attribute.private or attribute.type == "password":
            continue
        target = f"{BOOKS}&sort={quote(attribute.name)}:{direction}"
        whole = [entry["id"] for entry in (await read(bookshop, f"{target}&pagination[limit]=100"))["data"]]
        assert await pages(bookshop, target, 3) == whole, attribute


async def test_a_page_is_one_statement_with_a_plan_by_shape(bookshop: Site) -> None:
    first = await read(bookshop, f"{BOOKS}&sort=pages&pagination[limit]=1&pagination[after]=")
    cursor = first["meta"]["pagination"]["after"]
    assert (
        await bookshop.statements(f"{BOOKS}&sort=pages&pagination[limit]=2&pagination[after]={cursor}", FULL_TOKEN) == 1
    )


async def test_pagination_in_the_response(bookshop: Site) -> None:
    counted = await read(bookshop, f"{BOOKS}&pagination[pageSize]=2&pagination[after]=")
    whole = (await read(bookshop, BOOKS))["meta"]["pagination"]["total"]
    reported = counted["meta"]["pagination"]
    assert reported == {"limit": 2, "total": whole, "after": reported["after"]}
    rest = await read(
        bookshop, f"{BOOKS}&pagination[withCount]=false&pagination[limit]=100&pagination[after]={reported['after']}"
    )
    assert rest["meta"]["pagination"] == {"limit": 100, "after": None}
    assert len(rest["data"]) == whole - 2


def forged(cursor: str, keys: list[Any]) -> str:
    whole = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    return base64.urlsafe_b64encode(whole[:12] + json.dumps(keys).encode()).decode().rstrip("=")


async def test_cursors_of_others_are_refused(bookshop: Site) -> None:
    begin = f"{BOOKS}&sort=publishedAt&pagination[limit]=1&pagination[after]="
    cursor = (await read(bookshop, begin))["meta"]["pagination"]["after"]
    for other in (
        f"{BOOKS}&sort=publishedAt:desc",
        f"{BOOKS}&sort=publishedAt&filters[pages][$gt]=1",
        BOOKS.replace("preview", "live") + "&sort=publishedAt",
        BOOKS.replace("all", "en") + "&sort=publishedAt",
        f"{BOOKS}&sort=publishedAt&_q=a",
        "/api/genres?sort=publishedAt",
    ):
        assert "pagination.after belongs to another list" in await refused(
            bookshop, f"{other}&pagination[after]={cursor}"
        )
    assert (await read(bookshop, begin.replace("limit]=1", "limit]=7") + cursor))["data"]
    forgeries: list[Any] = [[1], [None, "1"], [None, True], ["2020-99-99 00:00:00", 1], [[], 1], ["x\0", 1], {}]
    for keys in forgeries:
        answer = await bookshop.get(f"{begin}{forged(cursor, keys)}", FULL_TOKEN)
        assert answer.status in (200, 400), keys
        if answer.status == 400:
            assert answer.json["error"]["message"] == NO_CURSOR
    for text in ("x", "é", "!!!", "A" * 40, quote("[]"), cursor[:-3]):
        assert "pagination.after is" in await refused(bookshop, f"{begin}{quote(text)}")


async def test_parameters_that_exclude_cursors(bookshop: Site) -> None:
    for other in ("page", "start"):
        message = await refused(bookshop, f"{BOOKS}&pagination[after]=&pagination[{other}]=1")
        assert message == "Invalid pagination: pagination.after cannot be combined with page or start"
    message = await refused(bookshop, f"{BOOKS}&pagination[after][x]=1")
    assert message == "Invalid pagination: expected a string at pagination.after"
    many = ",".join(["id", "title", "slug", "pages", "isbn", "createdAt", "updatedAt", "publishedAt", "locale"])
    assert f"at most {MOST_SORTS} attributes" in await refused(bookshop, f"{BOOKS}&sort={many}&pagination[after]=")


async def test_totals_are_counted_up_to_the_requested_maximum(bookshop: Site) -> None:
    whole = (await read(bookshop, BOOKS))["meta"]["pagination"]["total"]
    for most in (0, 1, whole - 1, whole, whole + 1, 10**30):
        for extra in ("", "&filters[title][$containsi]=e"):
            total = (await read(bookshop, BOOKS + extra))["meta"]["pagination"]["total"]
            reported = (await read(bookshop, f"{BOOKS}{extra}&pagination[maxCount]={most}"))["meta"]["pagination"]
            assert (reported["total"], reported["isCapped"]) == (min(total, most), total > most)
    reported = (await read(bookshop, f"{BOOKS}&pagination[start]=1&pagination[maxCount]=1"))["meta"]["pagination"]
    assert reported == {"start": 1, "limit": 25, "total": 1, "isCapped": True}
    reported = (await read(bookshop, f"{BOOKS}&pagination[maxCount]=1&pagination[withCount]=false"))["meta"][
        "pagination"
    ]
    assert reported == {"page": 1, "pageSize": 25}
    for nonsense in ("x", "-1"):
        assert "pagination.maxCount" in await refused(bookshop, f"{BOOKS}&pagination[maxCount]={nonsense}")
