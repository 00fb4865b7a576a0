"""The cost of reads is limited, and expensive preparation runs outside the event loop."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import orjson
import pytest

from benchmarks.costly import costly_requests
from octavo.api.graphql.document.documents import Documents
from octavo.content.controllers.prepared_reads import MOST_PREPARED_HERE
from octavo.content.controllers.reading import ContentReads
from octavo.operations.runtime import process
from octavo.query.plan.planning import ReadLimits, limits_by_cost
from octavo.settings.files.api import Reads
from tests.api.http.asgi import call
from tests.models.site import Site

pytestmark = pytest.mark.anyio

SEQUELS = "populate" + "[sequel][populate]" * 12 + "=*"


@asynccontextmanager
async def bounded(site: Site, *, caches: int = 64 * 1024**2, **reads: int) -> AsyncIterator[Site]:
    """Serve the same content with other limits."""
    settings = site.octavo.settings
    api = replace(settings.api, reads=replace(settings.api.reads, **reads))
    octavo = process.build(replace(settings, api=api, server=replace(settings.server, cache_size=caches)))
    await octavo.database.connect()
    try:
        yield Site(octavo)
    finally:
        await octavo.site.close()
        await octavo.database.close()


def message_of(answer: Any) -> str:
    assert answer.status == 400, answer.body
    return str(answer.json["error"]["message"])


async def ask(site: Site, text: str) -> Any:
    body = orjson.dumps({"query": text})
    return await call(site.octavo.asgi, "POST", "/graphql", [("Content-Type", "application/json")], [body])


async def test_joins_are_bounded(bookshop: Site) -> None:
    async with bounded(bookshop, max_cost=200) as site:
        assert (await site.get("/api/books?populate[sequel][populate]=sequel")).status == 200
        assert message_of(await site.get(f"/api/books?{SEQUELS}")) == (
            "The request needs more than 10 joins. Its limit follows from `reads.maxCost` in config/api.toml. "
            "Request fewer relations, components or levels"
        )


async def test_joins_of_filters_and_sorts_count(bookshop: Site) -> None:
    sorts = (f"author.books.{name}" for name in ("id", "title", "pages", "price", "slug", "createdAt"))
    async with bounded(bookshop, max_cost=200) as site:
        for text in (
            "&".join(f"filters[$or][{number}][author][books][title]=a" for number in range(6)),
            f"sort={','.join(sorts)}",
        ):
            assert "more than 10 joins" in message_of(await site.get(f"/api/books?{text}"))


async def test_joins_of_graphql_count(bookshop: Site) -> None:
    text = "{ books { data { attributes { author { data { id } } sequel { data { id } } } } } }"
    async with bounded(bookshop, max_cost=20) as site:
        (error,) = (await ask(site, text)).json["errors"]
        assert "more than 1 joins" in error["message"]
    async with bounded(bookshop, max_cost=40) as site:
        assert "errors" not in (await ask(site, text)).json


async def test_conditions_of_graphql_count_in_all_fields_together(bookshop: Site) -> None:
    """One variable can be used in hundreds of fields."""
    fields = " ".join(f"b{number}: books(filters: $f, sort: $s) {{ data {{ id }} }}" for number in range(20))
    filters: dict[str, object] = {"or": [{"title": {"in": []}}] * 100}
    query = f"query ($f: BookFiltersInput, $s: [String]) {{ {fields} }}"
    body = orjson.dumps({"query": query, "variables": {"f": filters, "s": ["author.books.title"] * 50}})
    async with bounded(bookshop, max_cost=2_000) as site:
        answer = await call(site.octavo.asgi, "POST", "/graphql", [("Content-Type", "application/json")], [body])
        messages = [error["message"] for error in answer.json["errors"]]
        assert messages
        assert all("more than the 2000 that `reads.maxCost` in config/api.toml allows" in one for one in messages)


async def test_bytes_of_a_statement_are_bounded(bookshop: Site) -> None:
    async with bounded(bookshop, max_cost=600) as site:
        assert "statement of more than 16384 bytes" in message_of(await site.get(f"/api/books?{SEQUELS}"))
    async with bounded(bookshop) as site:
        assert (await site.get(f"/api/books?{SEQUELS}")).status == 200


def test_settings_and_read_limits_have_the_same_defaults() -> None:
    reads = Reads()
    assert ReadLimits() == limits_by_cost(reads.max_cost, reads.timeout / 1000)


async def test_costly_reads_create_no_long_statement(bookshop: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size of statements is limited for all requests."""
    longest = 0
    prepare = ContentReads.prepare

    def noting(self: ContentReads, *given: Any) -> Any:
        nonlocal longest
        prepared = prepare(self, *given)
        longest = max(longest, len(prepared.statement.text))
        return prepared

    monkeypatch.setattr(ContentReads, "prepare", noting)
    async with bounded(bookshop) as site:
        for asked in costly_requests():
            if asked.method == "GET":
                assert (await site.get(asked.target)).status in (200, 400), asked.name
    assert 16 * 1024 < longest <= ReadLimits().statement


def threads_of(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[str]:
    """Record the threads in which a method runs."""
    found: list[str] = []
    original = getattr(owner, name)

    def noting(self: Any, *given: Any) -> Any:
        found.append(threading.current_thread().name)
        return original(self, *given)

    monkeypatch.setattr(owner, name, noting)
    return found


async def test_long_queries_are_prepared_in_a_thread(bookshop: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    short = "fields[0]=title"
    long = "&".join([short, *(f"filters[$and][{number}][id][$ne]={10**6 + number}" for number in range(20))])
    assert len(short) < MOST_PREPARED_HERE < len(long)
    async with bounded(bookshop) as site:
        found = threads_of(monkeypatch, ContentReads, "prepare")
        for text in (short, short, long, long):
            assert (await site.get(f"/api/books?{text}")).status == 200
    assert found == ["MainThread", "octavo-computing_0"]


async def test_long_documents_are_read_in_a_thread(bookshop: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    found = threads_of(monkeypatch, Documents, "read")
    short = "{ books { data { id } } }"
    long = f"{{ {' '.join(f'b{number}: books {{ data {{ id }} }}' for number in range(60))} }}"
    async with bounded(bookshop) as site:
        for text in (short, short, long, long):
            assert "errors" not in (await ask(site, text)).json
    assert found == ["MainThread", "octavo-computing_0"]


async def test_shapes_without_end_stay_within_the_budget(bookshop: Site) -> None:
    """4,000 different shapes once needed 400 MB; the most recent ones are reused."""
    async with bounded(bookshop, caches=2 * 1024**2) as site:
        budget = site.octavo.infrastructure.caches
        for number in range(300):
            text = "&".join(f"filters[$or][{place}][id]={number * place}" for place in range(1 + number % 20))
            await site.get(f"/api/books?populate=*&sort=id&{text}&fields[0]=title&pagination[page]={number % 7 + 1}")
            assert budget.size <= budget.limit
        reports = {report.name: report for report in budget.reports()}
        assert 0 < reports["REST lists"].entries < 300
        before = reports["REST lists"].hits
        await site.get(f"/api/books?populate=*&sort=id&{text}&fields[0]=title&pagination[page]={number % 7 + 1}")
        assert {report.name: report for report in budget.reports()}["REST lists"].hits == before + 1
