"""Drafts under the rule `draftsById = "preview"`: on request, for callers who can update entries or read everything."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from octavo.access.authorization.permissions import EVERYTHING, NOTHING, READS, permission_set
from octavo.operations.runtime.process import build
from tests.api.graphql.asking import ask
from tests.api.http.asgi import call
from tests.models.bookshop import BOOK, FULL_TOKEN, GENRE, SOME_TOKEN
from tests.models.people import Hands
from tests.models.site import Site, open_bookshop, postgresql_variables

pytestmark = pytest.mark.anyio

PREVIEW = "publicationState=preview"
WHOLE = "locale=all&pagination[pageSize]=100&fields=id"
DRAFTS = set(range(5, 41, 5))


def strict(site: Site) -> Site:
    """The same site under the rule."""
    settings = site.octavo.settings
    compat = replace(settings.api.compat, drafts_by_id="preview")
    return Site(build(replace(settings, api=replace(settings.api, compat=compat))))


@pytest.fixture
async def shop(bookshop: Site) -> AsyncIterator[Site]:
    site = strict(bookshop)
    await site.database.connect()
    yield site
    await site.database.close()


def found(data: Any) -> set[int]:
    """Return the ids of all entries on a level."""
    return {int(entry["id"]) for entry in data}


async def read(site: Site, target: str, token: str | None = None) -> Any:
    answer = await site.get(target, token)
    assert answer.status == 200, answer.body
    return answer.json["data"]


def test_abilities_that_show_drafts() -> None:
    editor = permission_set([f"{BOOK}.find", f"{BOOK}.update"])
    assert [one.shows_drafts(BOOK) for one in (NOTHING, READS, EVERYTHING, editor)] == [False, True, True, True]
    assert not editor.shows_drafts(GENRE)
    assert not permission_set([f"{BOOK}.find", f"{BOOK}.findOne", f"{BOOK}.create"]).shows_drafts(BOOK)


async def test_lists(shop: Site) -> None:
    live = await read(shop, f"/api/books?{WHOLE}")
    assert not found(live) & DRAFTS
    assert await read(shop, f"/api/books?{WHOLE}&{PREVIEW}") == live
    assert await read(shop, f"/api/books?{WHOLE}&{PREVIEW}", SOME_TOKEN) == live
    assert await read(shop, f"/api/books?{WHOLE}&{PREVIEW}&filters[publishedAt][$null]=true") == []
    assert found(await read(shop, f"/api/books?{WHOLE}&{PREVIEW}", FULL_TOKEN)) == found(live) | DRAFTS
    assert await read(shop, f"/api/books?{WHOLE}", FULL_TOKEN) == live


async def test_totals(shop: Site) -> None:
    assert (await shop.get(f"/api/books?{WHOLE}&{PREVIEW}")).json["meta"]["pagination"]["total"] == 32


@pytest.mark.parametrize(
    "query, token, status",
    [("", None, 404), (PREVIEW, None, 404), ("", FULL_TOKEN, 404), (PREVIEW, FULL_TOKEN, 200)],
)
async def test_by_id(shop: Site, query: str, token: str | None, status: int) -> None:
    assert (await shop.get(f"/api/books/5?{query}", token)).status == status
    assert (await shop.get(f"/api/books/6?{query}", token)).status == 200


RELATED = {
    "asked for the relation": "/api/authors?populate[books][publicationState]=preview",
    "inherited": f"/api/authors?populate=books&{PREVIEW}",
    "inherited by id": f"/api/authors/2?populate=books&{PREVIEW}",
    "below another": f"/api/authors/2?populate[rival][populate][books][publicationState]=preview&{PREVIEW}",
}


def related(data: Any) -> set[int]:
    entries = data if isinstance(data, list) else [data]
    people = [one["attributes"].get("rival", {"data": one})["data"] for one in entries]
    return {id for one in people for id in found(one["attributes"]["books"]["data"])}


@pytest.mark.parametrize("target", RELATED.values(), ids=list(RELATED))
async def test_relations(shop: Site, target: str) -> None:
    everything = related(await read(shop, target, FULL_TOKEN))
    assert everything & DRAFTS
    assert related(await read(shop, target)) == everything - DRAFTS


async def test_numbers_of_related_entries(shop: Site) -> None:
    target = f"/api/authors?{PREVIEW}&populate[books]"
    shown = await read(shop, f"{target}=true")
    counted = await read(shop, f"{target}[count]=true")
    for author, number in zip(shown, counted, strict=True):
        books = author["attributes"]["books"]["data"]
        assert number["attributes"]["books"]["data"]["attributes"]["count"] == len(books)


COMPARED = [
    "filters[books][id]=5",
    "filters[books][id][$in]=5",
    "filters[books][publishedAt][$null]=true",
    "filters[$not][books][id][$ne]=5",
    "filters[rival][books][id]=5",
]


@pytest.mark.parametrize("comparison", COMPARED)
async def test_comparisons(shop: Site, comparison: str) -> None:
    """No entry matches by a hidden draft."""
    target = f"/api/authors?fields=id&{comparison}"
    without = found(await read(shop, target)) - found(await read(shop, "/api/authors?filters[books][id][$null]=true"))
    assert found(await read(shop, target, FULL_TOKEN))
    assert not without


async def test_a_hidden_relation_looks_like_none(shop: Site) -> None:
    shelves = {
        book["id"]: book["attributes"]["shelf"]["data"]
        for book in await read(shop, f"/api/books?{WHOLE}&populate[shelf][publicationState]=preview", FULL_TOKEN)
    }
    hidden = {id for id, shelf in shelves.items() if shelf is not None and shelf["id"] in (4, 8)}
    none = {id for id, shelf in shelves.items() if shelf is None}
    assert hidden
    target = f"/api/books?{WHOLE}&filters[shelf][id]"
    assert found(await read(shop, f"{target}[$null]=true")) == none | hidden
    assert found(await read(shop, f"{target}[$null]=true", FULL_TOKEN)) == none
    assert not found(await read(shop, f"{target}[$notNull]=true")) & hidden
    assert not found(await read(shop, f"{target}[$ne]=1")) & hidden


async def test_a_hidden_relation_does_not_sort(shop: Site) -> None:
    target = f"/api/books?{WHOLE}&filters[$not][shelf][id][$notIn]=4&filters[shelf][rank][$gt]=0"
    assert not found(await read(shop, target)) & found(await read(shop, target, FULL_TOKEN))
    order = [book["id"] for book in await read(shop, f"/api/books?{WHOLE}&sort=shelf.rank:desc")]
    shelves = await read(shop, f"/api/books?{WHOLE}&populate[shelf][fields]=rank&{PREVIEW}")
    ranks = {book["id"]: book["attributes"]["shelf"]["data"] for book in shelves}
    shown = [ranks[id]["attributes"]["rank"] for id in order if ranks[id] is not None]
    assert shown == sorted(shown, reverse=True)
    places = [ranks[id] is None for id in order]
    assert places in (sorted(places), sorted(places, reverse=True))  # nulls are together, including hidden ones


async def test_drafts_are_not_in_the_relations_of_files(shop: Site) -> None:
    def owners(files: Any) -> set[int]:
        return {one["id"] for file in files for one in file["related"] if one["__type"] == BOOK}

    target = "/api/upload/files?populate=related"
    assert owners((await shop.get(target, FULL_TOKEN)).json) == owners((await shop.get(target)).json)
    assert not owners((await shop.get(target)).json) & DRAFTS


GRAPHQL = {
    "a list": '{ books(publicationState: PREVIEW, locale: "all", pagination: {limit: 100}) { data { id } } }',
    "no state in particular": '{ books(publicationState: null, locale: "all", pagination: {limit: 100})'
    " { data { id } } }",
    "related": "{ authors { data { id attributes { books(publicationState: PREVIEW, pagination: {limit: 100})"
    " { data { id } } } } } }",
}


def all_books(answer: Any) -> set[int]:
    data = next(iter(answer["data"].values()))["data"]
    if "attributes" not in data[0]:
        return found(data)
    return {id for one in data for id in found(one["attributes"]["books"]["data"])}


@pytest.mark.parametrize("text", GRAPHQL.values(), ids=list(GRAPHQL))
async def test_graphql(shop: Site, text: str) -> None:
    everything = all_books(await ask(shop, text, FULL_TOKEN))
    assert everything & DRAFTS
    assert all_books(await ask(shop, text)) == everything - DRAFTS


async def test_graphql_by_id(shop: Site) -> None:
    """No argument requests drafts, so no client gets them."""
    text = "{ book(id: %d) { data { id } } }"
    for token in (None, FULL_TOKEN):
        assert (await ask(shop, text % 5, token))["data"] == {"book": {"data": None}}
        assert (await ask(shop, text % 6, token))["data"] == {"book": {"data": {"id": "6"}}}


@pytest.fixture(params=["sqlite", "postgresql"])
async def own(request: pytest.FixtureRequest, anyio_backend: str, tmp_path: Any, still: Hands) -> AsyncIterator[Site]:
    """A writable shop on each database."""
    variables: dict[str, str] = {}
    if request.param == "postgresql":
        variables = postgresql_variables(request.getfixturevalue("postgresql_url"))
    made = await open_bookshop(tmp_path, variables)
    site = strict(made)
    await site.database.connect()
    yield site
    await site.database.close()
    await made.database.close()


async def test_single_types(own: Site) -> None:
    await own.database.execute("UPDATE front_pages SET published_at = NULL")
    assert (await own.get("/api/front-page")).status == 404
    assert (await own.get(f"/api/front-page?{PREVIEW}")).status == 404
    assert (await own.get("/api/front-page", FULL_TOKEN)).status == 404
    assert (await own.get(f"/api/front-page?{PREVIEW}", FULL_TOKEN)).status == 200
    text = "{ frontPage(publicationState: PREVIEW) { data { id } } }"
    assert (await ask(own, text))["data"] == {"frontPage": {"data": None}}
    assert (await ask(own, text, FULL_TOKEN))["data"] == {"frontPage": {"data": {"id": "1"}}}


async def write(site: Site, method: str, target: str, data: Any, token: str | None = None) -> Any:
    headers = [("Content-Type", "application/json")]
    if token is not None:
        headers.append(("Authorization", f"Bearer {token}"))
    answer = await call(site.octavo.asgi, method, target, headers, [json.dumps({"data": data}).encode()])
    assert answer.status == 200, answer.body
    return answer.json["data"]


async def test_callers_who_may_only_create_see_only_their_own_drafts(own: Site) -> None:
    async with own.database.transaction() as transaction:
        await transaction.execute("UPDATE up_permissions SET action = 'api::book.book.create' WHERE id = 2")
    own.octavo.infrastructure.authenticator.invalidate()
    data = {"title": "mine", "publishedAt": None, "similar": [5, 6]}
    made = await write(own, "POST", f"/api/books?fields=title&populate=similar&{PREVIEW}", data)
    assert made["attributes"]["title"] == "mine"
    assert found(made["attributes"]["similar"]["data"]) == {6}


async def test_callers_who_may_update_see_drafts_of_the_type(own: Site) -> None:
    async with own.database.transaction() as transaction:
        await transaction.execute("UPDATE strapi_api_token_permissions SET action = 'api::book.book.update'")
        await transaction.execute(
            "UPDATE up_permissions SET action = 'api::book.book.update' WHERE action = 'api::book.book.findOne'"
        )
    own.octavo.infrastructure.authenticator.invalidate()
    assert found(await read(own, f"/api/books?{WHOLE}&{PREVIEW}")) >= DRAFTS
    shown = await read(own, f"/api/books?{WHOLE}&{PREVIEW}&populate[genres][publicationState]=preview")
    assert not {id for book in shown for id in found(book["attributes"]["genres"]["data"])} & {4, 8}
    changed = await write(own, "PUT", "/api/books/5?fields=title", {"title": "changed"}, SOME_TOKEN)
    assert changed == {"id": 5, "attributes": {"title": "changed"}, "meta": {"availableLocales": []}}
