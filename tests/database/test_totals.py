"""Maintained counts: the effect of each kind of write, and when they are not trusted."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from octavo.content.reader import EntryReader
from octavo.database.connection import Database, IntegrityViolation
from octavo.database.maintained_counts import CountMaintenance
from octavo.database.sqlite import SqliteDatabase
from octavo.database.synchronize import synchronize
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.read import plan_read
from octavo.query.request import ReadRequest
from octavo.query.sql.dialects.maintained_counts import CountedTable, RequestedCount
from octavo.schema.registry import Registry
from tests.layouts import registry_of

pytestmark = pytest.mark.anyio

LIVE = "SELECT count(*) FROM notes WHERE published_at IS NOT NULL AND locale = 'en'"
TABLE = CountedTable("notes", drafts=True, localized=True)


def registry(folder: Path, *, drafts: bool = True) -> Registry:
    localized = {"pluginOptions": {"i18n": {"localized": True}}}
    note: dict[str, Any] = {
        "collectionName": "notes",
        "info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"},
        "options": {"draftAndPublish": drafts},
        "attributes": {"title": {"type": "string"}, "slug": {"type": "uid"}},
        **localized,
    }
    tag = {
        "collectionName": "tags",
        "info": {"singularName": "tag", "pluralName": "tags", "displayName": "Tag"},
        "attributes": {"name": {"type": "string"}},
    }
    files = {"api/note/content-types/note/schema.json": note, "api/tag/content-types/tag/schema.json": tag}
    return registry_of(files, folder)


@dataclass
class Desk:
    """A database with notes and tags, and the maintenance of their counts."""

    database: Database
    content: Registry
    keeper: CountMaintenance

    def moment(self, days: float = -1.0) -> str:
        """Return a time this many days from now, as a constant."""
        if self.database.dialect.name == "sqlite":
            return f"(CAST(unixepoch('subsec') * 1000 AS integer) + {int(days * 86_400_000)})"
        return f"(now() AT TIME ZONE 'UTC' + interval '{days} days')"

    async def write(self, *statements: str) -> None:
        """Run statements of another client in one transaction."""
        async with self.database.transaction() as transaction:
            for statement in statements:
                await transaction.execute(statement.replace("@past", self.moment()).replace("@later", self.moment(9)))

    async def add(self, number: int, locale: str = "'en'", published: str = "@past") -> None:
        values = ", ".join([f"('a note', {published}, {locale})"] * number)
        await self.write(f"INSERT INTO notes (title, published_at, locale) VALUES {values}")

    async def kept(self, **asked: Any) -> int | None:
        """Return the maintained count that reads use, or None if they count."""
        totals = self.database.dialect.totals
        assert totals is not None
        reported = totals.total(RequestedCount(TABLE, "SELECT -1", **asked))
        value = await self.database.fetch_value(reported)
        return None if value == -1 else int(value)

    async def assert_kept(self) -> None:
        """All maintained counts equal the counted rows."""
        for published in (None, True, False):
            for locale in (None, "en", "fr"):
                conditions = [] if published is None else [f"published_at IS {'NOT ' * published}NULL"]
                conditions += [f"locale = '{locale}'"] if locale else []
                where = " AND ".join(conditions) or "1 = 1"
                counted = await self.database.fetch_value(f"SELECT count(*) FROM notes WHERE {where}")
                locales = [f"'{locale}'"] if locale else None
                assert await self.kept(published=published, locales=locales) == counted, where
        assert not await self.keeper.compare()

    async def total(self, content: Registry | None = None, *, hides_future: bool = False, **query: Any) -> int | None:
        """Return the total of a list's response."""
        content = content or self.content
        reader = EntryReader(self.database, content, keeps_totals=True)
        request = ReadRequest(
            content_type=content.content_types["api::note.note"],
            query=read_query({"locale": "en", "publicationState": "live", **query}, PageLimits(25, 100, True)),
        )
        return (await reader.read_list(reader.prepare(plan_read(request, content, hides_future=hides_future))))[1]


@pytest.fixture
async def desk(database: Database, tmp_path: Path) -> Desk:
    content = registry(tmp_path / "content")
    await synchronize(database, content)
    keeper = CountMaintenance(database, content)
    made = Desk(database, content, keeper)
    await made.add(3)
    assert await made.kept() is None
    assert await keeper.is_wanted()
    counted = await keeper.keep()
    assert {table.name for table in counted} >= {"notes", "tags"}
    return made


async def test_lists_use_maintained_counts(desk: Desk) -> None:
    await desk.add(2, "'fr'")
    await desk.add(4, published="NULL")
    await desk.assert_kept()
    totals = {
        "live": await desk.total(),
        "drafts too": await desk.total(publicationState="preview"),
        "everywhere": await desk.total(locale="all"),
        "all": await desk.total(locale="all", publicationState="preview"),
        "drafts": await desk.total(publicationState="preview", filters={"publishedAt": {"$null": "true"}}),
        "of the future": await desk.total(hides_future=True),
    }
    assert totals == {"live": 3, "drafts too": 7, "everywhere": 5, "all": 9, "drafts": 4, "of the future": 3}
    await desk.database.execute("UPDATE octavo_totals SET total = total + 1000 WHERE total > 0")
    assert await desk.total() == 3  # short lists are counted
    await desk.write("UPDATE notes SET id = 2000 WHERE id = 3")
    assert (await desk.total() or 0) > 1000  # so totals use it
    assert await desk.total(filters={"title": {"$eq": "a note"}}) == 3
    assert await desk.keeper.compare()
    assert await desk.total() == 3
    await desk.keeper.keep()
    await desk.assert_kept()


