"""Required attributes that are null in drafts: an error with a path, and null for the parent, as in v4."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.api.graphql.asking import ask
from tests.api.http.asgi import call
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site
from tests.project.rest.shop import open_shop

pytestmark = pytest.mark.anyio

ONE = "query ($id: ID!) {\n  it: book(id: $id) { data { id attributes { pages name: title } } }\n}"
LIST = """query ($id: ID!) {
  books(publicationState: PREVIEW, filters: { id: { in: [1, $id] } }, sort: "id") {
    data { id attributes { title } }
  }
  genres(pagination: { limit: 1 }) { data { id } }
}"""
OTHERS = "query ($id: ID!) { book(id: $id) { data { id attributes { pages } } } }"


def problem(field: str, line: int, column: int, *path: str | int) -> dict[str, Any]:
    return {
        "message": f"Cannot return null for non-nullable field {field}.",
        "locations": [{"line": line, "column": column}],
        "path": list(path),
        "extensions": {"code": "INTERNAL_SERVER_ERROR"},
    }


async def make_draft(site: Site) -> str:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    body = json.dumps({"data": {"pages": 7, "publishedAt": None}}).encode()
    made = await call(site.octavo.asgi, "POST", "/api/books", headers, [body])
    assert made.status == 200, made.body
    return str(made.json["data"]["id"])


async def test_a_draft_without_a_required_value(scratch: Site) -> None:
    draft = await make_draft(scratch)
    for _ in range(3):  # prepared after the first time
        answer = await ask(scratch, ONE, FULL_TOKEN, id=draft)
        assert answer == {
            "errors": [problem("Book.title", 2, 52, "it", "data", "attributes", "name")],
            "data": {"it": {"data": {"id": draft, "attributes": None}}},
        }
    for _ in range(3):
        answer = await ask(scratch, LIST, FULL_TOKEN, id=draft)
        assert answer["errors"] == [problem("Book.title", 3, 28, "books", "data", 1, "attributes", "title")]
        first, second = answer["data"]["books"]["data"]
        assert first["attributes"]["title"]
        assert second == {"id": draft, "attributes": None}
        assert answer["data"]["genres"]["data"]
    answer = await ask(scratch, OTHERS, FULL_TOKEN, id=draft)
    assert answer == {"data": {"book": {"data": {"id": draft, "attributes": {"pages": 7}}}}}


async def test_an_answer_of_a_mutation(scratch: Site) -> None:
    text = "mutation ($id: ID!) { made: updateBook(id: $id, data: {pages: 8}) { data { attributes { pages title } } } }"
    answer = await ask(scratch, text, FULL_TOKEN, id=await make_draft(scratch))
    assert answer["data"] == {"made": {"data": {"attributes": None}}}
    assert [error["path"] for error in answer["errors"]] == [["made", "data", "attributes", "title"]]


SEO = {
    "collectionName": "components_shop_seos",
    "info": {"displayName": "Seo"},
    "attributes": {"name": {"type": "string", "required": True}, "text": {"type": "string"}},
}
COMPONENT = {"type": "component", "component": "shop.seo"}
LANDING = {
    "kind": "collectionType",
    "collectionName": "landings",
    "info": {"singularName": "landing", "pluralName": "landings", "displayName": "Landing"},
    "options": {"draftAndPublish": True},
    "attributes": {
        "price": {"type": "decimal"},
        "seo": {**COMPONENT, "required": True},
        "other": COMPONENT,
        "many": {**COMPONENT, "repeatable": True},
    },
}
FILES = {
    "components/shop/seo.json": json.dumps(SEO),
    "api/landing/content-types/landing/schema.json": json.dumps(LANDING),
}
FULL = {"name": "n", "text": "t"}


async def test_nulls_in_components(tmp_path: Path) -> None:
    bodies: list[dict[str, Any]] = [
        {"price": 1.5},  # without the required component
        {"seo": {"text": "x"}},  # without its name
        {"seo": FULL, "other": {"text": "y"}, "many": [{"text": "z"}, FULL]},
    ]
    async with open_shop(tmp_path, FILES) as shop:
        for body in bodies:
            made = await shop.ask("POST", "/api/landings", {"data": {**body, "publishedAt": None}}, full=True)
            assert made.status == 200, made.body
        text = """{ landings(publicationState: PREVIEW, sort: "id") { data { id attributes {
            price seo { name } other { name } many { name } } } } }"""
        answer = await ask(shop, text, FULL_TOKEN)
        found = [entry["attributes"] for entry in answer["data"]["landings"]["data"]]
        full = {"name": "n"}
        assert found == [None, None, {"price": None, "seo": full, "other": None, "many": [None, full]}]
        ways = [".".join(map(str, error["path"][1:])) for error in answer["errors"]]
        assert ways == [
            "data.0.attributes.seo",
            "data.1.attributes.seo.name",
            "data.2.attributes.other.name",
            "data.2.attributes.many.0.name",
        ]
        fields = {
            error["message"].removeprefix("Cannot return null for non-nullable field ") for error in answer["errors"]
        }
        assert fields == {"Landing.seo.", "ComponentShopSeo.name."}
