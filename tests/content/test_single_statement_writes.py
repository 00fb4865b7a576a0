"""Creates and updates of one statement on PostgreSQL need no transaction, unless more is stored with them."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest

from octavo.database.change_feed import ChangeFeed
from octavo.operations.runtime.process import build
from tests.api.graphql.asking import ask, messages
from tests.api.http.asgi import Answer, call
from tests.api.rest.feed_client import ON
from tests.database.test_single_statement_writes import sent
from tests.models.bookshop import FULL_TOKEN
from tests.models.site import Site, open_bookshop, postgresql_variables

pytestmark = pytest.mark.anyio

_NUMBERS: Final = itertools.count(1)
_GRAPHQL_CREATE: Final = "mutation ($d: BookInput!) { createBook(data: $d) { data { id attributes { title pages } } } }"
_GRAPHQL_UPDATE: Final = """mutation ($i: ID!, $d: BookInput!) {
  updateBook(id: $i, data: $d) { data { id attributes { title pages } } } }"""
BEGIN: Final = "BEGIN READ WRITE"

Write = Callable[[Site], Any]


@pytest.fixture
async def postgresql(anyio_backend: str, postgresql_url: str, tmp_path: Any) -> AsyncIterator[Site]:
    """A service without background jobs."""
    site = await filled(postgresql_url, tmp_path)
    yield site
    await site.database.close()


async def filled(url: str, folder: Any, **variables: str) -> Site:
    site = await open_bookshop(folder, {**postgresql_variables(url), **variables})
    text = "SELECT setval(pg_get_serial_sequence('{0}', 'id'), (SELECT max(id) FROM {0}))"
    for table in ("books", "genres"):
        await site.database.execute_script(text.format(table))
    return site


@asynccontextmanager
async def started(url: str, folder: Any, **variables: str) -> AsyncIterator[Site]:
    """Start a service with all tables, and with background jobs that can send other statements."""
    site = await filled(url, folder, **variables)
    await site.database.close()
    octavo = build(site.octavo.settings)
    await octavo.asgi.start()
    try:
        yield Site(octavo)
    finally:
        await octavo.asgi.stop()


async def request(site: Site, method: str, path: str, data: Any) -> Answer:
    headers = [("Authorization", f"Bearer {FULL_TOKEN}"), ("Content-Type", "application/json")]
    return await call(site.octavo.asgi, method, path, headers, [json.dumps({"data": data}).encode()])


async def create_by_rest(site: Site) -> None:
    answer = await request(site, "POST", "/api/genres", {"name": f"Genre {next(_NUMBERS)}", "rank": 5})
    assert answer.status == 200, answer.body


async def update_by_rest(site: Site) -> None:
    answer = await request(site, "PUT", "/api/genres/1", {"name": f"Genre {next(_NUMBERS)}", "rank": 5})
    assert answer.status == 200, answer.body


async def create_by_graphql(site: Site) -> None:
    data = {"title": f"Book {next(_NUMBERS)}", "pages": 5, "author": "1"}
    assert "errors" not in await ask(site, _GRAPHQL_CREATE, FULL_TOKEN, d=data)


async def update_by_graphql(site: Site) -> None:
    data = {"title": f"Book {next(_NUMBERS)}", "pages": 5}
    assert "errors" not in await ask(site, _GRAPHQL_UPDATE, FULL_TOKEN, i="1", d=data)


WRITES: Final = (create_by_rest, update_by_rest, create_by_graphql, update_by_graphql)


async def texts_of(site: Site, write: Write, patch: pytest.MonkeyPatch) -> list[str]:
    """Return the statements of a frequent write, without those of background refreshes."""
    for _ in range(5):
        await write(site)
    found = []
    for _ in range(3):
        with sent(patch) as texts:
            await write(site)
        found.append(list(texts))
    return min(found, key=len)


@pytest.mark.parametrize("write", WRITES)
async def test_frequent_writes_are_one_round_trip(
    postgresql: Site, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    [text] = await texts_of(postgresql, write, monkeypatch)
    assert text.startswith("WITH octavo_written_0")


async def stores_in_transaction(site: Site, write: Write, table: str, patch: pytest.MonkeyPatch) -> bool:
    """Return whether a frequent write inserts into a table within a transaction."""
    with sent(patch) as texts:
        await write(site)
    [at] = [place for place, text in enumerate(texts) if f"INTO {table}" in text]
    return BEGIN in texts[:at] and "COMMIT" in texts[at:]


@pytest.mark.parametrize("write", WRITES)
async def test_the_change_journal_is_written_in_the_same_transaction(
    postgresql_url: str, tmp_path: Any, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started(postgresql_url, tmp_path, **ON) as site:
        for _ in range(5):
            await write(site)
        before = await site.database.fetch_value("SELECT count(*) FROM octavo_journal")
        assert await stores_in_transaction(site, write, "octavo_journal", monkeypatch)
        assert await site.database.fetch_value("SELECT count(*) FROM octavo_journal") == before + 1


async def test_webhook_messages_are_written_in_the_same_transaction(
    postgresql_url: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started(postgresql_url, tmp_path) as site:
        for _ in range(5):
            await create_by_rest(site)
        await site.octavo.infrastructure.webhooks.create(
            name="one", url="http://webhooks.invalid/", events=["entry.create"]
        )
        assert await stores_in_transaction(site, create_by_rest, "octavo_outbox", monkeypatch)


async def test_stores_of_changes_receive_those_of_their_callers(
    postgresql: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed: ChangeFeed = postgresql.octavo.infrastructure.feed
    stored: list[int] = []
    is_on = False

    async def keep(connection: Any, changes: Any) -> None:
        stored.append(await connection.fetch_value("SELECT count(*) FROM genres"))

    feed.keep(keep, lambda: is_on)
    assert len(await texts_of(postgresql, create_by_rest, monkeypatch)) == 1
    assert len(stored) == 3  # creates that were not yet prepared are transactions
    is_on = True
    assert len(await texts_of(postgresql, create_by_rest, monkeypatch)) == 4
    assert stored[-1] == await postgresql.database.fetch_value("SELECT count(*) FROM genres")


async def test_entries_that_are_missing_are_reported_and_nothing_is_written(postgresql: Site) -> None:
    for _ in range(5):
        await create_by_graphql(postgresql)
    before = await postgresql.database.fetch_value("SELECT count(*) FROM books")
    for author in ("999", "998"):
        data = {"title": "Nobody's", "pages": 5, "author": author}
        answer = await ask(postgresql, _GRAPHQL_CREATE, FULL_TOKEN, d=data)
        assert "do not exist" in messages(answer)[0]
    answer = await ask(postgresql, _GRAPHQL_UPDATE, FULL_TOKEN, i="99999", d={"title": "Nobody's", "pages": 5})
    assert answer == {"data": {"updateBook": {"data": None}}}
    assert (await request(postgresql, "PUT", "/api/genres/99999", {"name": "None", "rank": 5})).status == 404
    assert await postgresql.database.fetch_value("SELECT count(*) FROM books") == before


async def test_subscribers_receive_each_write_once(postgresql: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, str]] = []

    async def hear(changes: Any) -> None:
        await asyncio.sleep(0)
        heard.extend((change.uid, change.kind) for change in changes)

    postgresql.octavo.infrastructure.feed.subscribe(hear)
    for write in WRITES:
        heard.clear()
        assert len(await texts_of(postgresql, write, monkeypatch)) == 1
        assert len(heard) == 8


async def test_simultaneous_updates_are_all_stored_in_some_order(postgresql: Site) -> None:
    for _ in range(5):
        await update_by_rest(postgresql)
    answers = await asyncio.gather(
        *(request(postgresql, "PUT", "/api/genres/1", {"name": f"N{n}", "rank": n}) for n in range(40))
    )
    moments = [answer.json["data"]["attributes"]["updatedAt"] for answer in answers]
    assert len(set(moments)) == 40  # each sees the previous one
    last = max(answers, key=lambda answer: answer.json["data"]["attributes"]["updatedAt"])
    shown = await postgresql.get("/api/genres/1", FULL_TOKEN)
    assert shown.json["data"] == last.json["data"]
