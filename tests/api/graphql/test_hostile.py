"""Hostile GraphQL requests never cause a server error."""

from typing import Any

import pytest

from tests.api.graphql.asking import send
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site

pytestmark = pytest.mark.anyio

HUGE = (2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**30)
ODD: tuple[Any, ...] = (
    *HUGE,
    None,
    True,
    1.5,
    1e300,
    "",
    "x",
    "\0",
    "\ud800",
    "\U0001f600",
    [],
    [None],
    [[1]],
    {},
    {"a": 1},
)
PLACES = (
    "query ($v: ID) { book(id: $v) { data { id } } }",
    "query ($v: JSON) { books(filters: { extra: { eq: $v } }) { data { id } } }",
    "query ($v: BookFiltersInput) { books(filters: $v) { data { id } } }",
    "query ($v: [BookFiltersInput]) { books(filters: { and: $v }) { data { id } } }",
    "query ($v: BookFiltersInput) { books(filters: { not: $v }) { data { id } } }",
    "query ($v: String) { books(filters: { title: { contains: $v } }) { data { id } } }",
    "query ($v: [String]) { books(filters: { title: { in: $v } }) { data { id } } }",
    "query ($v: [String]) { books(filters: { title: { between: $v } }) { data { id } } }",
    "query ($v: Int) { books(filters: { pages: { gt: $v } }) { data { id } } }",
    "query ($v: Long) { books(filters: { isbn: { lt: $v } }) { data { id } } }",
    "query ($v: Float) { books(filters: { price: { eq: $v } }) { data { id } } }",
    "query ($v: ID) { books(filters: { id: { eq: $v } }) { data { id } } }",
    "query ($v: [ID]) { books(filters: { id: { notIn: $v } }) { data { id } } }",
    "query ($v: ID) { books(filters: { author: { id: { eq: $v } } }) { data { id } } }",
    "query ($v: DateTime) { books(filters: { reviewedAt: { gt: $v } }) { data { id } } }",
    "query ($v: Date) { books(filters: { releaseDate: { gt: $v } }) { data { id } } }",
    "query ($v: Time) { books(filters: { opensAt: { gt: $v } }) { data { id } } }",
    "query ($v: Boolean) { books(filters: { inStock: { eq: $v } }) { data { id } } }",
    "query ($v: [String]) { books(sort: $v) { data { id } } }",
    "query ($v: PaginationArg) { books(pagination: $v) { data { id } meta { pagination { total pageCount } } } }",
    "query ($v: Int) { books(pagination: { page: $v }) { data { id } meta { pagination { total page } } } }",
    "query ($v: Int) { books(pagination: { pageSize: $v }) { data { id } meta { pagination { pageSize } } } }",
    "query ($v: Int) { books(pagination: { start: $v }) { data { id } meta { pagination { total page } } } }",
    "query ($v: Int) { books(pagination: { limit: $v }) { data { id } meta { pagination { pageCount } } } }",
    "query ($v: PublicationState) { books(publicationState: $v) { data { id } } }",
    "query ($v: I18NLocaleCode) { books(locale: $v) { data { id } } }",
    "query ($v: Int) { authors { data { attributes { books(pagination: { start: $v }) { data { id } } } } } }",
    "query ($v: [String]) { authors { data { attributes { books(sort: $v) { data { id } } } } } }",
    "query ($v: Boolean!) { books { data { id @skip(if: $v) __typename } } }",
    'mutation ($v: I18NLocaleCode) { createBook(data: { title: "t" }, locale: $v) { data { id } } }',
    "mutation ($v: I18NLocaleCode) { createBookLocalization(id: 1, data: {}, locale: $v) { data { id } } }",
    "mutation ($v: ID!) { updateVault(id: $v, data: {}) { data { id } } }",
    "mutation ($v: ID!) { deleteNote(id: $v) { data { id } } }",
    "mutation ($v: BookInput!) { createBook(data: $v) { data { id } } }",
    "mutation ($v: JSON) { createBook(data: { extra: $v }) { data { id } } }",
    'mutation ($v: ID) { createBook(data: { title: "t", author: $v }) { data { id } } }',
    'mutation ($v: [ID]) { createBook(data: { title: "t", genres: $v }) { data { id } } }',
    "mutation ($v: Int) { createGenre(data: { rank: $v }) { data { id } } }",
    'mutation ($v: Long) { createBook(data: { title: "t", isbn: $v }) { data { id } } }',
    "mutation ($v: String) { createVault(data: { code: $v }) { data { id attributes { code } } } }",
    'mutation ($v: [BookExtrasDynamicZoneInput!]) { createBook(data: { title: "t", extras: $v }) { data { id } } }',
    'mutation ($v: ComponentShopDetailsInput) { createBook(data: { title: "t", details: $v }) { data { id } } }',
    "mutation ($v: DateTime) { createGenre(data: { createdAt: $v }) { data { id } } }",
)


def assert_sound(status: int, body: bytes) -> None:
    assert status in (200, 400), body
    assert b"Traceback" not in body
    assert b"INTERNAL_SERVER_ERROR" not in body, body
    assert b"Internal" not in body, body


@pytest.mark.parametrize("text", PLACES)
async def test_odd_values_of_variables(scratch: Site, text: str) -> None:
    for value in ODD:
        answer = await send(scratch, {"query": text, "variables": {"v": value}}, FULL_TOKEN)
        assert_sound(answer.status, answer.body)


@pytest.mark.parametrize("depth", [30, 200, 3000])
async def test_deep_filters(scratch: Site, depth: int) -> None:
    inner = "{ id: { eq: 1 } }"
    text = "{ books(filters: " + "{ not: " * depth + inner + " }" * depth + ") { data { id } } }"
    answer = await send(scratch, {"query": text}, FULL_TOKEN)
    assert answer.status in (200, 400), answer.body
    given = b'{"not":' * depth + b"{}" + b"}" * depth
    body = (
        b'{"query":"query ($v: BookFiltersInput) { books(filters: $v) { data { id } } }","variables":{"v":%b}}' % given
    )
    answer = await send(scratch, body, FULL_TOKEN)
    assert answer.status in (200, 400), answer.body


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"1", b'"x"', b"[1]", b"[null]", b"{}", b"[[]]", b"\xff"])
async def test_bodies_without_an_operation(bookshop: Site, body: bytes) -> None:
    assert (await send(bookshop, body)).status == 400


@pytest.mark.parametrize("name", ["query", "variables", "operationName", "extensions"])
async def test_members_of_other_types(bookshop: Site, name: str) -> None:
    for value in ODD:
        given = {"query": "{ books { data { id } } }", name: value}
        answer = await send(bookshop, given)
        assert answer.status in (200, 400), answer.body
    for value in ODD:
        answer = await send(bookshop, {"query": "{ __typename }", "extensions": {"persistedQuery": value}})
        assert answer.status in (200, 400), answer.body
