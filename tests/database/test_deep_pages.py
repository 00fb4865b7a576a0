"""Deep pages ordered by id: the same entries, from either end of the index."""

import itertools
from pathlib import Path

import orjson
import pytest

from octavo.content.reader import EntryReader
from octavo.database.connection import Database
from octavo.database.maintained_counts import CountMaintenance
from octavo.database.synchronize import synchronize
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.read import plan_read
from octavo.query.request import ReadRequest
from tests.database.test_totals import Desk, registry

pytestmark = pytest.mark.anyio

ROWS = 13_000
STARTS = (0, 10_001, 11_111, 12_990, ROWS + 5)
STATES = {"live": "published_at IS NOT NULL", "preview": "1 = 1"}
LOCALES = {"en": "locale = 'en'", "all": "1 = 1"}


@pytest.fixture
async def desk(database: Database, tmp_path: Path) -> Desk:
    """Entries with gaps between their ids: some deleted, some in another locale, some drafts."""
    content = registry(tmp_path / "content")
    await synchronize(database, content)
    desk = Desk(database, content, CountMaintenance(database, content))
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS + 40}) "
    published, locale = "CASE WHEN i % 400 > 0 THEN @past END", "CASE WHEN i % 300 > 0 THEN 'en' ELSE 'fr' END"
    await desk.write(
        f"{numbers} INSERT INTO notes (id, title, published_at, locale)"
        f" SELECT i * 5 - 900, i, {published}, {locale} FROM n"
    )
    await desk.keeper.keep()
    await desk.write("DELETE FROM notes WHERE id % 2000 = 0", "UPDATE notes SET id = id + 1 WHERE id % 3000 = 0")
    return desk


async def shown(desk: Desk, start: int, *, hides_future: bool = False, **query: str) -> list[int]:
    reader = EntryReader(desk.database, desk.content, keeps_totals=True)
    page = {"pagination": {"start": str(start), "limit": "7", "withCount": "false"}, "fields": ["title"]}
    request = ReadRequest(
        content_type=desk.content.content_types["api::note.note"],
        query=read_query({**query, **page}, PageLimits(25, 100, True)),
    )
    planned = plan_read(request, desk.content, hides_future=hides_future)
    entries, _ = await reader.read_list(reader.prepare(planned))
    return [entry["id"] for entry in orjson.loads(entries)]


async def assert_pages(desk: Desk, *, hides_future: bool = False) -> None:
    for (state, in_state), (locale, in_locale) in itertools.product(STATES.items(), LOCALES.items()):
        live = f" AND published_at <= {desk.moment(0)}" if hides_future and state == "live" else ""
        where = f"{in_state} AND {in_locale}{live}"
        rows = await desk.database.fetch_all(f"SELECT id FROM notes WHERE {where} ORDER BY id")
        ids = [row[0] for row in rows]
        for start in STARTS:
            found = await shown(desk, start, hides_future=hides_future, publicationState=state, locale=locale)
            assert found == ids[start : start + 7], (start, where)


async def test_pages_are_the_same_with_and_without_maintained_counts(desk: Desk) -> None:
    await desk.assert_kept()
    await assert_pages(desk)
    await assert_pages(desk, hides_future=True)
    await desk.write("UPDATE notes SET published_at = @later WHERE id < 3000")
    await assert_pages(desk, hides_future=True)
    await desk.keeper.remove()
    assert await desk.kept() is None
    await assert_pages(desk)


async def test_the_walk_begins_near_the_page(desk: Desk) -> None:
    before = await shown(desk, 11_111)
    await desk.database.execute("UPDATE octavo_totals SET total = total - 5 WHERE part = 0 AND total > 100")
    assert await shown(desk, 11_111) != before  # so reads use it
    await desk.keeper.compare()
    assert await shown(desk, 11_111) == before
