"""Permissions over GraphQL, on every path to the data."""

import pytest

from tests.api.graphql.asking import ask, messages, send
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio


async def test_a_forbidden_root_field_is_null_and_others_are_returned(bookshop: Site) -> None:
    answer = await ask(bookshop, "{ vaults { data { id } } authors { data { id } } }")
    assert answer["data"]["vaults"] is None
    assert len(answer["data"]["authors"]["data"]) == 7
    assert messages(answer) == ["Forbidden access"]
    assert answer["errors"][0]["extensions"]["code"] == "FORBIDDEN"


async def test_custom_tokens_allow_only_their_actions(bookshop: Site) -> None:
    answer = await ask(bookshop, "{ books { data { id } } book(id: 1) { data { id } } }", SOME_TOKEN)
    assert answer["data"]["books"]["data"] != []
    assert answer["data"]["book"] is None
    assert messages(answer) == ["Forbidden access"]


@pytest.mark.parametrize("token", [None, FULL_TOKEN])
async def test_a_forbidden_relation_is_null_with_an_error_for_each_occurrence(
    bookshop: Site, token: str | None
) -> None:
    text = '{ genres(sort: "id", pagination: { limit: 3 }) { data { attributes { vault { data { id } } } } } }'
    answer = await ask(bookshop, text, token)
    found = [entry["attributes"]["vault"] for entry in answer["data"]["genres"]["data"]]
    assert found == ([None] * 3 if token is None else [{"data": {"id": "1"}}] * 3)
    assert messages(answer) == (["Forbidden access"] * 3 if token is None else [])


@pytest.mark.parametrize("operation", ["createVault(data: {})", "updateBook(id: 1, data: {})", "deleteNote(id: 1)"])
async def test_writing_requires_permission(bookshop: Site, operation: str) -> None:
    for token in (None, SOME_TOKEN):
        answer = await ask(bookshop, f"mutation {{ it: {operation} {{ data {{ id }} }} }}", token)
        assert answer["data"] == {"it": None}
        assert messages(answer) == ["Forbidden access"]


@pytest.mark.parametrize("name", ["secretNote", "hiddenAuthor { data { id } }", "createdBy", "password"])
async def test_private_attributes_cannot_be_selected(bookshop: Site, name: str) -> None:
    text = f"{{ books {{ data {{ attributes {{ {name} }} }} }} }}"
    assert (await send(bookshop, {"query": text}, FULL_TOKEN)).status == 400


async def test_passwords_are_never_returned(bookshop: Site) -> None:
    answer = await ask(bookshop, "{ books { data { attributes { pin } } } }", FULL_TOKEN)
    assert {entry["attributes"]["pin"] for entry in answer["data"]["books"]["data"]} == {None}


@pytest.mark.parametrize(
    "arguments",
    [
        'filters: { secretNote: { startsWith: "s" } }',
        'filters: { not: { or: [{ secretNote: { eq: "s" } }] } }',
        'filters: { author: { token: { contains: "t" } } }',
        'filters: { pin: { contains: "$2" } }',
        "filters: { hiddenAuthor: { id: { eq: 1 } } }",
        'sort: "secretNote"',
        'sort: ["title", "author.token:desc"]',
        'sort: "pin"',
    ],
)
async def test_private_attributes_cannot_be_compared(bookshop: Site, arguments: str) -> None:
    answer = await ask(bookshop, f"{{ books({arguments}) {{ data {{ id }} }} }}", FULL_TOKEN)
    assert answer["data"] == {"books": None}
    assert len(answer["errors"]) == 1


async def test_an_invalid_token_is_refused(bookshop: Site) -> None:
    answer = await send(bookshop, {"query": "{ books { data { id } } }"}, "wrong")
    assert answer.status == 401


IN_A_COMPONENT = """{ books(sort: "id", pagination: { limit: 3 }) { data { attributes { details {
  binding vault { data { id attributes { code } } __typename } printedBy { data { id } } } } } } }"""


@pytest.mark.parametrize("token", [None, FULL_TOKEN])
async def test_a_forbidden_relation_inside_a_component_shows_as_empty(bookshop: Site, token: str | None) -> None:
    answer = await ask(bookshop, IN_A_COMPONENT, token)
    found = [entry["attributes"]["details"] for entry in answer["data"]["books"]["data"]]
    vault = None if token is None else {"id": "1", "attributes": {"code": "vault 1"}}
    assert [one["vault"] for one in found] == [{"data": vault, "__typename": "VaultEntityResponse"}] * 3
    assert [one["printedBy"]["data"]["id"] for one in found] == ["2", "3", "4"]
    assert messages(answer) == []


IN_A_ZONE = """{ books(sort: "id", pagination: { limit: 100 }) { data { attributes { extras {
  ... on ComponentShopQuote { source { data { id } } }
  ... on ComponentShopOddBanner2 { label details { vault { data { id } } printedBy { data { id } } } }
  ... on ComponentShopChapter { genres { data { id } } }
} } } } }"""


@pytest.mark.parametrize(
    "token, vaults, others",
    [(None, False, True), (SOME_TOKEN, False, False), (FULL_TOKEN, True, True)],
    ids=["visitor", "books only", "full"],
)
async def test_a_forbidden_relation_inside_a_zone_shows_as_empty(
    bookshop: Site, token: str | None, vaults: bool, others: bool
) -> None:
    answer = await ask(bookshop, IN_A_ZONE, token)
    found = [one for entry in answer["data"]["books"]["data"] for one in entry["attributes"]["extras"]]
    quotes = [one["source"]["data"] for one in found if "source" in one]
    chapters = [one["genres"]["data"] for one in found if "genres" in one]
    banners = [one["details"] for one in found if one.get("details")]
    assert {bool(one) for one in quotes} == {others}
    assert any(chapters) is others
    assert {bool(one["printedBy"]["data"]) for one in banners} == {others}
    assert {bool(one["vault"]["data"]) for one in banners} == {vaults}
    assert messages(answer) == []


@pytest.mark.parametrize(
    "arguments",
    [
        'filters: { details: { vault: { code: { startsWith: "v" } } } }',
        "filters: { details: { vault: { id: { notNull: true } } } }",
        'filters: { or: [{ chapters: { genres: { vault: { code: { contains: "1" } } } } }] }',
        'filters: { vaults: { code: { startsWith: "v" } } }',
        'sort: "details.vault.code"',
        'sort: "shelf.vault.code"',
    ],
)
async def test_forbidden_relations_cannot_be_compared(bookshop: Site, arguments: str) -> None:
    text = f"{{ books({arguments}) {{ data {{ id }} }} }}"
    refused = await ask(bookshop, text)
    assert refused["data"] == {"books": None}
    assert len(refused["errors"]) == 1
    assert (await ask(bookshop, text, FULL_TOKEN))["data"]["books"] is not None


async def test_nested_arguments_need_the_same_permissions(bookshop: Site) -> None:
    inner = 'books(filters: { details: { vault: { code: { startsWith: "v" } } } }) { data { id } }'
    answer = await ask(bookshop, f"{{ authors {{ data {{ attributes {{ {inner} }} }} }} }}")
    assert [entry["attributes"] for entry in answer["data"]["authors"]["data"]] == [{"books": None}] * 7
    assert len(answer["errors"]) == 7
