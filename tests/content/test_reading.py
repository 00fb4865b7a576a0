"""EntryReader: what was compiled is kept by shape, and only so much of it."""

import json

import pytest

from octavo.content import reading
from octavo.content.reading import EntryReader
from octavo.plan.read import plan_list, plan_one
from octavo.query.ast import Page, Query, Sort
from tests.models.bookshop import AUTHOR
from tests.models.site import Site

pytestmark = pytest.mark.anyio


def reader_of(site: Site) -> EntryReader:
    return EntryReader(site.database, site.octavo.registry)


async def test_a_list_and_its_total(bookshop: Site) -> None:
    reader, registry = reader_of(bookshop), bookshop.octavo.registry
    query = Query(fields=("name",), page=Page(limit=2, start=1))
    entries, total = await reader.read_list(reader.prepare(plan_list(query, registry.content_types[AUTHOR], registry)))
    assert [entry["attributes"] for entry in json.loads(entries)] == [
        {"name": "author river"},
        {"name": "author stone"},
    ]
    assert total == 7


async def test_an_entry_or_none(bookshop: Site) -> None:
    reader, registry = reader_of(bookshop), bookshop.octavo.registry
    prepared = reader.prepare(plan_one(Query(fields=("id",)), registry.content_types[AUTHOR], registry, by_id=True))
    assert await reader.read_one(prepared) is None  # the place-holder 0 is nobody's id


async def test_equal_shapes_share_a_statement(bookshop: Site) -> None:
    reader, registry = reader_of(bookshop), bookshop.octavo.registry
    author = registry.content_types[AUTHOR]
    first, second = (reader.prepare(plan_list(Query(page=Page(limit=n)), author, registry)) for n in (1, 2))
    assert first.text is second.text
    assert (first.values, second.values) == ((1,), (2,))


async def test_only_so_many_statements_are_kept(bookshop: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_STATEMENTS", 2)
    reader, registry = reader_of(bookshop), bookshop.octavo.registry
    author = registry.content_types[AUTHOR]
    plans = [plan_list(Query(sort=(Sort(names=(name,)),)), author, registry) for name in ("name", "born", "rating")]
    texts = [reader.prepare(plan).text for plan in plans]
    assert reader.prepare(plans[2]).text is texts[2]
    assert reader.prepare(plans[0]).text is not texts[0]
    assert reader.prepare(plans[0]).text == texts[0]
