"""Octavo's indexes count the totals of lists, without reading other columns."""

import pytest

from octavo.query.ast import Page, PublicationState, Query
from octavo.query.request import ReadRequest
from tests.models.bookshop import BOOK, FULL_TOKEN, GENRE
from tests.models.site import Site

pytestmark = pytest.mark.anyio


async def plan_of(site: Site, uid: str) -> str:
    """Return SQLite's plan for the first page of a type and its total, for a caller with all permissions."""
    octavo = site.octavo
    actor = await octavo.infrastructure.authenticator.authenticate(f"Bearer {FULL_TOKEN}")
    query, content_type = Query(page=Page(limit=25, with_count=True)), octavo.site.registry.content_types[uid]
    request = ReadRequest(content_type=content_type, query=query, locale="en")
    prepared = octavo.site.services.controller.reads.prepare(request, actor.ability)
    rows = await site.database.fetch_all(f"EXPLAIN QUERY PLAN {prepared.statement.text}", prepared.values)
    return "\n".join(str(row[3]) for row in rows)


async def test_entries_of_a_locale(sqlite_bookshop: Site) -> None:
    assert "USING COVERING INDEX octavo_books_localized (locale=?)" in await plan_of(sqlite_bookshop, BOOK)


async def test_all_entries_less_the_drafts(sqlite_bookshop: Site) -> None:
    assert "USING COVERING INDEX octavo_genres_drafts" in await plan_of(sqlite_bookshop, GENRE)


@pytest.mark.parametrize("state", [PublicationState.LIVE, PublicationState.PREVIEW])
async def test_totals_are_right(bookshop: Site, state: PublicationState) -> None:
    answer = await bookshop.get(f"/api/genres?publicationState={state.value}", FULL_TOKEN)
    condition = "published_at IS NOT NULL" if state is PublicationState.LIVE else "1 = 1"
    found = await bookshop.database.fetch_value(f"SELECT count(*) FROM genres WHERE {condition}")
    assert answer.json["meta"]["pagination"]["total"] == found > 0
    drafts = await bookshop.database.fetch_value("SELECT count(*) FROM genres WHERE published_at IS NULL")
    assert drafts > 0
