"""The journal on each database: every committed change, no rolled back one, in one order for all readers."""

import asyncio
from dataclasses import dataclass, field

import pytest

from octavo.database.change_feed import ChangeFeed, ChangeKind, Presence
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.events.journal import START, TABLE, Journal, JournalRow, Position, read_position, sweep_journal

pytestmark = pytest.mark.anyio

TALK = "api::talk.talk"
PATIENCE = 120
BEGUN = "SELECT 1 FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND datname = current_database()"


@dataclass
class Book:
    """A journal, and a change feed whose units write to it."""

    database: Database
    feed: ChangeFeed = field(default_factory=ChangeFeed)

    def __post_init__(self) -> None:
        self.journal = Journal(self.database)
        self.journal.join(self.feed)

    async def note(self, *ids: int, hold: asyncio.Event | None = None) -> None:
        """Change entries in one unit, which ends when the event is set."""
        async with unit_of_work(self.database, self.feed) as unit:
            for one in ids:
                unit.record(TALK, one, ChangeKind.UPDATE)
            await unit.finish()
            unit._changes.clear()
            if hold is not None:
                await hold.wait()

    async def rows(self, after: Position = START) -> list[JournalRow]:
        found: list[JournalRow] = []
        while rows := await self.journal.read(found[-1].position if found else after):
            found += rows
        return found

    async def settled(self) -> list[JournalRow]:
        """Return all rows, once no earlier transaction runs: other tests may use the same server."""
        count = await self.database.fetch_value("SELECT count(*) FROM octavo_journal")
        async with asyncio.timeout(PATIENCE):
            while len(rows := await self.rows()) < count:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.005)
        return rows

    async def ids(self) -> list[int]:
        return [row.change.id for row in await self.settled()]


@pytest.fixture
async def book(database: Database) -> Book:
    await database.execute_script(TABLE.script(database.dialect))
    return Book(database)


async def test_a_row_describes_the_change(book: Book) -> None:
    async with unit_of_work(book.database, book.feed) as unit:
        unit.record(TALK, 1, ChangeKind.CREATE, became=Presence.DRAFT, locale="en")
        unit.record(TALK, 2, ChangeKind.UNPUBLISH, was=Presence.LIVE, became=Presence.DRAFT)
        unit.record("plugin::upload.file", 3, ChangeKind.DELETE)
    rows = await book.settled()
    reported = [(row.change.uid, row.change.id, row.change.kind, row.change.locale) for row in rows]
    assert reported == [
        (TALK, 1, "create", "en"),
        (TALK, 2, "unpublish", None),
        ("plugin::upload.file", 3, "delete", None),
    ]
    assert [(row.change.was, row.change.became) for row in rows] == [(0, 1), (2, 1), (2, 0)]
    assert await book.journal.last() == rows[-1].position
    assert read_position(str(rows[-1].position)) == rows[-1].position


async def test_rolled_back_changes_are_not_recorded(book: Book) -> None:
    async def fail() -> None:
        async with unit_of_work(book.database, book.feed) as unit:
            unit.record(TALK, 1, ChangeKind.UPDATE)
            await unit.finish()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    async with unit_of_work(book.database, book.feed) as unit:
        unit.record(TALK, 2, ChangeKind.UPDATE)
    assert await book.ids() == [2]


async def test_many_changes_of_one_unit(book: Book) -> None:
    await book.note(*range(1000))
    assert await book.ids() == list(range(1000))


@pytest.mark.parametrize("new_database", ["postgresql"], indirect=True)
async def test_readers_wait_for_open_transactions(book: Book) -> None:
    """Readers wait for an open transaction, even if later ones commit first. Then all changes follow in one order."""
    hold = asyncio.Event()
    early = asyncio.create_task(book.note(1, hold=hold))
    while not await book.database.fetch_value(BEGUN):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.005)
    await book.note(2)
    assert await book.rows() == []
    assert await book.journal.last() == START
    hold.set()
    await early
    assert await book.ids() == [1, 2]


async def test_a_reader_gets_all_concurrent_changes(book: Book) -> None:
    """Each change once, in the order that later readers see, and none of failed units."""
    met: list[JournalRow] = []
    done = asyncio.Event()

    async def follow() -> None:
        while not done.is_set() or await book.journal.read(met[-1].position if met else START):
            met.extend(await book.journal.read(met[-1].position if met else START))
            await asyncio.sleep(0)

    async def write(writer: int) -> None:
        for number in range(25):
            try:
                async with unit_of_work(book.database, book.feed) as unit:
                    await note_and_fail(unit, writer * 100 + number, fails=number % 5 == 4)
            except ZeroDivisionError:
                pass

    async def note_and_fail(unit: UnitOfWork, entry_id: int, *, fails: bool) -> None:
        unit.record(TALK, entry_id, ChangeKind.UPDATE)
        if fails:
            await unit.finish()
            raise ZeroDivisionError

    following = asyncio.create_task(follow())
    await asyncio.gather(*(write(writer) for writer in range(8)))
    rows = await book.settled()
    done.set()
    await following
    assert [row.position for row in met] == [row.position for row in rows]
    assert [row.position for row in met] == sorted({row.position for row in met})
    expected = {writer * 100 + number for writer in range(8) for number in range(25) if number % 5 != 4}
    assert sorted(row.change.id for row in met) == sorted(expected)


async def test_deleted_rows_are_reported_as_missing(book: Book) -> None:
    assert await book.journal.keeps_all_after(START)
    await book.note(*range(2500))
    rows = await book.settled()
    assert await book.journal.keeps_all_after(START)
    assert await book.journal.keeps_all_after(rows[0].position)
    await sweep_journal(book.database, 3600, 200 * 300)
    assert len(await book.ids()) == 300
    assert not await book.journal.keeps_all_after(START)
    assert not await book.journal.keeps_all_after(rows[0].position)
    assert await book.journal.keeps_all_after(rows[-1].position)
    await sweep_journal(book.database, -1, 10**9)
    assert len(await book.ids()) == 100
    assert await book.journal.last() == rows[-1].position


@pytest.mark.parametrize("text", ["", "1", "1-", "-1", "1-2-3", "a-b", "1-2\n", "９-1", "1" * 19 + "-1"])
def test_invalid_positions(text: str) -> None:
    assert read_position(text) is None
