"""Known operations reuse prepared data, with separate results for other values, callers and locales."""

import pytest

from octavo.operations.runtime import process as app
from tests.api.graphql.asking import ask, messages, send
from tests.models.bookshop import FULL_TOKEN, SOME_TOKEN
from tests.models.people import Hands
from tests.models.site import Site
from tests.test_benchmarks import counted_calls

pytestmark = pytest.mark.anyio

PAGE = """query Page($size: Int, $state: PublicationState) {
  __typename
  books(pagination: {pageSize: $size}, publicationState: $state) {
    kind: __typename
    data { id }
    meta { pagination { pageSize total __typename } __typename }
    again: data { attributes { title } }
  }
  book(id: 2) { data { attributes { vaults { data { id } } } } }
}"""


async def test_values_and_callers_are_cached_separately(warm: Site) -> None:
    found = {}
    for size in (1, 2, 1):
        for token in (None, FULL_TOKEN, SOME_TOKEN, None):
            first = await ask(warm, PAGE, token, size=size)
            again = await ask(warm, PAGE, token, size=size)
            assert first == again
            found[size, token] = again
    for (size, _), answer in found.items():
        books = answer["data"]["books"]
        assert len(books["data"]) == len(books["again"]) == size
        assert books["meta"]["pagination"]["pageSize"] == size
        assert books["meta"]["__typename"] == "ResponseCollectionMeta"
        assert books["kind"] == "BookEntityResponseCollection"
        assert answer["data"]["__typename"] == "Query"
    assert messages(found[1, None]) == ["Forbidden access"]
    assert messages(found[1, FULL_TOKEN]) == []
    assert found[1, SOME_TOKEN]["data"]["book"] is None


async def test_publication_states_are_cached_separately(warm: Site) -> None:
    text = "query ($state: PublicationState) { books(publicationState: $state) { meta { pagination { total } } } }"
    totals = []
    for state in ("LIVE", "PREVIEW", "LIVE", "PREVIEW"):
        answer = await ask(warm, text, FULL_TOKEN, state=state)
        totals.append(answer["data"]["books"]["meta"]["pagination"]["total"])
    assert totals[0] == totals[2] < totals[1] == totals[3]


async def test_operations_of_one_document_are_cached_separately(warm: Site) -> None:
    for name, root in (("A", "books"), ("B", "authors"), ("A", "books"), ("B", "authors")):
        document = "query A { books { data { id } } } query B { authors { data { id } } }"
        answer = await send(warm, {"query": document, "operationName": name})
        assert list(answer.json["data"]) == [root]


async def test_another_default_locale_is_seen(scratch: Site, still: Hands) -> None:
    octavo = app.build(scratch.octavo.settings)
    await octavo.database.connect()
    site, text = Site(octavo), "{ books(pagination: {limit: 1}) { data { attributes { locale } } } }"
    mark = "?" if octavo.database.dialect.name == "sqlite" else "$"
    change = f"UPDATE strapi_core_store_settings SET value = {mark}1 WHERE key = {mark}2"
    seen: list[str] = []
    try:
        for locale in ("en", "en", "fr", "fr", "en"):
            await octavo.database.execute(change, (f'"{locale}"', "plugin_i18n_default_locale"))
            still.steady += 2
            answer = await ask(site, text)
            seen.extend(book["attributes"]["locale"] for book in answer["data"]["books"]["data"])
    finally:
        await octavo.database.close()
    assert set(seen) <= {"en", "fr"}
    assert seen[:2] == ["en", "en"]
    assert seen[-1] == "en"


async def test_revoked_permissions_apply_immediately(scratch: Site, still: Hands) -> None:
    octavo = app.build(scratch.octavo.settings)
    await octavo.database.connect()
    site, text = Site(octavo), "{ genres(pagination: {limit: 1}) { data { id } } }"
    mark = "?1" if octavo.database.dialect.name == "sqlite" else "$1"
    try:
        for _ in range(2):
            assert messages(await ask(site, text)) == []
        await octavo.database.execute(f"DELETE FROM up_permissions WHERE action = {mark}", ("api::genre.genre.find",))
        still.steady += 60
        assert messages(await ask(site, text)) == ["Forbidden access"]
    finally:
        await octavo.database.close()


async def test_the_same_bytes_are_refused_again(warm: Site) -> None:
    """Only bodies that were executed before are cached by their bytes."""
    wrong = {"query": "query ($size: Int!) { books(pagination: {limit: $size}) { data { id } } }"}
    for variables in ({}, {"size": "two"}):
        first = await send(warm, {**wrong, "variables": variables})
        again = await send(warm, {**wrong, "variables": variables})
        assert first.status == again.status == 400
        assert first.body == again.body


INVALID = {
    "an unknown field": "{ books { data { id nothing } } }",
    "no syntax": "{ books { data { id }",
    "too deep": "{ books { data { attributes { author { data { attributes { books { data { id } } } } } } } } }",
    "a value of another type": '{\n  books(pagination: { limit: "x" }) { data { id } } }',
}


@pytest.mark.parametrize("text", INVALID.values(), ids=list(INVALID))
async def test_an_invalid_document_is_validated_once(warm: Site, text: str) -> None:
    first = await send(warm, {"query": text}, FULL_TOKEN)
    assert first.status == 400
    with counted_calls(own=True) as calls:
        for given in ({"query": text}, {"query": text, "variables": {"a": 1}}, {"query": text, "operationName": "x"}):
            again = await send(warm, given, FULL_TOKEN)
            assert (again.status, again.body) == (400, first.body)
    assert calls["Documents.read"] == 0


async def test_the_caches_of_invalid_documents_are_limited(warm: Site) -> None:
    def held() -> tuple[int, int]:
        caches = warm.octavo.infrastructure.caches
        reports = [one for one in caches.reports() if one.name == "GraphQL invalid documents"]
        assert caches.size <= caches.limit
        return sum(one.entries for one in reports), sum(one.size for one in reports)

    entries, size = held()
    for number in range(50):
        names = " ".join(f"nothing{number}x{field}" for field in range(20))
        text = f"{{ books {{ data {{ {names} }} }} }}"
        answer = await send(warm, {"query": text}, FULL_TOKEN)
        size += len(text) + len(answer.body)
    assert held()[0] == entries + 50
    assert held()[1] > size
    long = "{ books { data { %s } } }" % ("n" * 40_000)
    assert [(await send(warm, {"query": long}, FULL_TOKEN)).status for _ in range(2)] == [400, 400]
    assert held()[0] == entries + 50


async def test_the_same_bytes_write_again(own_bookshop: Site) -> None:
    body = {"query": 'mutation { createBook(data: {title: "Tides"}) { data { id } } }'}
    made = [await send(own_bookshop, body, FULL_TOKEN) for _ in range(3)]
    assert len({answer.json["data"]["createBook"]["data"]["id"] for answer in made}) == 3


@pytest.mark.parametrize("characters, cached", [(1_000, 1), (100_000, 0)])
async def test_large_bodies_are_not_cached(warm: Site, characters: int, cached: int) -> None:
    """One client's bodies must not displace those that everybody uses."""

    def entries() -> int:
        reports = warm.octavo.infrastructure.caches.reports()
        return sum(report.entries for report in reports if report.name == "GraphQL bodies")

    before, text = entries(), "query ($title: String) { books(filters: {title: {eq: $title}}) { data { id } } }"
    for _ in range(2):
        answer = await ask(warm, text, title="a" * characters + "\U0001f600")
        assert answer["data"] == {"books": {"data": []}}
    assert entries() - before == cached
