"""Project code in the schema: its arguments, its results, and its costs."""

from typing import Any

import pytest

from octavo.operations.runtime.process import build
from tests.api.graphql.asking import ask, messages, send
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.people import Hands
from tests.models.site import Site

pytestmark = pytest.mark.anyio

FORBIDDEN = "Forbidden access"
FAILED = "Internal Server Error"


async def data(site: Site, text: str, token: str | None = None) -> Any:
    answer = await ask(site, text, token)
    assert "errors" not in answer
    return answer["data"]


async def test_resolvers_and_chained_middlewares(coded: Site) -> None:
    assert await data(coded, "{ greeting again: greeting __typename }") == {
        "greeting": "HELLO.",
        "again": "HELLO.",
        "__typename": "Query",
    }


async def test_project_types_reference_entries_and_unions(coded: Site) -> None:
    text = """query ($size: Int) { shelf(input: {name: "low", size: $size}) {
      name mood
      books { id label attributes { pages } }
      first { size: pages }
      tallest { data { attributes { title: pages secretLength } } }
      owner { __typename ... on Company { vat } }
    } }"""
    answer = await ask(coded, text, size=2)
    shelf = answer["data"]["shelf"]
    pages = [book["attributes"]["pages"] for book in shelf["books"]]
    assert len(pages) == 2
    assert pages == sorted(pages, reverse=True)
    assert [book["label"] for book in shelf["books"]] == [f"book {book['id']}" for book in shelf["books"]]
    assert shelf["first"] == {"size": pages[-1]}
    assert shelf["tallest"]["data"]["attributes"]["title"] == pages[0]
    assert shelf["tallest"]["data"]["attributes"]["secretLength"] >= len("secret 1")
    assert shelf["owner"] == {"__typename": "Company", "vat": "NO 1"}
    assert (shelf["name"], shelf["mood"]) == ("low", "CALM")


async def test_resolvers_get_stored_values_without_passwords(coded: Site) -> None:
    text = "{ books(pagination: {limit: 2}) { data { attributes { a: secretLength seenBy parentKeys } } } }"
    shown = (await data(coded, text))["books"]["data"]
    for book in shown:
        attributes = book["attributes"]
        assert attributes["a"] >= len("secret 1")
        assert attributes["seenBy"] == "anonymous"
        assert {"id", "title", "secretNote", "createdAt"} <= set(attributes["parentKeys"])
        assert "pin" not in attributes["parentKeys"]
        assert attributes.keys() == {"a", "seenBy", "parentKeys"}


async def test_code_within_relations_components_zones_and_fragments(coded: Site) -> None:
    text = """{ books(filters: {id: {in: [2, 4]}}, sort: "id") { data { id attributes {
      author { data { attributes { ...Named } } }
      chapters { title words }
      extras { ... on ComponentShopQuote { text } ... on ComponentShopChapter { words } __typename }
    } } } }
    fragment Named on Author { initials name }"""
    for book in (await data(coded, text))["books"]["data"]:
        author = book["attributes"]["author"]["data"]
        if author is not None:
            assert author["attributes"]["initials"] == author["attributes"]["name"][0]
        for chapter in book["attributes"]["chapters"]:
            assert chapter == {"title": chapter["title"], "words": len(chapter["title"].split())}
        for item in book["attributes"]["extras"]:
            assert item.keys() - {"__typename"} <= {"text", "words"}
            assert item.get("text", "QUOTE").isupper() or item["text"][-1].isdigit()


async def test_entries_by_id_in_the_order_of_the_code(coded: Site) -> None:
    text = """query ($ids: [ID!]!) { numbered(ids: $ids) {
      data { id } meta { pagination { page pageSize pageCount total } } } }"""
    answer = await ask(coded, text, ids=["7", "2", "999999", "2"])
    assert [book["id"] for book in answer["data"]["numbered"]["data"]] == ["7", "2", "2"]
    assert answer["data"]["numbered"]["meta"]["pagination"] == {"page": 1, "pageSize": 10, "pageCount": 1, "total": 4}
    paged = (await data(coded, "{ paged { data { id } meta { pagination { page pageSize pageCount total } } } }"))[
        "paged"
    ]
    assert [book["id"] for book in paged["data"]] == ["3", "1"]
    assert paged["meta"]["pagination"] == {"page": 2, "pageSize": 2, "pageCount": 20, "total": 40}


async def test_project_lists_respect_the_maximum_length(coded: Site) -> None:
    answer = await ask(coded, "query ($ids: [ID!]!) { numbered(ids: $ids) { data { id } } }", ids=["1"] * 150)
    assert len(answer["data"]["numbered"]["data"]) == 100


async def test_loading_in_code_does_not_make_relations_readable(coded: Site) -> None:
    text = "{ newest { data { attributes { title vaults { data { attributes { code } } } } } } }"
    answer = await ask(coded, text)
    assert answer["data"]["newest"]["data"]["attributes"]["vaults"] is None
    assert messages(answer) == [FORBIDDEN]
    assert "errors" not in await ask(coded, text, FULL_TOKEN)


async def test_public_fields_show_entries_without_read_permission(coded: Site) -> None:
    assert await data(coded, "{ vaultOfAll { data { id attributes { code } } } }") == {
        "vaultOfAll": {"data": {"id": "1", "attributes": {"code": "vault 1"}}}
    }


