"""Abilities with fields and conditions in REST and GraphQL: both apply them equally, and cache by the ability's key."""

from typing import Any

import pytest

from octavo.access.authorization.actor import Actor
from tests.access.authorization.conditional import ConditionalAbility, at
from tests.api.graphql.asking import ask, messages
from tests.api.http.asgi import call
from tests.models.bookshop import AUTHOR, BOOK, GENRE
from tests.models.site import Site

pytestmark = pytest.mark.anyio

PREVIEW = "publicationState=preview&sort=id"
LIMITED = ConditionalAbility(
    {AUTHOR: ["rating", "avatar"], BOOK: ["details.binding"]},
    {GENRE: at("rank", "$gt", 40), AUTHOR: at("id", "$ne", 2)},
)
LOW = ConditionalAbility(scopes={GENRE: at("rank", "$lte", 40)})


class Door:
    """A bookshop whose callers have the test's ability."""

    def __init__(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site = site
        self.ability = LIMITED
        monkeypatch.setattr(site.octavo.infrastructure.authenticator, "authenticate", self.authenticate)

    async def authenticate(self, authorization: str | None) -> Actor:
        return Actor("administrator", self.ability, 1)

    async def get(self, target: str) -> Any:
        return (await self.site.get(f"/api/{target}")).json

    async def send(self, method: str, target: str, body: bytes = b"") -> int:
        headers = [("Content-Type", "application/json")] if body else []
        answer = await call(self.site.octavo.asgi, method, f"/api/{target}", headers, [body])
        return answer.status


@pytest.fixture
def door(own_bookshop: Site, monkeypatch: pytest.MonkeyPatch) -> Door:
    return Door(own_bookshop, monkeypatch)


async def test_rest(door: Door) -> None:
    found = await door.get(f"genres?{PREVIEW}&populate=parent")
    assert [entry["id"] for entry in found["data"]] == [5, 6, 7, 8, 9]
    assert found["meta"]["pagination"]["total"] == 5
    assert {entry["attributes"]["parent"]["data"] for entry in found["data"]} == {None}
    assert (await door.get("genres/4"))["error"]["status"] == 404
    assert (await door.get("authors?filters[rating][$gt]=1"))["error"]["message"] == "Invalid parameter rating"
    author = (await door.get("authors/1?populate=*"))["data"]["attributes"]
    assert "rating" not in author
    assert "avatar" not in author
    books = author["books"]["data"]
    assert books
    details = (await door.get("books?locale=all&populate=details"))["data"]
    assert all("binding" not in (book["attributes"]["details"] or {}) for book in details)


async def test_cached_responses_are_shared_only_by_equal_abilities(door: Door) -> None:
    for ability, ids in ((LIMITED, [5, 6, 7, 8, 9]), (LOW, [1, 2, 3, 4]), (LIMITED, [5, 6, 7, 8, 9])):
        door.ability = ability
        assert [entry["id"] for entry in (await door.get(f"genres?{PREVIEW}"))["data"]] == ids
        reported = await ask(door.site, '{ genres(sort: "id", publicationState: PREVIEW) { data { id } } }')
        assert [int(entry["id"]) for entry in reported["data"]["genres"]["data"]] == ids


async def test_rest_writes(door: Door) -> None:
    change = b'{"data": {"name": "changed", "rating": 99}}'
    assert await door.send("PUT", "genres/4", change) == 404
    assert await door.send("DELETE", "genres/4") == 404
    assert await door.send("PUT", "authors/2", change) == 404
    assert await door.send("PUT", "authors/1", change) == 200
    door.ability = ConditionalAbility()
    author = (await door.get("authors/1"))["data"]["attributes"]
    assert (author["name"], author["rating"]) == ("changed", 1.25)
    assert (await door.get("authors/2"))["data"]["attributes"]["name"] == "author river"
    assert (await door.get("genres/4"))["data"]["attributes"]["name"] == "genre 4"


async def test_graphql(door: Door) -> None:
    text = '{ authors(sort: "id") { data { id attributes { name rating } } meta { pagination { total } } } }'
    reported = await ask(door.site, text)
    authors = reported["data"]["authors"]
    assert [entry["id"] for entry in authors["data"]] == ["1", "3", "4", "5", "6", "7"]
    assert authors["meta"]["pagination"]["total"] == 6
    assert {entry["attributes"]["rating"] for entry in authors["data"]} == {None}
    assert messages(reported) == ["Forbidden access"] * 6
    reported = await ask(door.site, "{ author(id: 2) { data { id } } genre(id: 4) { data { id } } }")
    assert reported == {"data": {"author": {"data": None}, "genre": {"data": None}}}
    reported = await ask(door.site, "{ authors(filters: { rating: { gt: 1 } }) { data { id } } }")
    assert (reported["data"]["authors"], messages(reported)) == (None, ["Invalid parameter rating"])
    shown = "genres { data { id } } details { binding weight }"
    reported = await ask(door.site, f'{{ books(sort: "id", locale: "all") {{ data {{ attributes {{ {shown} }} }} }} }}')
    books = [entry["attributes"] for entry in reported["data"]["books"]["data"]]
    assert {int(genre["id"]) for book in books for genre in book["genres"]["data"]} <= {5, 6, 7, 9}
    assert {book["details"]["binding"] for book in books if book["details"]} == {None}
    assert any(book["details"]["weight"] for book in books if book["details"])


async def test_graphql_writes(door: Door) -> None:
    text = 'mutation { updateGenre(id: 4, data: { name: "changed" }) { data { id } } }'
    reported = await ask(door.site, text)
    assert reported["data"]["updateGenre"] == {"data": None}
    text = 'mutation { updateAuthor(id: 1, data: { name: "changed", rating: 99 }) { data { attributes { name } } } }'
    reported = await ask(door.site, text)
    assert reported["data"]["updateAuthor"]["data"]["attributes"] == {"name": "changed"}
    door.ability = ConditionalAbility()
    assert (await door.get("authors/1"))["data"]["attributes"]["rating"] == 1.25
    assert (await door.get("genres/4"))["data"]["attributes"]["name"] == "genre 4"
