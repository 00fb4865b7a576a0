"""Declared indexes of content types: created, recreated after a crash, dropped, and used by reads."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from octavo.content.reader import EntryReader, PreparedRead
from octavo.database.connection import Database
from octavo.database.declared_indexes import make_declared_indexes, not_made
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.synchronize import found_tables, plan_changes, synchronize
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.read import plan_read
from octavo.query.request import ReadRequest
from octavo.query.sql.ddl.indexes import DECLARED_PREFIX
from octavo.schema.registry import Registry
from tests.layouts import registry_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def postgresql_database(anyio_backend: str, postgresql_url: str) -> AsyncIterator[Database]:
    made = PostgresqlDatabase(postgresql_url)
    await made.connect()
    yield made
    await made.close()


BY_PLACE, BY_VIEWS, PARTS = ["place"], ["-views", "publishedAt"], {"attributes": ["title", "body"], "kind": "contains"}
ROWS = 20_000


def registry(folder: Path, *indexes: Any, localized: bool = False) -> Registry:
    attributes = {"title": {"type": "string"}, "place": {"type": "string"}, "views": {"type": "integer"}}
    attributes["body"] = {"type": "text"}
    definition = {
        "collectionName": "notes",
        "info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"},
        "options": {"draftAndPublish": True},
        "pluginOptions": {"i18n": {"localized": localized}, "octavo": {"indexes": list(indexes)}},
        "attributes": attributes,
    }
    return registry_of({"api/note/content-types/note/schema.json": definition}, folder)


async def serve(database: Database, content: Registry) -> list[str]:
    """Synchronize as a start does, and return the declared indexes in the database."""
    await synchronize(database, content)
    await make_declared_indexes(database, content)
    assert not (await plan_changes(database, content)).additive
    assert not (await plan_changes(database, content)).aside
    return await declared(database)


async def declared(database: Database) -> list[str]:
    found = (await found_tables(database, database.dialect))["notes"].indexes
    names = sorted(index.name for index in found if index.name.startswith(DECLARED_PREFIX))
    text = "SELECT sql FROM sqlite_master WHERE name = ?1"
    if database.dialect.name == "postgresql":
        text = "SELECT indexdef FROM pg_indexes WHERE indexname = $1 AND schemaname = current_schema()"
    texts = [str(await database.fetch_value(text, [name])).replace('"', "") for name in names]
    return sorted(text[text.rindex("(") :] for text in texts)


async def test_indexes_are_made_when_declared_and_dropped_when_not(database: Database, tmp_path: Path) -> None:
    assert await serve(database, registry(tmp_path / "none")) == []
    first = await serve(database, registry(tmp_path / "two", BY_PLACE, BY_VIEWS))
    assert first == ["(place, id, published_at)", "(views DESC, published_at, id)"]
    other = await serve(database, registry(tmp_path / "other", ["views", "publishedAt"]))
    assert other == ["(views, published_at, id)"]
    localized = await serve(database, registry(tmp_path / "localized", BY_PLACE, ["locale", "views"], localized=True))
    assert localized == ["(locale, place, id, published_at)", "(locale, views, id, published_at)"]
    assert await serve(database, registry(tmp_path / "none")) == []


async def test_only_own_undeclared_indexes_are_dropped(database: Database, tmp_path: Path) -> None:
    await serve(database, registry(tmp_path / "one"))
    await database.execute_script("CREATE INDEX somebody_elses ON notes (views)")
    await serve(database, registry(tmp_path / "two", BY_PLACE))
    await serve(database, registry(tmp_path / "none"))
    names = {index.name for index in (await found_tables(database, database.dialect))["notes"].indexes}
    assert "somebody_elses" in names


async def test_a_column_that_changes_its_type_keeps_its_direction(database: Database, tmp_path: Path) -> None:
    content = registry(tmp_path, BY_VIEWS)
    await serve(database, registry(tmp_path / "none"))
    await database.execute_script("ALTER TABLE notes DROP COLUMN views; ALTER TABLE notes ADD COLUMN views time")
    await synchronize(database, content, allow_data_loss=True)
    assert await serve(database, content) == ["(views DESC, published_at, id)"]


async def test_unfinished_indexes_are_recreated(
    postgresql_database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database, content = postgresql_database, registry(tmp_path, BY_PLACE)
    await serve(database, content)
    name = next(i.name for i in (await found_tables(database, database.dialect))["notes"].indexes if "ix_" in i.name)
    await database.execute_script(f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{name}'::regclass")
    caplog.set_level(logging.INFO)
    assert [change.index.name for change in await make_declared_indexes(database, content)] == [name]
    assert f"Dropping the incomplete index {name}" in caplog.text
    valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = $1::text::regclass"
    assert await database.fetch_value(valid, [name])


async def test_one_process_creates_an_index_while_tables_are_in_use(
    postgresql_database: Database, tmp_path: Path
) -> None:
    """A transaction that has written delays the index. It can continue to write, and others can read."""
    database, content = postgresql_database, registry(tmp_path, BY_PLACE)
    await synchronize(database, content)
    async with database.transaction() as transaction:
        await transaction.execute("INSERT INTO notes (title) VALUES ('a')")
        makers = [asyncio.ensure_future(make_declared_indexes(database, content)) for _ in range(2)]
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONC%' AND state = 'active'"
        while not await database.fetch_value(waiting):  # noqa: ASYNC110 - nobody tells when
            await asyncio.sleep(0.01)
        await transaction.execute("INSERT INTO notes (title) VALUES ('b')")
        assert await database.fetch_value("SELECT count(*) FROM notes") == 0
        assert not any(maker.done() for maker in makers)
    made = [await maker for maker in makers]
    assert sorted(map(len, made)) == [0, 1]
    assert await declared(database) == ["(place, id, published_at)"]


async def test_unsupported_indexes_are_reported(
    postgresql_database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database, content = postgresql_database, registry(tmp_path, PARTS)
    caplog.set_level(logging.WARNING)
    await synchronize(database, content)
    made = await make_declared_indexes(database, content)
    reported = [*not_made(content, database.dialect), *(record.getMessage() for record in caplog.records)]
    if await database.fetch_value("SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'"):
        assert ([len(made)], reported) == ([1], [])
    else:
        assert not made
        [line] = reported
        assert "A trigram index of " in line
        assert "notes (title, body)" in line


async def test_a_failed_statement_leaves_nothing_and_the_start_continues(
    postgresql_database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database, content = postgresql_database, registry(tmp_path, BY_PLACE, BY_VIEWS)
    await synchronize(database, content)
    longer = "ALTER TABLE notes ALTER COLUMN place TYPE character varying(99999)"
    await database.execute_script(longer)
    await database.execute(
        "INSERT INTO notes (place) SELECT string_agg(md5(n::text), '') FROM generate_series(1, 2000) n"
    )
    assert len(await make_declared_indexes(database, content)) == 1
    assert "Could not create index" in caplog.text
    assert await declared(database) == ["(views DESC, published_at, id)"]


# Use by reads


def prepare(database: Database, content: Registry, **params: Any) -> PreparedRead:
    query = read_query({"fields": ["title"], "publicationState": "live", **params}, PageLimits())
    request = ReadRequest(content_type=content.content_types["api::note.note"], query=query)
    return EntryReader(database, content).prepare(plan_read(request, content))


async def explained(database: Database, read: PreparedRead) -> str:
    """Return the database's plan for a read with any values."""
    values, text = read.values, read.statement.text
    if database.dialect.name == "sqlite":
        rows = await database.fetch_all(f"EXPLAIN QUERY PLAN {text}", values)
        return "\n".join(str(row[3]) for row in rows)
    given = ", ".join(database.dialect.literal(str(value)) for value in values)
    async with database.apart() as connection:
        await connection.execute_script(f"PREPARE read AS {text}")
        return "\n".join(str(row[0]) for row in await connection.fetch_all(f"EXPLAIN EXECUTE read ({given})"))


