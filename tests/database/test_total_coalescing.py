"""Concurrent requests for pages of one list: on PostgreSQL, one count serves several of them."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from octavo.content.reader import EntryReader
from octavo.database.ambient import ambient
from octavo.database.connection import Database
from octavo.database.maintained_counts import CountMaintenance
from octavo.database.request_coalescing import AT_ONCE
from octavo.database.synchronize import synchronize
from octavo.database.unit_of_work import unit_of_work
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.read import plan_read
from octavo.query.request import ReadRequest
from octavo.schema.registry import Registry
from tests.database.test_totals import registry

pytestmark = pytest.mark.anyio

PAGES = 12
Answer = tuple[bytes, int | None]


@dataclass
class Shelf:
    """Notes, and the requests for their pages."""

    database: Database
    content: Registry
    reader: EntryReader

    async def page(self, number: int, **params: Any) -> Answer:
        """Return the request for a page of two notes."""
        asked = {"pagination": {"start": str(2 * number), "limit": "2"}, "sort": "id", "fields": ["title"], **params}
        query = read_query(asked, PageLimits(25, 100, True))
        request = ReadRequest(content_type=self.content.content_types["api::note.note"], query=query)
        return await self.reader.read_list(self.reader.prepare(plan_read(request, self.content)))

    async def pages(self, **params: Any) -> tuple[list[Answer], int]:
        """Request all pages at once. Return them and the number of statements."""
        before = self.database.statements
        found = await asyncio.gather(*(self.page(number, **params) for number in range(PAGES)))
        return found, self.database.statements - before

    async def add(self, number: int) -> None:
        """Add this many notes."""
        now = "'2024-01-01'" if self.database.dialect.name == "postgresql" else "1700000000000"
        rows = ", ".join(f"('note {row}', {now}, '{'fr' if row % 4 else 'en'}')" for row in range(number))
        await self.database.execute(f"INSERT INTO notes (title, published_at, locale) VALUES {rows}")


@pytest.fixture
async def shelf(database: Database, tmp_path: Path) -> Shelf:
    """Forty notes, thirty of them in French."""
    content = registry(tmp_path / "content")
    await synchronize(database, content)
    shelf = Shelf(database, content, EntryReader(database, content, keeps_totals=True))
    await shelf.add(40)
    return shelf


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize(
    "params",
    [{"locale": "all"}, {"locale": "fr"}, {"locale": "all", "filters": {"id": {"$gt": "5", "$ne": "7"}}}],
    ids=["all", "of a locale", "filtered"],
)
async def test_coalesced_pages_equal_single_pages(shelf: Shelf, params: dict[str, Any], kept: bool) -> None:
    if kept:
        await CountMaintenance(shelf.database, shelf.content).keep()
    alone = [await shelf.page(number, **params) for number in range(PAGES)]
    found, statements = await shelf.pages(**params)
    assert found == alone
    assert len({answer for answer, _ in found}) > PAGES / 2
    # the first one with its total, the others without; two counts at once, and one for all that arrived meanwhile
    assert statements == (PAGES if shelf.database.dialect.name == "sqlite" else PAGES + AT_ONCE + 1)


async def test_different_counts_are_not_coalesced(shelf: Shelf) -> None:
    before = shelf.database.statements
    asked = [{"locale": "all", "filters": {"id": {"$gt": str(least)}}} for least in range(PAGES)]
    found = await asyncio.gather(*(shelf.page(1, **params) for params in asked))
    assert [total for _, total in found] == [40 - least for least in range(PAGES)]
    assert shelf.database.statements - before == PAGES


async def test_searches_and_their_count_stay_one_statement(shelf: Shelf) -> None:
    params = {"locale": "all", "filters": {"title": {"$contains": "ote"}}}
    alone = [await shelf.page(number, **params) for number in range(PAGES)]
    assert await shelf.pages(**params) == (alone, PAGES)


async def test_equal_pages_are_read_once(shelf: Shelf) -> None:
    before = shelf.database.statements
    found = await asyncio.gather(*(shelf.page(3, locale="all") for _ in range(PAGES)))
    assert len(set(found)) == 1
    if shelf.database.dialect.name == "postgresql":
        assert shelf.database.statements - before == AT_ONCE + 1


async def test_totals_include_all_earlier_commits(shelf: Shelf) -> None:
    """Neither page nor total lacks an entry committed before the request."""
    least, most = 40, 70

    async def ask(number: int) -> int:
        asked = 0
        while least < most:
            known = least
            start = known - 2 + 2 * (number % 2)  # the last pages, and the entries that may follow
            page = {"start": str(start), "limit": str(2 + number)}
            entries, total = await shelf.page(0, locale="all", pagination=page)
            assert total is not None
            assert total >= known
            assert len(orjson.loads(entries)) >= known - start
            asked += 1
            await asyncio.sleep(0)  # reads on SQLite may not have waited
        return asked

    async def write() -> None:
        nonlocal least
        while least < most:
            await shelf.add(1)
            least += 1

    before = shelf.database.statements
    writer = asyncio.create_task(write())
    asked = await asyncio.gather(*(ask(number) for number in range(PAGES)))
    await writer
    if shelf.database.dialect.name == "postgresql":  # a statement for each page, one for each entry, and some counts
        assert shelf.database.statements - before > sum(asked) + most - 40


async def test_cancelling_one_caller_cancels_no_other(shelf: Shelf) -> None:
    alone = [await shelf.page(number, locale="all") for number in range(PAGES)]
    tasks = [asyncio.create_task(shelf.page(number, locale="all")) for number in range(PAGES)]
    await asyncio.sleep(0)
    for task in tasks[:6:2]:
        task.cancel()
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert (found[1:6:2], found[6:]) == (alone[1:6:2], alone[6:])
    assert (await shelf.pages(locale="all"))[0] == alone


async def test_a_transaction_runs_its_own_counts(shelf: Shelf) -> None:
    """It sees its own writes, on its own connection."""
    async with unit_of_work(shelf.database) as unit:
        await unit.connection.execute("DELETE FROM notes WHERE id > 20")
        with ambient(shelf.database, unit):
            inside = [await shelf.page(number, locale="all") for number in range(PAGES)]
    assert {total for _, total in inside} == {20}