@pytest.mark.parametrize(
    "statements",
    [
        ["INSERT INTO notes (title) SELECT title FROM notes", "INSERT INTO notes (title, locale) VALUES ('x', '')"],
        ["UPDATE notes SET locale = 'fr' WHERE id < 3", "UPDATE notes SET locale = NULL WHERE id = 2"],
        ["UPDATE notes SET published_at = NULL WHERE id = 1", "UPDATE notes SET title = 'y'"],
        ["UPDATE notes SET published_at = @past, locale = 'fr'", "DELETE FROM notes WHERE id = 2"],
        ["DELETE FROM notes"],
        ["INSERT INTO notes (id, title) VALUES (1, 'there') ON CONFLICT (id) DO NOTHING"],
        ["INSERT INTO notes (id) VALUES (1), (99) ON CONFLICT (id) DO UPDATE SET locale = 'fr', published_at = NULL"],
        ["SAVEPOINT a", "DELETE FROM notes", "ROLLBACK TO a", "INSERT INTO notes (locale) VALUES ('fr')", "RELEASE a"],
        ["UPDATE notes SET id = id + 100", "DELETE FROM notes WHERE id = 101"],
    ],
)
async def test_any_statement_is_noticed(desk: Desk, statements: list[str]) -> None:
    await desk.write(*statements)
    await desk.keeper.keep()
    await desk.assert_kept()


async def test_rollbacks_do_not_change_counts(desk: Desk) -> None:
    await desk.write("UPDATE notes SET slug = 'one' WHERE id = 1")
    for statement in ("INSERT INTO notes (id) VALUES (8), (1)", "UPDATE notes SET slug = 'one', locale = 'fr'"):
        with pytest.raises(IntegrityViolation):
            await desk.write("INSERT INTO notes (locale) VALUES ('fr')", statement)
    await desk.assert_kept()


async def test_entries_published_in_the_future_are_not_counted_yet(desk: Desk) -> None:
    await desk.add(2, published="@later")
    assert await desk.kept(published=True) == 5
    assert [await desk.total(hides_future=hides) for hides in (True, False)] == [3, 5]
    await desk.write("UPDATE notes SET published_at = @later WHERE id = 1")
    assert [await desk.total(hides_future=hides) for hides in (True, False)] == [2, 5]
    await desk.write(f"UPDATE notes SET published_at = {desk.moment(-0.5)} WHERE id = 1")
    assert await desk.total(hides_future=True) == 3
    await desk.assert_kept()


async def test_changed_types_are_counted_again(desk: Desk, tmp_path: Path) -> None:
    await desk.add(1, published="NULL")
    other = registry(tmp_path / "plain", drafts=False)
    assert await desk.total(other) == 4  # no count for this yet
    await synchronize(desk.database, other, allow_data_loss=True)
    keeper = CountMaintenance(desk.database, other)
    assert [table.kind for table in await keeper.keep() if table.name == "notes"] == ["locales"]
    await desk.write("INSERT INTO notes (locale) VALUES ('en')")
    assert await desk.total(other) == 5
    assert not await keeper.compare()


async def test_counts_are_dropped_and_created_again(desk: Desk) -> None:
    removed = await desk.keeper.remove()
    assert removed > 6
    await desk.add(2)
    assert await desk.kept() is None
    assert await desk.total() == 5
    await desk.write("INSERT INTO strapi_database_schema (hash) VALUES ('of v4')")
    assert not await desk.keeper.is_wanted()
    assert await desk.keeper.keep()
    assert await desk.keeper.is_wanted()
    await desk.assert_kept()
    assert await desk.keeper.remove() == removed


async def test_complete_counts_need_no_work(desk: Desk, new_database: Callable[..., Database]) -> None:
    assert await desk.keeper.keep() == ()
    before = desk.database.statements
    await desk.keeper.keep()
    assert desk.database.statements - before <= 2
    other = CountMaintenance(desk.database, desk.content)
    assert await other.keep() == ()
    if not isinstance(desk.database, SqliteDatabase):
        for _ in range(120):
            await desk.add(1)
        await desk.keeper.fold()
        assert (
            await desk.database.fetch_value("SELECT count(*) FROM octavo_totals WHERE relation = 'notes'::regclass") < 9
        )
        await desk.assert_kept()


async def test_one_statement_finds_that_nothing_is_to_do(desk: Desk) -> None:
    if desk.database.dialect.name == "sqlite":  # its statements are no round trips
        assert not await desk.keeper.is_quiet()
        return
    before = desk.database.statements
    assert await desk.keeper.is_quiet()
    assert desk.database.statements == before + 1
    for _ in range(101):
        await desk.add(1)
    assert not await desk.keeper.is_quiet()
    await desk.keeper.fold()
    assert await desk.keeper.is_quiet()
    await desk.write("TRUNCATE notes CASCADE")
    assert not await desk.keeper.is_quiet()
    await desk.keeper.keep()
    await desk.write("ALTER TABLE tags DISABLE TRIGGER ALL")
    assert not await desk.keeper.is_quiet()
    await desk.keeper.keep()
    assert await desk.keeper.is_quiet()
    await desk.keeper.remove()
    assert not await desk.keeper.is_quiet()
    assert not await CountMaintenance(desk.database, desk.content).is_quiet()
