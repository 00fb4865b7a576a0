"""Substring indexes on SQLite: they return the rows of a scan, and are not used where they cannot."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from octavo.content.reader import EntryReader, PreparedRead
from octavo.database.connection import IntegrityViolation
from octavo.database.sqlite import SqliteDatabase
from octavo.database.substring_indexes import SubstringIndexMaintenance
from octavo.database.synchronize import synchronize
from octavo.database.trigger_removal import release_tables
from octavo.query.params import PageLimits, read_query
from octavo.query.plan.read import plan_read
from octavo.query.request import ReadRequest
from octavo.query.sql.dialects.substring_indexes import SubstringIndex
from octavo.schema.registry import Registry
from tests.database.test_declared_indexes import PARTS, explained, registry

pytestmark = pytest.mark.anyio

MANY = 200
TITLE, BODY = SubstringIndex("notes", "title"), SubstringIndex("notes", "body")
LETTERS = "aaAbBcäÄßẞİıſσςΣ%_\\\"'* ~é\u0301語🙂"


@dataclass
class Desk:
    """A database with notes, and the maintenance of their substring indexes."""

    database: SqliteDatabase
    content: Registry
    keeper: SubstringIndexMaintenance
    asked: list[PreparedRead] = field(default_factory=list)

    async def add(self, *titles: str | None) -> None:
        """Add notes with these titles, in which `~` stands for NUL characters."""
        async with self.database.transaction() as transaction:
            for title in titles:
                await transaction.execute(
                    "INSERT INTO notes (title, body, published_at)"
                    " VALUES (replace(?1, '~', char(0)), replace(?1, '~', char(0)), 1)",
                    [title],
                )

    async def is_known(self, index: SubstringIndex = TITLE) -> bool:
        parts = self.database.dialect.parts
        assert parts is not None
        states = {row[0]: row[1:] for row in await self.database.fetch_all(parts.states)}
        return tuple(map(bool, states[index.name])) == (True, True)

    async def waiting(self) -> int:
        return int(await self.database.fetch_value("SELECT count(*) FROM octavo_parts_waiting"))

    async def answers(self, params: dict[str, Any]) -> list[tuple[bytes, int | None]]:
        """Read a list with the indexes and without."""
        query = read_query({"fields": ["title"], "publicationState": "live", **params}, PageLimits(1000, 1000, True))
        request = ReadRequest(content_type=self.content.content_types["api::note.note"], query=query)
        found = []
        for keeps_parts in (True, False):
            reader = EntryReader(self.database, self.content, keeps_parts=keeps_parts)
            prepared = reader.prepare(plan_read(request, self.content))
            self.asked.append(prepared)
            found.append(await reader.read_list(prepared))
        return found

    async def assert_alike(self, part: str) -> None:
        """A search returns the same rows as a scan."""
        for params in (
            {"filters": {"title": {"$containsi": part}}},
            {"filters": {"title": {"$contains": part}}, "pagination": {"withCount": "false"}, "sort": "title"},
            {"filters": {"title": {"$notContainsi": part}}},
            {"filters": {"$not": {"$or": [{"title": {"$containsi": part}}, {"body": {"$contains": part}}]}}},
            {"_q": part},
        ):
            indexed, scanned = await self.answers(params)
            assert indexed == scanned, (params, indexed, scanned)

    async def found(self, part: str) -> int | None:
        """Return how many rows a search finds, the same as a scan."""
        indexed, scanned = await self.answers({"filters": {"title": {"$containsi": part}}})
        assert indexed == scanned
        return indexed[1]


@pytest.fixture
async def desk(anyio_backend: str, sqlite_path: Path, tmp_path: Path) -> AsyncIterator[Desk]:
    database = SqliteDatabase(sqlite_path)
    await database.connect()
    content = registry(tmp_path / "content", PARTS)
    await synchronize(database, content)
    made = Desk(database, content, SubstringIndexMaintenance(database, content))
    await made.add("A first note", "another NOTE", None)
    yield made
    await database.close()


async def test_a_search_uses_a_complete_index(desk: Desk) -> None:
    assert await desk.found("NOTE") == 2
    await desk.keeper.keep()
    await desk.keeper.keep()  # for the other indexes, creating one is DDL
    assert await desk.is_known()
    assert await desk.is_known(BODY)
    desk.asked.clear()
    assert await desk.found("NOTE") == 2
    plan = await explained(desk.database, desk.asked[0])
    assert f"SCAN {TITLE.name} VIRTUAL TABLE" in plan
    assert "USING INTEGER PRIMARY KEY" in plan


@pytest.mark.parametrize("seed", range(4))
async def test_a_search_returns_what_a_scan_returns(desk: Desk, seed: int) -> None:
    random = Random(seed)

    def text(most: int) -> str:
        return "".join(random.choices(LETTERS, k=random.randint(1, most)))

    for _ in range(8):
        await desk.keeper.keep()
        texts = [text(12) for _ in range(30)]
        await desk.add(*texts)
        inner = [each[random.randrange(len(each)) :] for each in texts[:6]]
        for part in (text(2), text(4), *inner, inner[0].swapcase()):
            if part.strip():
                await desk.assert_alike(part)


async def test_writes_are_found_immediately_and_indexed_later(desk: Desk) -> None:
    await desk.keeper.keep()
    await desk.keeper.keep()
    database = desk.database
    await desk.add(*(f"a later note {number}" for number in range(MANY)))
    assert await desk.found("later note 17") == 11
    await database.execute("UPDATE notes SET title = 'something else' WHERE title = 'a later note 17'")
    await database.execute("DELETE FROM notes WHERE title = 'a later note 171'")
    await database.execute("UPDATE notes SET id = 9000 WHERE title = 'a later note 172'")
    assert await desk.found("later note 17") == 9
    assert await desk.found("something") == 1
    assert await desk.waiting() > MANY
    await desk.keeper.keep()
    assert await desk.waiting() == 0
    assert await desk.found("later note 17") == 9
    assert await desk.found("something") == 1
    assert await desk.is_known()


async def test_an_update_that_changes_no_text_is_not_noted(desk: Desk) -> None:
    await desk.keeper.keep()
    await desk.database.execute("UPDATE notes SET title = title, body = body, views = 4")
    assert await desk.waiting() == 0


async def test_rows_of_conflicts_are_found(desk: Desk) -> None:
    """A statement's conflict clause applies to its triggers, too."""
    await desk.keeper.keep()
    for word in ("REPLACE", "IGNORE", "ABORT", "FAIL"):
        for number in (77, 78):
            text = f"INSERT OR {word} INTO notes (id, title, published_at) VALUES ({number}, 'by {word}', 1)"
            with suppress(IntegrityViolation):  # the id exists
                await desk.database.execute(text)
        await desk.database.execute(f"UPDATE OR {word} notes SET title = 'again by {word}' WHERE id = 78")
        assert await desk.found(f"again by {word}") == 1
    assert await desk.found("by replace") == 1


