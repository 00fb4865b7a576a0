"""Documents that differ only in literals share prepared data, and each gets its own response."""

import itertools
from typing import Any, Final

import pytest

from tests.api.graphql.asking import send
from tests.api.graphql.test_required_nulls import make_draft, problem
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.site import Site
from tests.test_benchmarks import counted_calls

pytestmark = pytest.mark.anyio

_NUMBERS: Final = itertools.count()
_SHOWN: Final = "data { id attributes { title pages } } meta { pagination { total page pageSize } }"
_TEXTS: Final = ("sea", "moon", "a", "", "%", "\u00fc", "x' OR 1", "5", "sea")
QUERIES: Final[tuple[tuple[str, tuple[Any, ...]], ...]] = (
    (
        "{ book(id: %s) { data { id attributes { title } } } }",
        (1, 2, 3, 999, 0, -1, 2**31, "1.5", '"2"', '"x"', '"1e0"'),
    ),
    (f'{{ books(filters: {{ title: {{ contains: "%s" }} }}) {{ {_SHOWN} }} }}', _TEXTS),
    (f'{{ books(filters: {{ title: {{ containsi: "%s" }}, pages: {{ gt: 5 }} }}) {{ {_SHOWN} }} }}', _TEXTS),
    (f"{{ books(filters: {{ pages: {{ gt: %s }} }}) {{ {_SHOWN} }} }}", (1, 5, 300, -1, 2**31, "1.5", '"5"')),
    (f"{{ books(filters: {{ weight: {{ gt: %s }} }}) {{ {_SHOWN} }} }}", (1, 2, 1.5, 2.5, 1e300, '"x"')),
    (f'{{ books(filters: {{ releaseDate: {{ gt: "%s" }} }}) {{ {_SHOWN} }} }}', ("2020-01-01", "2021-06-30", "x", "")),
    (f"{{ books(pagination: {{ limit: %s }}, sort: \"title\") {{ {_SHOWN} }} }}", (1, 2, 3, 0, -1, 1000, 2)),
    (f"{{ books(pagination: {{ page: %s, pageSize: 3 }}) {{ {_SHOWN} }} }}", (1, 2, 3, 0, 99)),
    (f'{{ books(sort: "%s") {{ {_SHOWN} }} }}', ("title", "pages:desc", "id", "nothing", "", "title:x")),
    (f'{{ books(sort: ["title", "%s"]) {{ {_SHOWN} }} }}', ("title", "pages:desc", "id", "nothing")),
    (f'{{ books(locale: "%s") {{ {_SHOWN} }} }}', ("en", "fr", "de-AT", "all", "nowhere")),
    (f'{{ books(filters: {{ id: {{ in: [1, "2", %s] }} }}) {{ {_SHOWN} }} }}', (3, 4, '"5"', '"x"', "null")),
    ('{ authors(sort: "id") { data { id attributes { books(filters: { title: { contains: "%s" } }, pagination: '
     "{ limit: 2 }) { data { id } } } } } }", _TEXTS),
    ('query A { book(id: 1) { data { id } } } query B { books(filters: { title: { eq: "%s" } }) { data { id } } }',
     _TEXTS),
    ('{ a: books(filters: { title: { contains: "%s" } }) { ...F } b: books(sort: "id") { ...F } } '
     "fragment F on BookEntityResponseCollection { data { id } meta { pagination { total } } }", _TEXTS),
    ('{ books(filters: { extra: { eq: "%s" } }) { data { id } } }', _TEXTS),
    ('query ($n: Int = 2) { books(filters: { title: { contains: "%s" } }, pagination: { limit: $n }) { data { id } } }',
     _TEXTS),
    ("{ vaults { data { id } } book(id: %s) { data { id attributes { vaults { data { id } } } } } }", (1, 2, 3)),
    ("{ __type(name: \"%s\") { name } }", ("Book", "Author", "Nothing")),
    ("{ books(filters: { nothing: %s }) { data { id } } }", (1, 2, 3)),
    ("{\n  # a comment\n  book(id: %s) { data { id nothing } }\n}", (1, 20, 300)),
)  # fmt: skip


async def answer(site: Site, text: str, token: str | None, **given: Any) -> tuple[int, bytes]:
    found = await send(site, {"query": text, **given}, token)
    return found.status, found.body


@pytest.mark.parametrize("token", [FULL_TOKEN, SOME_TOKEN, None], ids=["full", "some", "public"])
@pytest.mark.parametrize("text, values", QUERIES, ids=[str(number) for number in range(len(QUERIES))])
async def test_a_document_without_template_has_the_same_response(
    warm: Site, text: str, values: tuple[Any, ...], token: str | None
) -> None:
    given = {"operationName": "B"} if "query B" in text else {}
    for value in (*values, *values):
        document = text % value
        alone = await answer(warm, f"{document} #{next(_NUMBERS)}x", token, **given)
        assert await answer(warm, document, token, **given) == alone, document