@pytest.mark.parametrize("field", ["wrong { data { id } }", "otherKind { data { id } }", "broken", "noJson"])
async def test_errors_of_project_code_are_not_shown_to_clients(
    coded: Site, field: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await ask(coded, f"{{ {field} greeting }}")
    assert answer["data"][field.split()[0]] is None
    assert answer["data"]["greeting"] == "HELLO."
    assert messages(answer) == [FAILED]
    assert answer["errors"][0]["extensions"]["code"] == "INTERNAL_SERVER_ERROR"
    assert "secret" not in str(answer)
    assert any(record.levelname == "ERROR" for record in caplog.records)


async def test_errors_of_the_service_are_shown_unchanged(coded: Site) -> None:
    answer = await ask(coded, "{ refused }")
    [error] = answer["errors"]
    assert error["message"] == "Not like that"
    assert error["extensions"]["error"]["details"]["errors"][0]["path"] == ["refused"]
    assert error["extensions"]["code"] == "BAD_USER_INPUT"


async def test_null_for_a_required_field_makes_data_null(coded: Site) -> None:
    answer = await ask(coded, "{ required greeting }")
    assert answer["data"] is None
    assert messages(answer) == ["Cannot return null for non-nullable field Query.required."]


async def test_policies_as_functions_files_and_with_custom_errors(coded: Site) -> None:
    answer = await ask(
        coded,
        """{ one: book(id: 1) { data { id } } two: book(id: 2) { data { id } } three: book(id: 3) { data { id } }
             byName }""",
    )
    assert answer["data"] == {"one": {"data": {"id": "1"}}, "two": None, "three": None, "byName": None}
    assert sorted(messages(answer)) == ["Not the second", "Policy Failed", "Policy Failed"]
    [own] = [error for error in answer["errors"] if error["message"] == "Not the second"]
    assert own["extensions"] == {
        "error": {"name": "PolicyError", "message": "Not the second", "details": {"id": 2}},
        "code": "FORBIDDEN",
    }


async def test_custom_scopes_replace_the_default_permission(coded: Site) -> None:
    assert len((await data(coded, "{ vaults { data { id } } }"))["vaults"]["data"]) == 3
    assert len((await data(coded, "{ vaults { data { id } } }", SOME_TOKEN))["vaults"]["data"]) == 3
    rest = await coded.get("/api/vaults")
    assert rest.status == 403


async def test_project_fields_require_a_signed_in_user(coded: Site) -> None:
    text = 'mutation { rename(id: 1, title: "x") { data { id } } }'
    for token in (None, SOME_TOKEN):
        assert messages(await ask(coded, text, token)) == [FORBIDDEN]
    renamed = await data(
        coded, 'mutation { rename(id: 1, title: "Über") { data { attributes { title } } } }', FULL_TOKEN
    )
    assert renamed == {"rename": {"data": {"attributes": {"title": "Über"}}}}


async def test_middlewares_change_arguments_and_answers(coded: Site) -> None:
    made = await data(
        coded, 'mutation { createBook(data: {title: "A"}) { data { attributes { title } } } }', FULL_TOKEN
    )
    assert made == {"createBook": {"data": {"attributes": {"title": "A (new)"}}}}
    text = """{ notes { data { id } }
      books(pagination: {limit: 30}) { data { attributes { genres { data { attributes { name } } } } } } }"""
    found = await data(coded, text)
    assert len(found["notes"]["data"]) == 1
    genres = [book["attributes"]["genres"]["data"] for book in found["books"]["data"]]
    assert {len(item) for item in genres} <= {0, 1}
    assert any(genres)
    names = [item[0]["attributes"]["name"] for item in genres if item]
    assert all(name is None or name == name.upper() for name in names)


async def test_middlewares_do_not_make_relations_readable(coded: Site) -> None:
    answer = await ask(coded, "{ books(pagination: {limit: 2}) { data { attributes { vaults { data { id } } } } } }")
    assert messages(answer) == [FORBIDDEN] * 2


async def test_variables_and_documents_are_validated(coded: Site) -> None:
    refused = await send(coded, {"query": "{ shelf(input: {size: 2}) { name } }"})
    assert refused.status == 400
    refused = await send(
        coded, {"query": "query ($i: ShelfInput!) { shelf(input: $i) { name } }", "variables": {"i": 3}}
    )
    assert refused.status == 400


async def test_fields_with_code_cost_the_one_statement_of_their_root(coded: Site, still: Hands) -> None:
    octavo = build(coded.octavo.settings)
    await octavo.asgi.start()
    site = Site(octavo)
    texts = {
        "{ greeting }": 0,
        "{ books { data { attributes { secretLength author { data { attributes { initials } } } } } } }": 1,
        "{ books { data { attributes { title } } } }": 1,
        "{ paged { data { attributes { title } } } }": 1,
        "{ book(id: 1) { data { attributes { title } } } }": 1,
    }
    try:
        for text in texts:
            await ask(site, text)
        counts = {}
        for text in texts:
            before = site.database.statements
            await ask(site, text)
            counts[text] = site.database.statements - before
    finally:
        await octavo.asgi.stop()
    assert counts == texts