async def fill(database: Database) -> None:
    numbers = f"(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {ROWS}) SELECT n FROM c) c"
    place, moment = "'t' || (n * 7919 % 100003)", "n" if database.dialect.name == "sqlite" else "now()"
    await database.execute_script(
        f"INSERT INTO notes (place, views, published_at) SELECT {place}, n % 10, {moment} FROM {numbers}; ANALYZE notes"
    )


async def test_sorted_lists_take_their_page_from_the_index(database: Database, tmp_path: Path) -> None:
    content = registry(tmp_path, BY_PLACE, ["-views"])
    await synchronize(database, content)
    await fill(database)
    await serve(database, content)
    found = (await found_tables(database, database.dialect))["notes"].indexes
    by_place = next(index.name for index in found if index.columns == ("place", "id", "published_at"))
    by_views = next(index.name for index in found if index.columns == ("views", "id", "published_at"))
    for sort, index in (("place", by_place), ("place:desc", by_place), ("views:desc", by_views)):
        for page in ({}, {"start": "5000"}):
            pagination = {"withCount": "false", **page}
            plan = await explained(database, prepare(database, content, sort=sort, pagination=pagination))
            assert index in plan, (sort, page, plan)
            if sort != "place:desc":  # with ids in descending order among equal values
                assert "ORDER BY" not in plan.partition(index)[0], (sort, page, plan)


async def test_a_filter_and_an_order_share_an_index(database: Database, tmp_path: Path) -> None:
    content = registry(tmp_path, ["views", "place"])
    await synchronize(database, content)
    await fill(database)
    await serve(database, content)
    read = prepare(database, content, sort="place", filters={"views": "3"}, pagination={"withCount": "false"})
    assert DECLARED_PREFIX in await explained(database, read)


async def test_parts_of_texts_are_found_by_the_index(postgresql_database: Database, tmp_path: Path) -> None:
    if not await postgresql_database.fetch_value("SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'"):
        pytest.skip("this PostgreSQL has no pg_trgm: `make cluster-test` runs it with one")
    await search_by_index(postgresql_database, tmp_path)


async def search_by_index(database: Database, folder: Path) -> None:
    content = registry(folder, {"attributes": ["title", "body", "place"], "kind": "contains"})
    await synchronize(database, content)
    await fill(database)
    await database.execute_script("UPDATE notes SET title = place, body = place; ANALYZE notes")
    await serve(database, content)
    for params in ({"filters": {"title": {"$containsi": "T123"}}}, {"_q": "T123", "fields": ["body"]}):
        uncounted = prepare(database, content, pagination={"withCount": "false"}, **params)
        assert DECLARED_PREFIX in await explained(database, uncounted)
        read = prepare(database, content, **params)
        assert (await EntryReader(database, content).read_list(uncounted))[1] is None
        assert DECLARED_PREFIX in await explained(database, read)
        found = "SELECT count(*) FROM notes WHERE published_at IS NOT NULL AND title ILIKE '%T123%'"
        assert (await EntryReader(database, content).read_list(read))[1] == await database.fetch_value(found)
