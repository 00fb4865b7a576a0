"""Exact counts: one root field of Query is one SQL statement on each database, whatever it selects."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.api.graphql.asking import send, served
from tests.models.bookshop import FULL_TOKEN
from tests.models.people import Hands
from tests.models.site import Site

pytestmark = pytest.mark.anyio


async def statements(site: Site, text: str, token: str | None = None, **variables: Any) -> int:
    """Return the number of statements that an operation executes."""
    before = site.database.statements
    answer = await send(site, {"query": text, "variables": variables}, token)
    assert answer.status == 200, answer.body
    return site.database.statements - before


ZONE = """extras { __typename
  ... on ComponentShopQuote { text source { data { attributes { name } } } }
  ... on ComponentShopChapter { footnote { text } genres { data { attributes { name } } } }
  ... on ComponentShopOddBanner2 { pictures: picture { data { id } } details { notes { text } } } }"""
READS = {
    "a list": "{ books { data { id } } }",
    "a list with its total": "{ books { data { id } meta { pagination { total pageCount page pageSize } } } }",
    "a total alone": "{ books { meta { pagination { total } } } }",
    "a later page": "{ books(pagination: { page: 2, pageSize: 3 }) { data { id } meta { pagination { page } } } }",
    "type names alone": "{ books { __typename data { __typename } } }",
    "an entry": "{ book(id: 1) { data { id attributes { title } } } }",
    "an entry that is not there": "{ book(id: 999) { data { id attributes { title } } } }",
    "a single type": "{ imprint { data { id attributes { lines details { weight } } } } }",
    "a localized single type": '{ frontPage(locale: "fr") { data { attributes { headline picks { data { id } } } } } }',
    "a localized list": '{ books(locale: "all") { data { attributes { locale localizations { data { id } } } } } }',
    "every scalar": """{ books { data { attributes { title slug blurb body language contact pin pages isbn weight price
        inStock releaseDate opensAt reviewedAt importedAt extra content keywords ISBN13Code order select createdAt
        updatedAt publishedAt locale } } } }""",
    "relations of every kind": """{ books { data { attributes { author { data { id } } translators { data { id } }
        genres { data { id } } prequel { data { id } } sequel { data { id } } similar { data { id } }
        shelf { data { id } } } } } }""",
    "lists in lists": """{ authors { data { attributes { books(sort: "title", pagination: { limit: 2 }) {
        data { attributes { genres { data { __typename } } } } } } } } }""",
    "a dynamic zone": f"{{ books {{ data {{ attributes {{ {ZONE} }} }} }} }}",
    "components in components": """{ books { data { attributes { chapters(sort: "pages:desc") { title footnote { text }
        picture { data { attributes { url } } } } details { notes(pagination: { limit: 1 }) { text } } } } } }""",
    "media": """{ books { data { attributes { cover { data { attributes { url formats } } }
        gallery(pagination: { limit: 1 }) { data { attributes { name related { __typename } } } } } } } }""",
    "polymorphic relations": """{ notes { data { attributes { subject { __typename ... on Book { title author {
        data { id } } } } subjects { ... on Genre { name books { data { id } } } } } } } }""",
    "filters through relations": """{ books(filters: { author: { books: { genres: { name: { contains: "1" } } } },
        not: { chapters: { footnote: { text: { null: true } } } } }) { data { id } meta { pagination { total } } } }""",
    "sorting through relations": '{ books(sort: ["author.name", "shelf.parent.name:desc"]) { data { id } } }',
    "one relation twice": """{ authors { data { attributes { a: books(sort: "id") { data { id } }
        b: books(sort: "id:desc") { data { id } } } } } }""",
    "a list shown twice": "{ books { a: data { id } meta { pagination { total } } b: data { attributes { title } } } }",
    "an entry shown twice": "{ book(id: 1) { a: data { id } b: data { attributes { title } } } }",
    "a single type shown twice": "{ imprint { a: data { id } b: data { attributes { lines } } } }",
    "drafts": "{ books(publicationState: PREVIEW) { data { id attributes { shelf { data { id } } } } } }",
    "fragments": """{ books { ...F data { ...G } } } fragment F on BookEntityResponseCollection { data { id } }
        fragment G on BookEntity { attributes { author { data { ...H } } } } fragment H on AuthorEntity { id }""",
    "forbidden relations": "{ genres { data { attributes { name vault { data { id } } } } } }",
    "files": "{ uploadFiles { data { id attributes { url related { __typename } } } meta { pagination { total } } } }",
}


@pytest.mark.parametrize("text", READS.values(), ids=list(READS))
async def test_a_root_field_is_one_statement_the_first_time_and_later(warm: Site, text: str) -> None:
    assert await statements(warm, text) == 1
    assert await statements(warm, text) == 1


@pytest.fixture
async def deep(bookshop: Site, still: Hands) -> AsyncIterator[Site]:
    """A bookshop with a higher depth limit and stopped clocks."""
    async with served(bookshop, depth_limit=40) as site:
        await site.get("/api/books?populate=author")
        yield site


def chain(levels: int) -> str:
    """Return a query for authors' books' authors' books, and so on."""
    text = "{ data { id } }"
    for level in range(levels):
        text = f"{{ data {{ id attributes {{ {'author' if level % 2 else 'books'} {text} }} }} }}"
    return text


