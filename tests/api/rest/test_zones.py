"""Dynamic zones: populated by component (`on`), and with components that they do not list; on each database."""

import json
from typing import Any

import pytest

from octavo.access.authorization.permissions import EVERYTHING
from octavo.query.ast import Populate, Query
from octavo.query.request import By, Drafts, ReadRequest
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import BOOK, FULL_TOKEN
from tests.models.site import Site, another

pytestmark = pytest.mark.anyio

CHAPTERS = "populate[extras][on][shop.chapter]"
DRAFT = 4
"""The id of a genre."""


async def genres(site: Site, query: str) -> list[int]:
    """Return the genres of the first chapter in the zone of book 3."""
    answer = await site.get(f"/api/books/3?{CHAPTERS}[populate][genres][fields]=id&{query}", FULL_TOKEN)
    chapter = answer.json["data"]["attributes"]["extras"][0]
    return [genre["id"] for genre in chapter["genres"]["data"]]


async def test_publication_state_applies_to_one_component(own_bookshop: Site) -> None:
    await own_bookshop.database.execute(
        f"UPDATE components_shop_chapters_genres_links SET genre_id = {DRAFT} WHERE genre_id = 2"
    )
    assert await genres(own_bookshop, "") == [DRAFT, 3]
    assert await genres(own_bookshop, f"{CHAPTERS}[publicationState]=live") == [3]
    assert await genres(own_bookshop, f"{CHAPTERS}[publicationState]=preview") == [DRAFT, 3]


# Components that the zone does not list

NOTE = {"__component": "shop.footnote", "text": "unlisted", "order": 2, "passphrase": "secret"}
DETAILS = {"__component": "shop.details", "binding": "hard", "barcode": "private", "printedBy": 2, "vault": 1}
QUOTE = {"__component": "shop.quote", "text": "listed"}


async def write(site: Site, method: str, target: str, extras: list[Any]) -> Answer:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    body = json.dumps({"data": {"title": "t", "extras": extras}}).encode()
    return await call(site.octavo.asgi, method, target, headers, [body])


async def kinds(site: Site, book: int, query: str) -> list[str]:
    answer = await site.get(f"/api/books/{book}?{query}", FULL_TOKEN)
    assert answer.status == 200, answer.body
    return [item["__component"] for item in answer.json["data"]["attributes"]["extras"]]


async def test_zones_accept_and_show_unlisted_components(own_bookshop: Site) -> None:
    made = await write(own_bookshop, "POST", "/api/books?populate=extras", [NOTE, QUOTE, DETAILS])
    shown = made.json["data"]["attributes"]["extras"]
    assert [{**item, "id": 0} for item in shown] == [
        {"id": 0, "__component": "shop.footnote", "text": "unlisted", "order": 2},
        {"id": 0, "__component": "shop.quote", "text": "listed"},
        {"id": 0, "__component": "shop.details", "binding": "hard", "weight": None},
    ]
    assert [list(item)[:2] for item in shown] == [["id", "__component"]] * 3  # in this order, as observed
    book = made.json["data"]["id"]
    for query in ("populate=*", "populate=extras", "populate[extras][populate]=*"):
        assert await kinds(own_bookshop, book, query) == ["shop.footnote", "shop.quote", "shop.details"]


async def test_unlisted_components_are_populated_like_others(own_bookshop: Site) -> None:
    book = (await write(own_bookshop, "POST", "/api/books", [DETAILS])).json["data"]["id"]
    for query in ("[populate][printedBy][fields]=name", "[on][shop.details][populate][printedBy][fields]=name"):
        answer = await own_bookshop.get(f"/api/books/{book}?populate[extras]{query}", FULL_TOKEN)
        (details,) = answer.json["data"]["attributes"]["extras"]
        assert details["printedBy"] == {"data": {"id": 2, "attributes": {"name": "author river"}}}
        public = await own_bookshop.get(f"/api/books/{book}?populate[extras][populate]=*")
        assert "vault" not in public.json["data"]["attributes"]["extras"][0], "which is not public"