async def test_other_programs_can_write_to_indexed_tables(desk: Desk) -> None:
    await desk.keeper.keep()
    await desk.keeper.keep()
    with closing(sqlite3.connect(desk.database.path)) as other, other:
        other.execute("INSERT INTO notes (title, published_at) VALUES ('by somebody else', 1)")
        assert other.execute(f"PRAGMA table_info({TITLE.name})").fetchall()  # v4 runs this on all tables
        other.execute("UPDATE notes SET title = 'changed by somebody' WHERE title = 'another NOTE'")
    assert await desk.is_known()
    assert await desk.found("SOMEBODY") == 2


async def test_a_rebuilt_table_is_scanned_until_it_is_indexed(desk: Desk) -> None:
    """v4 changes tables this way: the triggers are dropped with the old table."""
    await desk.keeper.keep()
    await desk.keeper.keep()
    await desk.database.execute_script(
        "CREATE TABLE _copy AS SELECT * FROM notes; DROP TABLE notes;"
        "CREATE TABLE notes (id integer PRIMARY KEY AUTOINCREMENT NOT NULL, title varchar(255), place varchar(255),"
        " views integer, body text, created_at datetime, updated_at datetime, published_at datetime,"
        " created_by_id integer, updated_by_id integer);"
        "INSERT INTO notes (id, title, body, published_at) SELECT id, title, body, published_at FROM _copy;"
        "DROP TABLE _copy"
    )
    await desk.add("written without a trigger")
    assert not await desk.is_known()
    assert await desk.found("without a trigger") == 1
    for _ in range(2):
        await desk.keeper.keep()
    assert await desk.is_known()
    assert await desk.found("without a trigger") == 1


