"""Pages of searches in declared indexes return the same entries as a scan, whether by order or through the index."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from octavo.content.reader import EntryReader
from octavo.database.connection import Database
from octavo.database.declared_indexes import make_declared_indexes
from octavo.database.substring_indexes import SubstringIndexMaintenance
from octavo.database.synchronize import synchronize
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.read import plan_read
from octavo.query.request import ReadRequest
from octavo.schema.registry import Registry
from tests.database.test_declared_indexes import BY_PLACE, PARTS, registry

pytestmark = pytest.mark.anyio

WORDS = (
    "night",
    "Night",
    "Zug",
    "ΟΔΟΣ",
    "οδος",
    "İstanbul",
    "ISTANBUL",
    "ıı",
    "no12",
    "100%",
    "a_b",
    "\\",
    "x",
    "語語語",
    "ẞ",
)
ENTRIES = 900
"""More than are checked in order."""


def text(random: Random) -> str:
    return " ".join(random.choices(WORDS, weights=(99, *[3] * (len(WORDS) - 1)), k=random.randint(1, 6)))


async def filled(database: Database, folder: Path) -> tuple[Registry, Registry]:
    """Create notes with random texts, one of them unique. Return registries with and without indexes."""
    indexed, plain = registry(folder / "indexed", BY_PLACE, PARTS), registry(folder / "plain")
    await synchronize(database, indexed)
    await make_declared_indexes(database, indexed)
    random, mark = Random(5), database.dialect.mark
    async with database.transaction() as transaction:
        for number in range(ENTRIES):
            title = "only this one" if number == ENTRIES - 1 else text(random)
            values = [title, title[::-1], f"{random.randrange(40)}"]
            published = "NULL" if number % 7 == 3 else database.dialect.instant("1")
            places = ", ".join(mark(place) for place in (1, 2, 3))
            row = f"INSERT INTO notes (title, body, place, published_at) VALUES ({places}, {published})"
            await transaction.execute(row, values)
    await database.execute_script("ANALYZE notes")
    if database.dialect.parts is not None:
        for _ in range(2):  # for the other indexes, creating one is DDL
            await SubstringIndexMaintenance(database, indexed).keep()
    return indexed, plain


async def answer(database: Database, content: Registry, params: dict[str, Any]) -> tuple[bytes, int | None]:
    query = read_query({"fields": ["title"], "publicationState": "live", **params}, PageLimits(25, 100, True))
    request = ReadRequest(content_type=content.content_types["api::note.note"], query=query)
    reader = EntryReader(database, content, keeps_parts=database.dialect.parts is not None)
    return await reader.read_list(reader.prepare(plan_read(request, content)))


async def test_a_page_is_that_of_a_search_without_indexes(database: Database, tmp_path: Path) -> None:
    indexed, plain = await filled(database, tmp_path)
    random, parts = Random(7), ["night", "NIGHT", "only this", "Σ", "", "zz", "t n", "100%", "a_b", "nowhere"]
    for _ in range(40):
        whole = text(random)
        start = random.randrange(len(whole))
        parts.append(whole[start : start + random.randint(1, 30)])
    for part in parts:
        sort = random.choice(([], ["id:desc"], ["place"], ["place:desc"]))
        test = random.choice(("$containsi", "$contains"))
        page = random.choice(({"limit": "5"}, {"start": "3", "limit": "5"}, {"start": "90", "limit": "10"}))
        total = random.choice(({}, {"withCount": "false"}, {"maxCount": "8"}))
        params = {"filters": {"title": {test: part}}, "sort": sort, "pagination": {**page, **total}}
        assert await answer(database, indexed, params) == await answer(database, plain, params), params


async def test_one_of_several_tests_is_found(database: Database, tmp_path: Path) -> None:
    indexed, plain = await filled(database, tmp_path)
    for filters in (
        {"title": {"$contains": "night"}, "place": {"$eq": "7"}},
        {"title": {"$containsi": "zug"}, "body": {"$contains": "thgin"}},
        {"title": {"$containsi": "zug"}, "views": {"$null": "true"}},
        {"title": {"$notContainsi": "zug"}},
    ):
        params = {"filters": filters, "sort": ["place"], "pagination": {"limit": "5"}}
        assert await answer(database, indexed, params) == await answer(database, plain, params), params