async def test_unlisted_components_can_be_populated(own_bookshop: Site) -> None:
    book = (await write(own_bookshop, "POST", "/api/books", [NOTE, QUOTE, DETAILS])).json["data"]["id"]
    on = "populate[extras][on]"
    assert await kinds(own_bookshop, book, f"{on}[shop.details]=true") == ["shop.details"]
    assert await kinds(own_bookshop, book, f"{on}[shop.quote]=true&{on}[shop.footnote]=true") == [
        "shop.footnote",
        "shop.quote",
    ]
    assert await kinds(own_bookshop, book, f"{on}[shop.nothing]=true") == []


async def test_other_processes_see_unlisted_components(own_bookshop: Site) -> None:
    """Also for a request that was prepared before, whose values stay at their indexes."""
    query = "populate[extras][populate][genres][pagination][limit]=1&populate[extras][populate][notes][limit]=2"
    details = {**DETAILS, "notes": [{"text": f"note {number}"} for number in range(3)]}
    async with another(own_bookshop) as other:
        book = (await write(own_bookshop, "POST", "/api/books", [QUOTE])).json["data"]["id"]
        for target in (f"/api/books/{book}?{query}", f"/api/books?filters[id][$gte]={book}&{query}"):
            assert (await other.get(target, FULL_TOKEN)).status == 200
        await write(own_bookshop, "PUT", f"/api/books/{book}", [details, QUOTE])
        one = await other.get(f"/api/books/{book}?{query}", FULL_TOKEN)
        many = await other.get(f"/api/books?filters[id][$gte]={book}&{query}", FULL_TOKEN)
    assert [entry["attributes"] for entry in many.json["data"]] == [one.json["data"]["attributes"]]
    extras = one.json["data"]["attributes"]["extras"]
    assert [item["__component"] for item in extras] == ["shop.details", "shop.quote"]
    assert [note["text"] for note in extras[0]["notes"]] == ["note 0", "note 1"]


async def test_reading_a_zone_is_one_statement_once_it_is_known(own_bookshop: Site) -> None:
    reads = own_bookshop.octavo.site.services.controller.reads
    query = Query(populate=(Populate(name="extras", query=Query(populate_all=True)),))
    book = reads.registry.content_types[BOOK]
    prepared = reads.prepare(ReadRequest(content_type=book, query=query, by=By.ID, drafts=Drafts.ANY), EVERYTHING)

    async def statements() -> int:
        before = own_bookshop.database.statements
        await reads.find_one(prepared.bind(id=3))
        return own_bookshop.database.statements - before

    assert await statements() == 1
    async with another(own_bookshop) as other:
        await write(other, "PUT", "/api/books/3", [NOTE, DETAILS, NOTE])
    assert [await statements(), await statements()] == [2, 1]


async def test_missing_components_are_left_out(own_bookshop: Site) -> None:
    book = (await write(own_bookshop, "POST", "/api/books", [NOTE, QUOTE])).json["data"]["id"]
    gone = "UPDATE books_components SET component_type = 'shop.gone' WHERE component_type = 'shop.footnote'"
    await own_bookshop.database.execute(f"{gone} AND entity_id = {book}")
    assert await kinds(own_bookshop, book, "populate=extras") == ["shop.quote"]


async def test_the_rule_refuses_unlisted_components_and_shows_stored_ones(own_bookshop: Site) -> None:
    stored = (await write(own_bookshop, "POST", "/api/books", [NOTE, QUOTE])).json["data"]["id"]
    async with another(own_bookshop, zone_components="allowed") as strict:
        assert await kinds(strict, stored, "populate=extras") == ["shop.footnote", "shop.quote"]
        for method, target in (("POST", "/api/books"), ("PUT", f"/api/books/{stored}")):
            for item in (NOTE, {"__component": "shop.nothing"}):
                refused = await write(strict, method, target, [QUOTE, item])
                reported = refused.json["error"]["details"]["errors"][0]
                assert (refused.status, reported["path"]) == (400, ["extras", "1", "__component"])
                allowed = "shop.quote, shop.chapter, shop-odd.banner-2"
                assert reported["message"] == f"extras[1].__component must be one of the following values: {allowed}"
        assert await kinds(strict, stored, "populate=extras") == ["shop.footnote", "shop.quote"]
        assert (await write(strict, "PUT", f"/api/books/{stored}", [QUOTE])).status == 200
