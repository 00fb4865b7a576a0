"""The unit of work on each database: atomic, with callbacks only after a durable commit."""

import asyncio
import logging
from collections.abc import Sequence
from functools import partial

import pytest

from octavo.core.errors import ServiceUnavailable
from octavo.database.change_feed import ChangeFeed, ChangeKind, DataChange
from octavo.database.connection import Database, IdTaken, IntegrityViolation, Transaction, TransactionConflict
from octavo.database.unit_of_work import ATTEMPTS, UnitOfWork, run_unit, unit_of_work

pytestmark = pytest.mark.anyio

INSERT = "INSERT INTO notes VALUES (1)"
TABLES = """
CREATE TABLE notes (id integer);
CREATE TABLE owners (id integer PRIMARY KEY);
CREATE TABLE owned (owner integer REFERENCES owners (id) DEFERRABLE INITIALLY DEFERRED)"""


@pytest.fixture
async def tables(database: Database) -> Database:
    await database.execute_script(TABLES)
    return database


async def count(database: Database) -> int:
    return int(await database.fetch_value("SELECT count(*) FROM notes"))


class Diary:
    """Records the calls, and how many notes other connections saw."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.called: list[tuple[str, int]] = []

    async def write(self, name: str) -> None:
        self.called.append((name, await count(self._database)))


async def write_note(unit: UnitOfWork, diary: Diary, *names: str) -> None:
    await unit.connection.execute(INSERT)
    for name in names:
        unit.after_commit(partial(diary.write, name))


async def test_callbacks_run_in_order_after_the_commit_is_visible(tables: Database) -> None:
    diary = Diary(tables)
    async with unit_of_work(tables) as unit:
        await write_note(unit, diary, "first", "second")
        assert diary.called == []
    assert diary.called == [("first", 1), ("second", 1)]


async def test_callbacks_hold_no_transaction(tables: Database) -> None:
    """A callback can begin another transaction. SQLite has only one at a time."""

    async def write_again() -> None:
        await tables.execute(INSERT)

    async with asyncio.timeout(4), unit_of_work(tables) as unit:
        await unit.connection.execute(INSERT)
        unit.after_commit(write_again)
    assert await count(tables) == 2


async def test_concurrent_units_run_callbacks_after_their_own_commit(tables: Database) -> None:
    diary = Diary(tables)

    async def write(name: str) -> None:
        await run_unit(tables, UnitOfWork, lambda unit: write_note(unit, diary, name))

    await asyncio.gather(*(write(str(n)) for n in range(8)))
    assert sorted(name for name, _ in diary.called) == [str(n) for n in range(8)]
    assert min(seen for _, seen in diary.called) >= 1
    assert await count(tables) == 8


@pytest.mark.parametrize("error", [ZeroDivisionError, asyncio.CancelledError])
async def test_no_callback_runs_after_a_rollback(tables: Database, error: type[BaseException]) -> None:
    diary = Diary(tables)

    async def fail() -> None:
        async with unit_of_work(tables) as unit:
            await write_note(unit, diary, "never")
            raise error

    with pytest.raises(error):
        await fail()
    assert (diary.called, await count(tables)) == ([], 0)


async def test_no_callback_runs_after_a_failed_commit(tables: Database) -> None:
    diary = Diary(tables)

    async def break_a_rule() -> None:
        async with unit_of_work(tables) as unit:
            await write_note(unit, diary, "never")
            await unit.connection.execute("INSERT INTO owned VALUES (7)")

    with pytest.raises(IntegrityViolation):
        await break_a_rule()
    assert (diary.called, await count(tables)) == ([], 0)


async def test_failed_callbacks_are_logged_and_change_nothing(
    tables: Database, caplog: pytest.LogCaptureFixture
) -> None:
    diary = Diary(tables)

    def fail() -> None:
        raise RuntimeError("the cache is gone")

    async with unit_of_work(tables) as unit:
        unit.after_commit(fail)
        await write_note(unit, diary, "next")
    assert (diary.called, await count(tables)) == ([("next", 1)], 1)
    (line,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert "fail" in line.getMessage()
    assert line.exc_info is not None
    assert str(line.exc_info[1]) == "the cache is gone"


async def test_callbacks_run_although_the_caller_is_cancelled_at_the_commit(tables: Database) -> None:
    diary = Diary(tables)

    async def write() -> None:
        async with unit_of_work(tables) as unit:
            await write_note(unit, diary, "first", "second")
            asyncio.get_running_loop().call_soon(task.cancel)

    task = asyncio.create_task(write())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert diary.called == [("first", 1), ("second", 1)]


@pytest.mark.parametrize("conflicts, tries", [(0, 1), (2, 3), (3, 3)])
async def test_only_the_last_run_of_a_retried_unit_has_effects(tables: Database, conflicts: int, tries: int) -> None:
    diary, heard, runs = Diary(tables), list[Sequence[DataChange]](), 0
    feed = ChangeFeed()
    feed.subscribe(heard.append)

    async def work(unit: UnitOfWork) -> int:
        nonlocal runs
        runs += 1
        await write_note(unit, diary, f"run {runs}")
        unit.record("api::note.note", runs, ChangeKind.CREATE)
        assert [change.id for change in unit.changes] == [runs]
        if runs <= conflicts:
            raise TransactionConflict
        return runs

    def make(connection: Transaction) -> UnitOfWork:
        return UnitOfWork(connection, feed)

    if conflicts < ATTEMPTS:
        assert await run_unit(tables, make, work) == tries
        assert diary.called == [(f"run {tries}", 1)]
        assert heard == [(DataChange("api::note.note", tries, ChangeKind.CREATE),)]
    else:
        with pytest.raises(ServiceUnavailable):
            await run_unit(tables, make, work)
        assert (diary.called, heard) == ([], [])
    assert runs == tries


async def test_taken_ids_are_repaired_once(tables: Database) -> None:
    mended: list[None] = []

    async def mend() -> None:
        mended.append(None)

    async def work(unit: UnitOfWork) -> None:
        raise IdTaken("notes_pkey")

    with pytest.raises(IdTaken):
        await run_unit(tables, UnitOfWork, work, mend=mend)
    assert len(mended) == 1


async def test_subscribers_run_before_other_callbacks(tables: Database) -> None:
    order: list[str] = []
    feed = ChangeFeed()
    feed.subscribe(lambda changes: order.append("notified"))
    async with unit_of_work(tables, feed) as unit:
        unit.after_commit(lambda: order.append("called"))
        unit.record("api::note.note", 1, ChangeKind.UPDATE)
    assert order == ["notified", "called"]


async def test_a_conflict_outside_run_unit_is_a_503(tables: Database) -> None:
    with pytest.raises(ServiceUnavailable):
        async with unit_of_work(tables):
            raise TransactionConflict