async def test_depth_costs_no_statement(deep: Site) -> None:
    text = f"{{ authors {chain(5)} }}"
    assert text.count("attributes") == 5
    assert await statements(deep, text) == 1
    assert await statements(deep, text) == 1


async def test_statement_counts_do_not_grow_with_results(warm: Site) -> None:
    text = "query ($n: Int) { books(pagination: { limit: $n }) { data { attributes { genres { data { id } } } } } }"
    assert [await statements(warm, text, n=limit) for limit in (1, 5, 100)] == [1, 1, 1]


async def test_several_root_fields_are_as_many_statements(warm: Site) -> None:
    text = """{ books { data { id } } again: books { data { id attributes { title } } } author(id: 1) { data { id } }
      imprint { data { id } } __typename }"""
    assert await statements(warm, text) == 4


@pytest.mark.parametrize(
    "text",
    [
        "{ __typename }",
        "{ vaults { data { id } } }",
        "{ me { id } }",
        '{ books(sort: "nope") { data { id } } }',
        '{ books(filters: { pin: { eq: "x" } }) { data { id } } }',
        "{ books(pagination: { page: 1, start: 1 }) { data { id } } }",
        "{ book(id: 1) { __typename } }",
        "{ book(id: 1) @skip(if: true) { data { id } } }",
        'mutation { createVault(data: { code: "x" }) { data { id } } }',
    ],
)
async def test_operations_without_content_need_no_statement(warm: Site, text: str) -> None:
    assert await statements(warm, text) == 0


@pytest.mark.parametrize("text", ["{ nope }", "{", "query ($i: ID!) { book(id: $i) { data { id } } }"])
async def test_refused_documents_need_no_statement(warm: Site, text: str) -> None:
    before = warm.database.statements
    assert (await send(warm, {"query": text})).status == 400
    assert warm.database.statements == before


async def test_introspection_needs_no_statement(warm: Site) -> None:
    text = '{ __type(name: "Book") { fields { name } } }'
    before = warm.database.statements
    await send(warm, {"query": text})
    assert warm.database.statements == before


async def test_an_api_token_is_free(warm: Site) -> None:
    text = "{ vaults { data { id attributes { books(pagination: { limit: 2 }) { data { id } } } } } }"
    assert await statements(warm, text, FULL_TOKEN) == 1


async def test_a_batch_is_the_sum_of_its_operations(warm: Site) -> None:
    before = warm.database.statements
    answer = await send(warm, [{"query": READS["a list"]}, {"query": READS["lists in lists"]}, {"query": "{ nope }"}])
    assert (answer.status, warm.database.statements - before) == (200, 2)
