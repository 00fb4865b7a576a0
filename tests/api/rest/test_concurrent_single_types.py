"""Simultaneous first writes of a single type create one entry for each locale, on each database."""

import asyncio
import json
from typing import Any

import pytest

from tests.api.http.asgi import Answer, call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site, under_safe

pytestmark = pytest.mark.anyio

FRONT = 'mutation { updateFrontPage(data: {headline: "%s"}) { data { id } } }'


async def ask(site: Site, method: str, target: str, body: Any = None) -> Answer:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    return await call(site.octavo.asgi, method, target, headers, [json.dumps(body).encode()] if body else [])


async def empty(site: Site, table: str) -> None:
    await site.database.execute(f"DELETE FROM {table}")


async def locales(site: Site) -> list[str]:
    return [row[0] for row in await site.database.fetch_all("SELECT locale FROM front_pages ORDER BY locale")]


@pytest.mark.parametrize("safe", [False, True])
async def test_ten_simultaneous_first_writes_over_rest_create_one_entry(own_bookshop: Site, safe: bool) -> None:
    if safe:
        async with under_safe(own_bookshop) as site:
            await _ten_over_rest(site)
    else:
        await _ten_over_rest(own_bookshop)


async def _ten_over_rest(site: Site) -> None:
    for _ in range(3):
        for table, target in (("imprints", "/api/imprint"), ("front_pages", "/api/front-page")):
            await empty(site, table)
            puts = (
                ask(site, "PUT", target, {"data": {"headline": f"H{n}"} if "front" in target else {}})
                for n in range(10)
            )
            answers = await asyncio.gather(*puts)
            assert {answer.status for answer in answers} == {200}, [answer.body for answer in answers]
            assert len({answer.json["data"]["id"] for answer in answers}) == 1
            assert await site.database.fetch_value(f"SELECT count(*) FROM {table}") == 1


async def test_ten_simultaneous_first_writes_over_graphql_create_one_entry(own_bookshop: Site) -> None:
    for _ in range(3):
        await empty(own_bookshop, "front_pages")
        asked = (ask(own_bookshop, "POST", "/graphql", {"query": FRONT % f"H{n}"}) for n in range(10))
        answers = await asyncio.gather(*asked)
        assert all("errors" not in answer.json for answer in answers), answers[0].body
        assert await locales(own_bookshop) == ["en"]


async def test_ten_simultaneous_localizations_create_one_for_each_locale(own_bookshop: Site) -> None:
    await empty(own_bookshop, "front_pages")
    assert (await ask(own_bookshop, "PUT", "/api/front-page", {"data": {"headline": "One"}})).status == 200
    bodies = [{"locale": locale, "headline": "Un"} for locale in ("fr", "de-AT") for _ in range(5)]
    answers = await asyncio.gather(*(ask(own_bookshop, "POST", "/api/front-page/localizations", one) for one in bodies))
    assert sorted(answer.status for answer in answers) == [200] * 2 + [400] * 8, [answer.body for answer in answers]
    assert sorted(await locales(own_bookshop)) == ["de-AT", "en", "fr"]
