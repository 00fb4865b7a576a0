"""Ids that came from elsewhere: new rows get others, at start and while the service runs."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from octavo.app import build
from octavo.bootstrap import prepare_database
from octavo.content.entries import EntryWriter
from octavo.database.connection import Database, IdTaken
from octavo.database.sequences import continue_ids
from tests.http.asgi import Answer, call
from tests.models.bookshop import AUTHOR, FULL_TOKEN, GENRE
from tests.models.site import Site, open_bookshop, postgresql_variables

pytestmark = pytest.mark.anyio

LAST = "SELECT pg_sequence_last_value(pg_get_serial_sequence('{}', 'id')::regclass)"


@pytest.fixture(params=["sqlite", "postgresql"])
async def restored(request: pytest.FixtureRequest, anyio_backend: str, tmp_path: Path) -> AsyncIterator[Site]:
    """A bookshop on each database in turn whose rows were all inserted with their ids."""
    variables: dict[str, str] = {}
    if request.param == "postgresql":
        variables = postgresql_variables(request.getfixturevalue("postgresql_url"))
    site = await open_bookshop(tmp_path, variables)
    yield site
    await site.database.close()


async def create(site: Site, name: str) -> Answer:
    headers = [("Content-Type", "application/json"), ("Authorization", f"Bearer {FULL_TOKEN}")]
    data = {"name": name, "books": [1, 2], "avatar": 1}
    return await call(site.octavo.asgi, "POST", "/api/authors", headers, [json.dumps({"data": data}).encode()])


async def ids_of(database: Database) -> list[int]:
    return [row[0] for row in await database.fetch_all("SELECT id FROM authors ORDER BY id")]


async def test_ids_go_on_at_start(restored: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    octavo = build(restored.octavo.settings)
    await prepare_database(octavo.database, octavo.registry, "en")
    monkeypatch.setattr("octavo.content.entries.continue_ids", None)  # nothing is left for it to do
    before = await ids_of(octavo.database)
    answer = await create(Site(octavo), "new")
    assert (answer.status, answer.json["data"]["id"]) == (200, before[-1] + 1)
    await octavo.database.close()


async def test_only_what_is_behind_is_moved_in_one_statement(restored: Site) -> None:
    before = restored.database.statements
    moved = await continue_ids(restored.database, restored.octavo.registry)
    if restored.database.dialect == "sqlite":
        assert (moved, restored.database.statements) == ((), before)
        return
    assert {"authors", "books", "books_author_links", "components_shop_chapters", "up_roles"} <= set(moved)
    assert restored.database.statements == before + 1
    assert await continue_ids(restored.database, restored.octavo.registry) == ()
    assert await restored.database.fetch_value(LAST.format("authors")) == (await ids_of(restored.database))[-1]


async def test_what_is_ahead_stays(restored: Site) -> None:
    if restored.database.dialect == "postgresql":
        async with restored.database.transaction() as transaction:
            await transaction.fetch_value("SELECT setval(pg_get_serial_sequence('authors', 'id'), 1000)")
        assert "authors" not in await continue_ids(restored.database, restored.octavo.registry)
        assert await restored.database.fetch_value(LAST.format("authors")) == 1000


async def test_ids_inserted_while_the_service_runs(restored: Site) -> None:
    before = await ids_of(restored.database)
    first = await create(restored, "first")
    assert (first.status, first.json["data"]["id"]) == (200, before[-1] + 1)
    await restored.database.execute(f"INSERT INTO authors (id, name) VALUES ({before[-1] + 2}, 'by hand')")
    second = await create(restored, "second")
    assert (second.status, second.json["data"]["id"]) == (200, before[-1] + 3)
    links = await restored.database.fetch_all(
        f"SELECT book_id FROM books_author_links WHERE author_id = {before[-1] + 3} ORDER BY book_id"
    )
    assert [row[0] for row in links] == [1, 2]


async def test_a_sequence_that_cannot_be_moved_is_no_fault_of_the_data(restored: Site) -> None:
    """Tried once more and no further: a sequence that goes on at ids that are taken, whatever is said to it."""
    if restored.database.dialect == "sqlite":
        return
    writer = EntryWriter(restored.database, restored.octavo.registry)
    await restored.database.execute_script(
        "CREATE SEQUENCE stubborn MAXVALUE 3 CYCLE; ALTER TABLE genres ALTER COLUMN id SET DEFAULT nextval('stubborn');"
        "ALTER SEQUENCE genres_id_seq OWNED BY NONE"
    )
    with pytest.raises(IdTaken):
        await writer.create(restored.octavo.registry.content_types[GENRE], {"name": "never"})
    await writer.create(restored.octavo.registry.content_types[AUTHOR], {"name": "other"})
