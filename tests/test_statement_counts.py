"""Exact counts of the statements that a request sends, on each database."""

import pytest

from octavo.database.maintained_counts import CountMaintenance
from tests.models.bookshop import FULL_TOKEN
from tests.models.people import Hands
from tests.models.site import Site

pytestmark = pytest.mark.anyio

DEEP = "populate[author][populate][books][populate][genres][populate][parent][populate]=children"
READS = {
    "a list with its total": "/api/authors",
    "a list without a total": "/api/authors?pagination[withCount]=false",
    "a localized list": "/api/books",
    "a later page": "/api/books?pagination[page]=2&pagination[pageSize]=3",
    "an entry": "/api/books/1",
    "a single type": "/api/imprint",
    "a localized single type": "/api/front-page?locale=fr",
    "a single type in every locale": "/api/front-page?locale=all",
    "everything one level deep": "/api/books?populate=*",
    "five levels": f"/api/books?{DEEP}",
    "an entry, five levels": f"/api/books/1?{DEEP}",
    "a dynamic zone with what is in it": "/api/books?populate[extras][populate]=*",
    "a dynamic zone by kind": "/api/books?populate[extras][on][shop.quote][populate]=source",
    "nested components": "/api/books?populate[chapters][populate][footnote]=true",
    "morph relations": "/api/books?populate=notesAbout,firstNote,mentions",
    "the other side of morph relations": "/api/notes?populate=subject,subjects",
    "media": "/api/books?populate=cover,gallery",
    "a count": "/api/books?populate[genres][count]=true",
    "a filter through relations": "/api/books?filters[author][books][genres][name][$contains]=1",
    "a filter through components": "/api/books?filters[chapters][footnote][text][$null]=true",
    "a populated list, cut": "/api/authors?populate[books][filters][pages][$gt]=5&populate[books][limit]=2",
    "a search": "/api/books?_q=moon",
    "a sort through relations": "/api/books?sort=author.name,shelf.parent.name:desc",
    "drafts": "/api/books?publicationState=preview&locale=all",
}


@pytest.mark.parametrize("target", READS.values(), ids=list(READS))
async def test_a_read_is_one_statement_the_first_time_and_later(warm: Site, target: str) -> None:
    assert await warm.statements(target) == 1
    assert await warm.statements(target) == 1


@pytest.mark.parametrize(
    "target, status",
    [("/api/vaults", 403), ("/api/books?filters[pin]=x", 400), ("/api/books?sort=nope", 400), ("/api/nothing", 404)],
)
async def test_a_refusal_needs_no_statement(warm: Site, target: str, status: int) -> None:
    before = warm.database.statements
    assert (await warm.get(target)).status == status
    assert warm.database.statements == before


async def test_an_api_token_is_free_once_its_use_is_noted(warm: Site) -> None:
    assert await warm.statements("/api/vaults/1", FULL_TOKEN) == 1


async def test_locales_and_roles_take_one_statement_each_a_second(warm: Site, still: Hands) -> None:
    counts = []
    for seconds in (0.0, 1.01, 0.0, 1.01):
        still.steady += seconds
        counts.append(await warm.statements("/api/books"))
    assert counts == [1, 3, 1, 3]


async def test_a_maintained_count_needs_no_further_statement(warm: Site) -> None:
    target = "/api/books?locale=all&publicationState=preview"
    total = (await warm.get(target)).json["meta"]["pagination"]["total"]
    keeper = CountMaintenance(warm.database, warm.octavo.site.registry)
    await keeper.keep()
    try:
        assert all(state.is_kept for state in await keeper.states())
        for other in (target, "/api/books", "/api/authors"):
            assert await warm.statements(other) == 1
        assert (await warm.get(target)).json["meta"]["pagination"]["total"] == total
    finally:
        await keeper.remove()
