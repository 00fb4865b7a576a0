"""Cursors over GraphQL: for lists at the root, if the settings enable them; the same as over REST."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLInputObjectType, GraphQLObjectType, GraphQLSchema, validate_schema

from octavo.api.graphql.schema.builder import build_schema
from octavo.schema.registry import Registry
from tests.api.graphql.asking import ask, messages
from tests.models.bookshop import FULL_TOKEN
from tests.models.fixtures import open_copy
from tests.models.site import Site
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio

ON = {"OCTAVO_PLUGINS__GRAPHQL__CONFIG__CURSORS": "true"}
LIST = """query ($sort: [String], $page: PaginationArg) {
  books(sort: $sort, pagination: $page, publicationState: PREVIEW) {
    data { id } meta { pagination { goesOn: after page total __typename } } } }"""


@asynccontextmanager
async def served(folder: Path, copy: Copy) -> AsyncIterator[Site]:
    site = await open_copy(folder, copy, ON)
    await site.octavo.asgi.start()
    yield site
    await site.octavo.asgi.stop()


async def page(site: Site, sort: list[str], **asked: Any) -> tuple[list[str], str | None]:
    """Return the ids of a page, and the cursor of the next one."""
    answer = await ask(site, LIST, FULL_TOKEN, sort=sort, page=asked)
    books = answer["data"]["books"]
    reported = books["meta"]["pagination"]
    assert reported["__typename"] == "Pagination"
    assert reported["total"] == len(await every(site, sort))
    return [entry["id"] for entry in books["data"]], reported["goesOn"]


async def every(site: Site, sort: list[str]) -> list[str]:
    text = """query ($sort: [String]) {
      books(sort: $sort, pagination: {limit: 100}, publicationState: PREVIEW) { data { id } } }"""
    return [entry["id"] for entry in (await ask(site, text, FULL_TOKEN, sort=sort))["data"]["books"]["data"]]


async def test_a_list_is_walked_by_cursors(tmp_path: Path, bookshop_copy: Copy) -> None:
    async with served(tmp_path, bookshop_copy) as site:
        for sort in ([], ["title:desc"], ["publishedAt", "id:desc"]):
            whole, walked, pages = await every(site, sort), list[str](), 0
            ids, after = await page(site, sort, pageSize=2)
            assert (ids, after) == await page(site, sort, limit=2, after="")
            while True:
                walked, pages = walked + ids, pages + 1
                if after is None or not ids:
                    break
                ids, after = await page(site, sort, limit=2, after=after)
            assert walked == whole
            assert len(whole) // 2 <= pages <= len(whole) // 2 + 1
        await refuse(site)
        await show_what_else_is_asked_for(site)


async def refuse(site: Site) -> None:
    _, after = await page(site, ["title"], limit=1)
    for asked, sort, reported in (
        ({"after": after}, [], "belongs to another list"),
        ({"after": "no cursor"}, [], "is not a cursor"),
        ({"after": after, "page": 2}, ["title"], "takes no page"),
        ({"after": after, "start": 2}, ["title"], "takes no page"),
    ):
        [message] = messages(await ask(site, LIST, FULL_TOKEN, sort=sort, page=asked))
        assert reported in message, asked
    text = 'query { books { data { attributes { genres(pagination: {after: ""}) { data { id } } } } } }'
    assert {"at the root" in message for message in messages(await ask(site, text, FULL_TOKEN))} == {True}
    rest = await site.get(
        "/api/books?sort=title&pagination[limit]=1&publicationState=preview&pagination[after]=", FULL_TOKEN
    )
    assert rest.json["meta"]["pagination"]["after"]


async def show_what_else_is_asked_for(site: Site) -> None:
    """Request lists without `meta`, with two `data`, and later pages by number, which have no cursor."""
    _, after = await page(site, [], limit=1)
    text = """query ($page: PaginationArg) {
      books(pagination: $page, publicationState: PREVIEW) { a: data { id } b: data { id } } }"""
    answer = await ask(site, text, FULL_TOKEN, page={"limit": 1, "after": after})
    second = (await every(site, []))[1]
    assert answer == {"data": {"books": {"a": [{"id": second}], "b": [{"id": second}]}}}
    assert await page(site, [], start=1, limit=1) == ([second], None)


def test_the_schema_is_that_of_v4_unless_enabled(registry: Registry) -> None:
    def fields(schema: GraphQLSchema) -> set[tuple[str, str]]:
        kinds = [
            kind for kind in schema.type_map.values() if isinstance(kind, GraphQLInputObjectType | GraphQLObjectType)
        ]
        return {(kind.name, name) for kind in kinds for name in kind.fields}

    plain, schema = build_schema(registry), build_schema(registry, cursors=True)
    assert fields(schema) - fields(plain) == {("PaginationArg", "after"), ("Pagination", "after")}
    assert set(plain.type_map) == set(schema.type_map)
    schema._validation_errors = None  # schemas are built as valid, so validate explicitly
    assert validate_schema(schema) == []
