"""Operands that databases interpret differently, and filters on entries of several types; on each database."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site, under_safe

pytestmark = pytest.mark.anyio


async def create(site: Site, target: str, **data: Any) -> int:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    answer = await call(site.octavo.asgi, "POST", target, headers, [json.dumps({"data": data}).encode()])
    assert answer.status == 200, answer.body
    created: int = answer.json["data"]["id"]
    return created


async def ids(site: Site, target: str) -> list[int]:
    answer = await site.get(quote(target, safe="/?&=[]$:"), FULL_TOKEN)
    assert answer.status == 200, answer.body
    return [entry["id"] for entry in answer.json["data"]]


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59.999Z", "2255-06-06T00:00:00.001Z", "1901-01-01T00:00:00.999Z"])
async def test_an_instant_equals_itself_in_every_century(own_bookshop: Site, moment: str) -> None:
    book = await create(own_bookshop, "/api/books", title="t", reviewedAt=moment)
    for operator in ("$eq", "$lte", "$gte"):
        assert book in await ids(own_bookshop, f"/api/books?filters[reviewedAt][{operator}]={moment}&sort=id:desc")


async def test_a_capital_dotted_i_is_not_every_i(own_bookshop: Site) -> None:
    dotted = await create(own_bookshop, "/api/books", title="Aİb")
    plain = await create(own_bookshop, "/api/books", title="Aib")
    without = f"filters[id][$in][0]={dotted}&filters[id][$in][1]={plain}"
    assert await ids(own_bookshop, "/api/books?filters[title][$containsi]=İ") == [dotted]
    assert await ids(own_bookshop, "/api/books?filters[title][$eqi]=Aİb") == [dotted]
    assert await ids(own_bookshop, f"/api/books?{without}&filters[title][$notContainsi]=İ") == [plain]
    assert await ids(own_bookshop, f"/api/books?{without}&filters[title][$nei]=Aİb") == [plain]
    assert await ids(own_bookshop, "/api/books?_q=Aİ") == [dotted]


async def test_names_below_a_polymorphic_relation_are_refused_under_safe(own_bookshop: Site) -> None:
    target = "/api/notes?populate[subjects][filters][title]=x"
    assert (await own_bookshop.get(target, FULL_TOKEN)).status == 200
    async with under_safe(own_bookshop) as site:
        answer = await site.get(target, FULL_TOKEN)
    assert (answer.status, answer.json["error"]["message"]) == (400, "Invalid parameter title")
