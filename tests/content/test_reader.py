"""EntryReader: compiled statements are cached by shape within a budget; late values are bound by name."""

import json
from typing import Any

import pytest

from octavo.content.reader import EntryReader, PreparedRead
from octavo.core.cache import CacheBudget
from octavo.query.ast import At, Compare, Page, Populate, Query, Sort
from octavo.query.operators import OPERATORS
from octavo.query.plan.nodes import Parameter, ParameterKind
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Form, ReadRequest
from tests.models.bookshop import AUTHOR, BOOK
from tests.models.site import Site

pytestmark = pytest.mark.anyio


def reader_of(site: Site) -> EntryReader:
    return EntryReader(site.database, site.octavo.site.registry)


def prepared(
    reader: EntryReader, query: Query, by: By = By.LIST, uid: str = AUTHOR, projection: Form = Form.REST
) -> PreparedRead:
    content_type = reader.registry.content_types[uid]
    request = ReadRequest(content_type=content_type, query=query, by=by, projection=projection)
    return reader.prepare(plan_read(request, reader.registry))


async def test_a_list_and_its_total(bookshop: Site) -> None:
    query = Query(fields=("name",), page=Page(limit=2, start=1))
    reader = reader_of(bookshop)
    entries, total = await reader.read_list(prepared(reader, query))
    assert [entry["attributes"] for entry in json.loads(entries)] == [
        {"name": "author river"},
        {"name": "author stone"},
    ]
    assert total == 7


async def test_a_search_runs_once_for_the_page_and_the_total(bookshop: Site) -> None:
    reader = reader_of(bookshop)
    titles = {entry["id"]: entry["title"] for entry in (await found(reader, Query(page=Page())))[0]}

    async def ids(part: str, limit: int, start: int = 0) -> tuple[list[int], int | None]:
        test = At(attribute="title", filter=Compare(operator=OPERATORS["$containsi"], values=(part,)))
        order = (Sort(names=("title",), descending=True), Sort(names=("author", "name")))
        entries, total = await found(reader, Query(filters=test, sort=order, page=Page(limit=limit, start=start)))
        return [entry["id"] for entry in entries], total

    for part in ("100%", "A_B", "S", "zzz"):
        every, total = await ids(part, limit=100)
        assert total == len(every)
        assert sorted(every) == sorted(id_ for id_, title in titles.items() if part.lower() in title.lower())
        assert await ids(part, start=2, limit=3) == (every[2:5], total)


async def test_searched_substrings_can_have_any_length_and_character(bookshop: Site) -> None:
    database, long = bookshop.database, "é%" * 20_000
    for text, part, is_found in (
        (r"50%_\Sales", r"_\s", True),
        (r"50%_\Sales", "%s", False),
        (f"<{long}>", long, True),
        (f"<{long}>", f"{long}E", False),
        (f"<{long}>", long[:11_999], True),
    ):
        place, other = (database.dialect.parameter(Parameter(number, ParameterKind.TEXT)) for number in range(2))
        for contains in (database.dialect.contains_folded, database.dialect.contains_indexed):
            said = contains(place, other)
            assert bool(await database.fetch_value(f"SELECT {said}", (text, part))) is is_found


async def found(reader: EntryReader, query: Query) -> tuple[list[Any], int | None]:
    entries, total = await reader.read_list(prepared(reader, query, uid=BOOK, projection=Form.FLAT))
    return json.loads(entries), total


async def test_an_id_is_bound_when_the_read_runs(bookshop: Site) -> None:
    reader = reader_of(bookshop)
    by_id = prepared(reader, Query(fields=("name",)), By.ID, projection=Form.FLAT)
    assert by_id.late == ((0, "id"),)
    found = [await reader.read_one(by_id.bind(id=one)) for one in (2, 3, 999)]
    assert [entry and json.loads(entry) for entry in found] == [
        {"id": 2, "name": "author river"},
        {"id": 3, "name": "author stone"},
        None,
    ]


async def test_binding_leaves_other_values_where_they_are(bookshop: Site) -> None:
    reader = reader_of(bookshop)
    populated = Query(populate=(_books(Page(limit=7, start=2)),))
    by_id = prepared(reader, populated, By.ID)
    bound = by_id.bind(id=5)
    assert (bound.values, bound.late) == ((5, *by_id.values[1:]), ())
    assert set(bound.values[1:]) == {7, 2}
    assert bound.statement is by_id.statement
    assert by_id.late == ((0, "id"),), "it can be bound again"


def _books(page: Page) -> Populate:
    return Populate(name="books", query=Query(page=page))


async def test_reads_with_unbound_values_do_not_run(bookshop: Site) -> None:
    reader = reader_of(bookshop)
    by_id = prepared(reader, Query(), By.ID)
    with pytest.raises(TypeError, match="id"):
        await reader.read_one(by_id)
    with pytest.raises(TypeError, match="'id'"):
        by_id.bind(number=5)


async def test_equal_shapes_share_a_statement(bookshop: Site) -> None:
    reader = reader_of(bookshop)
    first, second = (prepared(reader, Query(page=Page(limit=n))) for n in (1, 2))
    assert first.statement is second.statement
    assert (first.values, second.values) == ((1,), (2,))
    assert (first.page, second.page) == (Page(limit=1), Page(limit=2))


async def test_statements_are_cached_within_their_budget(bookshop: Site) -> None:
    budget = CacheBudget(200_000)
    reader = EntryReader(bookshop.database, bookshop.octavo.site.registry, statements=budget.cache("statements"))
    queries = [
        Query(sort=(Sort(names=(name,)),) * times) for name in ("name", "born", "rating") for times in range(1, 41)
    ]
    texts = [prepared(reader, query).statement.text for query in queries]
    assert budget.size <= budget.limit
    assert prepared(reader, queries[-1]).statement.text is texts[-1]
    assert prepared(reader, queries[0]).statement.text is not texts[0]
    assert prepared(reader, queries[0]).statement.text == texts[0]