async def test_documents_that_differ_in_ids_are_prepared_once(warm: Site) -> None:
    text = "{ book(id: %s) { data { id attributes { slug blurb } } } }"

    def entries() -> dict[str, int]:
        names = ("GraphQL documents", "GraphQL document templates", "GraphQL shapes", "GraphQL operations by shape")
        reports = warm.octavo.infrastructure.caches.reports()
        return {report.name: report.entries for report in reports if report.name in names}

    for number in range(4):
        await answer(warm, text % number, FULL_TOKEN)
    before = entries()
    with counted_calls(own=True) as calls:
        for number in range(4, 300):
            status, body = await answer(warm, text % number, FULL_TOKEN)
            assert status == 200
            assert (b'"id":"%d"' % number in body) == (number <= 40)
    assert entries() == before
    assert calls["Documents.read"] == calls["plan_read"] == calls["Selections.of"] == 0
    assert warm.octavo.infrastructure.caches.size <= warm.octavo.infrastructure.caches.limit


async def test_repeated_documents_are_cached(warm: Site) -> None:
    """Cached from the second request on: most documents with literals come once, and would displace others."""
    text = "{ book(id: %s) { data { id attributes { slug isbn } } } }"
    for number in range(5):
        first = await answer(warm, text % number, FULL_TOKEN)
        assert await answer(warm, text % number, FULL_TOKEN) == first
        with counted_calls(own=True) as calls:
            assert await answer(warm, text % number, FULL_TOKEN) == first
        assert calls["RequestHandler._read_operation"] == 0


async def test_error_locations_refer_to_the_sent_text(scratch: Site) -> None:
    draft = await make_draft(scratch)
    text = 'query A {\n  x: book(id: %s) { data { id } } it: book(id: "%s") { data { attributes { title } } }\n}'
    for first in ("1", "22", "333333", '"1"', "1"):
        found = (await send(scratch, {"query": text % (first, draft)}, FULL_TOKEN)).json
        column = (text % (first, draft)).splitlines()[1].index("title") + 1
        assert found["errors"] == [problem("Book.title", 2, column, "it", "data", "attributes", "title")]
    text = (
        "query A { x: book(id: %s) { data { id } } } "
        "query B($n: Int!) { books(pagination: { limit: $n }) { data { id } } }"
    )
    for first in ("1", "22", "333333"):
        given = {"query": text % first, "operationName": "B", "variables": {"n": "x"}}
        found = (await send(scratch, given, FULL_TOKEN)).json
        assert found["errors"][0]["locations"] == [{"line": 1, "column": (text % first).index("$n") + 1}]
    text = "mutation { made: updateBook(id: %s, data: { pages: %s }) { data { attributes { pages title } } } }"
    for pages in (5, 66, 777):
        found = (await send(scratch, {"query": text % (draft, pages)}, FULL_TOKEN)).json
        column = (text % (draft, pages)).index("title") + 1
        assert found["errors"] == [problem("Book.title", 1, column, "made", "data", "attributes", "title")]


async def test_mutations_with_literals_write_their_values(scratch: Site) -> None:
    create = 'mutation { createGenre(data: { name: "%s", rank: %s }) { data { attributes { name rank } } } }'
    for name, rank in (("Row", 1), ("Sea", 2), ("Moon", 3), ("", 4), ("Row", 1), ("Row", 1), ("Lake", "1.5"), ("x", 5)):
        found = (await send(scratch, {"query": create % (name, rank)}, FULL_TOKEN)).json
        if rank == "1.5":
            assert found["errors"][0]["message"] == "Int cannot represent non-integer value: 1.5"
        else:
            assert found["data"]["createGenre"]["data"]["attributes"] == {"name": name, "rank": rank}
    with counted_calls(own=True) as calls:
        found = (await send(scratch, {"query": create % ("New", 6)}, FULL_TOKEN)).json
    assert found["data"]["createGenre"]["data"]["attributes"] == {"name": "New", "rank": 6}
    assert calls["Documents.read"] == calls["plan_read"] == calls["BodyCheck.__init__"] == 0


async def test_code_is_called_with_literals(coded: Site) -> None:
    create = 'mutation { createBook(data: { title: "%s" }) { data { attributes { title } } } }'
    for title in ("Sea", "Moon", "Lake", "Pond"):
        found = (await send(coded, {"query": create % title}, FULL_TOKEN)).json
        assert found["data"]["createBook"]["data"]["attributes"] == {"title": f"{title} (new)"}
    for number in (1, 2, 3, 4, 2, 3):
        text = f"{{ book(id: {number}) {{ data {{ id }} }} }}"
        found = (await send(coded, {"query": text}, FULL_TOKEN)).json
        assert (found["data"]["book"] is None) == (number in (2, 3)), "the policy decides by the id"
    for name in ("one", "two", "three"):
        text = f'{{ shelf(input: {{ name: "{name}", size: 1 }}) {{ name }} }}'
        assert (await send(coded, {"query": text})).json == {"data": {"shelf": {"name": name}}}


async def test_documents_of_many_shapes_stay_within_the_budget(warm: Site) -> None:
    caches = warm.octavo.infrastructure.caches
    for number in range(300):
        names = " ".join(f"a{number}x{field}: title" for field in range(10))
        for entry in (1, 2, 3):
            text = f"{{ book(id: {entry}) {{ data {{ attributes {{ {names} }} }} }} }}"
            assert (await answer(warm, text, FULL_TOKEN))[0] == 200
    assert caches.size <= caches.limit
    assert any(report.name == "GraphQL document templates" and report.entries for report in caches.reports())
