"""Precedence of errors: filters, sort, fields, populate at the top level; the order of the request below."""

import pytest

from tests.models.site import Site

pytestmark = pytest.mark.anyio

AUTHOR = "populate[author]"
FIRST = [
    ("fields=a&sort=b&filters[c]=1", "c"),
    ("fields=a&sort=b", "b"),
    (f"{AUTHOR}[fields]=a&fields=b", "b"),
    (f"{AUTHOR}[fields]=a&{AUTHOR}[sort]=b&{AUTHOR}[filters][c]=1", "a"),
    (f"{AUTHOR}[sort]=b&{AUTHOR}[filters][c]=1&{AUTHOR}[fields]=a", "b"),
    (f"{AUTHOR}[filters][c]=1&{AUTHOR}[fields]=a", "c"),
    (f"{AUTHOR}[populate][books][sort]=d&{AUTHOR}[filters][c]=1", "d"),
    (f"{AUTHOR}[filters][c]=1&{AUTHOR}[populate][books][sort]=d", "c"),
    ("populate[genres][fields]=a&populate[author][fields]=b", "a"),
    ("populate[extras][on][shop.quote][fields]=a&populate[extras][on][shop.quote][filters][c]=1", "a"),
]


@pytest.mark.parametrize("query, name", FIRST)
async def test_the_first_fault(bookshop: Site, query: str, name: str) -> None:
    answer = await bookshop.get(f"/api/books?{query}")
    assert (answer.status, answer.json["error"]["message"]) == (400, f"Invalid parameter {name}")


async def test_creators_are_shown_and_not_counted(bookshop: Site) -> None:
    shown = await bookshop.get("/api/authors/1?fields=id&populate=createdBy")
    assert shown.json["data"]["attributes"]["createdBy"]["data"]["attributes"]["firstname"] == "Ada"
    counted = await bookshop.get("/api/authors/1?fields=id&populate[createdBy][count]=true")
    assert counted.body == shown.body
