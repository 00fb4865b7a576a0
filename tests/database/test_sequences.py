"""Ids from other sources: new rows get other ids, at the start and while the service runs."""

import json

import pytest

from octavo.content.writer import EntryWriter
from octavo.database.connection import Database, IdTaken
from octavo.database.synchronize import continue_ids
from octavo.operations.runtime.prepare_database import prepare_database
from octavo.operations.runtime.process import build
from tests.api.http.asgi import Answer, call
from tests.models.bookshop import AUTHOR, FULL_TOKEN, GENRE
from tests.models.site import Site

pytestmark = pytest.mark.anyio

LAST = "SELECT pg_sequence_last_value(pg_get_serial_sequence('{}', 'id')::regclass)"


async def create(site: Site, name: str) -> Answer:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    data = {"name": name, "books": [1, 2], "avatar": 1}
    return await call(site.octavo.asgi, "POST", "/api/authors", headers, [json.dumps({"data": data}).encode()])


async def ids_of(database: Database) -> list[int]:
    return [row[0] for row in await database.fetch_all("SELECT id FROM authors ORDER BY id")]


async def test_ids_go_on_at_start(own_bookshop: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    octavo = build(own_bookshop.octavo.settings)
    await prepare_database(octavo.database, octavo.site.registry, "en")
    monkeypatch.setattr("octavo.content.writer.continue_ids", None)  # nothing left to do
    before = await ids_of(octavo.database)
    answer = await create(Site(octavo), "new")
    assert (answer.status, answer.json["data"]["id"]) == (200, before[-1] + 1)
    await octavo.database.close()


async def test_only_sequences_that_are_behind_move_in_one_statement(own_bookshop: Site) -> None:
    before = own_bookshop.database.statements
    moved = await continue_ids(own_bookshop.database, own_bookshop.octavo.site.registry)
    if own_bookshop.database.dialect.name != "postgresql":
        assert (moved, own_bookshop.database.statements) == ((), before)
        return
    assert {"authors", "books", "books_author_links", "components_shop_chapters", "up_roles"} <= set(moved)
    assert own_bookshop.database.statements == before + 1
    assert await continue_ids(own_bookshop.database, own_bookshop.octavo.site.registry) == ()
    assert await own_bookshop.database.fetch_value(LAST.format("authors")) == (await ids_of(own_bookshop.database))[-1]


async def test_sequences_that_are_ahead_stay(own_bookshop: Site) -> None:
    if own_bookshop.database.dialect.name == "postgresql":
        async with own_bookshop.database.transaction() as transaction:
            await transaction.fetch_value("SELECT setval(pg_get_serial_sequence('authors', 'id'), 1000)")
        assert "authors" not in await continue_ids(own_bookshop.database, own_bookshop.octavo.site.registry)
        assert await own_bookshop.database.fetch_value(LAST.format("authors")) == 1000


async def test_ids_inserted_while_the_service_runs(own_bookshop: Site) -> None:
    before = await ids_of(own_bookshop.database)
    first = await create(own_bookshop, "first")
    assert (first.status, first.json["data"]["id"]) == (200, before[-1] + 1)
    await own_bookshop.database.execute(f"INSERT INTO authors (id, name) VALUES ({before[-1] + 2}, 'by hand')")
    second = await create(own_bookshop, "second")
    assert (second.status, second.json["data"]["id"]) == (200, before[-1] + 3)
    links = await own_bookshop.database.fetch_all(
        f"SELECT book_id FROM books_author_links WHERE author_id = {before[-1] + 3} ORDER BY book_id"
    )
    assert [row[0] for row in links] == [1, 2]


async def test_a_sequence_that_cannot_move_is_no_validation_error(own_bookshop: Site) -> None:
    """One retry and no more: the sequence returns used ids whatever Octavo does."""
    if own_bookshop.database.dialect.name != "postgresql":
        return
    writer = EntryWriter(own_bookshop.database, own_bookshop.octavo.site.registry)
    await own_bookshop.database.execute_script(
        "CREATE SEQUENCE stubborn MAXVALUE 3 CYCLE; ALTER TABLE genres ALTER COLUMN id SET DEFAULT nextval('stubborn');"
        "ALTER SEQUENCE genres_id_seq OWNED BY NONE"
    )
    with pytest.raises(IdTaken):
        await writer.create(own_bookshop.octavo.site.registry.content_types[GENRE], {"name": "never"})
    await writer.create(own_bookshop.octavo.site.registry.content_types[AUTHOR], {"name": "other"})