@pytest.mark.parametrize(
    "change",
    [
        "DROP TRIGGER {insert}",
        "DROP TRIGGER {insert}; CREATE TRIGGER {insert} AFTER INSERT ON notes BEGIN SELECT 1; END",
        "ALTER TABLE notes RENAME COLUMN title TO other; ALTER TABLE notes RENAME COLUMN other TO title",
        "ALTER TABLE notes RENAME TO _notes; ALTER TABLE _notes RENAME TO notes",
    ],
)
async def test_searches_are_correct_after_any_ddl(desk: Desk, change: str) -> None:
    for _ in range(2):
        await desk.keeper.keep()
    await desk.database.execute_script(change.format(insert=f"{TITLE.name}_insert"))
    await desk.add("after the change")
    assert not await desk.is_known()
    assert await desk.found("after the") == 1
    for _ in range(2):
        await desk.keeper.keep()
    assert await desk.is_known()
    assert await desk.found("after the") == 1


async def test_other_ddl_only_needs_a_check(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        await desk.keeper.keep()
    caplog.set_level("INFO")
    await desk.database.execute_script("CREATE TABLE others (id integer)")
    assert not await desk.is_known()
    assert await desk.found("NOTE") == 2
    await desk.keeper.keep()
    assert await desk.is_known()
    assert "Created the trigram index" not in caplog.text


async def test_several_processes_fill_an_index_in_steps(desk: Desk) -> None:
    """An incomplete index is not searched, and the next process continues where the last one stopped."""
    parts = desk.database.dialect.parts
    assert parts is not None
    await desk.add(*(f"note {number}" for number in range(MANY)))
    async with desk.database.transaction(exclusive=True) as transaction:
        await transaction.execute_script(parts.install(TITLE))
        await transaction.execute(parts.confirm(TITLE))
    async with desk.database.transaction() as transaction:
        last = await transaction.fetch_value(parts.last_of_step(TITLE), [7])
        await transaction.execute(parts.fill(TITLE), [last])
        await transaction.execute(parts.filled(TITLE), [last])
    await desk.database.execute("UPDATE notes SET title = 'changed meanwhile' WHERE id IN (2, 150)")
    assert not await desk.is_known()
    assert await desk.found("meanwhile") == 2
    other = SubstringIndexMaintenance(desk.database, desk.content)
    for _ in range(2):
        await other.keep()
    assert await desk.is_known()
    assert await desk.found("meanwhile") == 2
    assert await desk.found("note 1") == 110


async def test_a_fragmented_index_is_rebuilt(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Previous values of entries stay in it and match without effect."""
    monkeypatch.setattr("octavo.database.substring_indexes._LEAST_WORN", MANY)
    await desk.add(*(f"note {number}" for number in range(MANY)))
    for _ in range(2):
        await desk.keeper.keep()
    held = f"SELECT count(*) FROM {TITLE.name} WHERE {TITLE.name} MATCH 'before'"
    for word in ("before", "after"):
        await desk.database.execute(f"UPDATE notes SET title = '{word} ' || id WHERE id > 3")
        assert await desk.found(word) == MANY
        await desk.keeper.keep()
    assert await desk.database.fetch_value(held) == 0
    for _ in range(2):
        await desk.keeper.keep()
    assert await desk.is_known()
    assert (await desk.found("before"), await desk.found("after")) == (0, MANY)


async def test_undeclared_indexes_are_dropped(desk: Desk, tmp_path: Path) -> None:
    await desk.keeper.keep()
    fewer = registry(tmp_path / "fewer", {"attributes": ["title"], "kind": "contains"})
    await synchronize(desk.database, fewer)
    keeper = SubstringIndexMaintenance(desk.database, fewer)
    await keeper.keep()
    await keeper.remove_others()
    names = [row[0] for row in await desk.database.fetch_all("SELECT name FROM sqlite_schema WHERE name LIKE '%body%'")]
    assert names == []
    await keeper.keep()
    assert await desk.is_known()
    await SubstringIndexMaintenance(desk.database, registry(tmp_path / "none")).remove_others()
    left = "SELECT name FROM sqlite_schema WHERE name LIKE 'octavo_parts_%' AND name NOT LIKE '%waiting%'"
    assert await desk.database.fetch_all(left) == []


async def test_a_column_can_be_dropped(desk: Desk) -> None:
    """DDL drops them first. The index of the remaining column is recreated."""
    await desk.keeper.keep()
    async with desk.database.transaction(exclusive=True) as transaction:
        await release_tables(transaction, desk.database.dialect)
        await transaction.execute_script("ALTER TABLE notes DROP COLUMN body; ALTER TABLE notes ADD COLUMN body text")
    await desk.add("a third note")
    assert await desk.found("note") == 3
    for _ in range(2):
        await desk.keeper.keep()
    assert await desk.is_known()
    assert await desk.found("note") == 3
