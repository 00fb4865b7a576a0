"""The ambient transaction on each database: everything inside belongs to it, and nested units roll back alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from octavo.database.ambient import ambient, outside
from octavo.database.connection import Database, IntegrityViolation, TransactionConflict, TransactionFailed
from octavo.database.leases import lease
from octavo.database.unit_of_work import UnitOfWork, open_unit, run_unit, unit_of_work
from tests.raising import raising

pytestmark = pytest.mark.anyio


@pytest.fixture
async def tables(database: Database) -> Database:
    await database.execute_script("CREATE TABLE notes (id integer PRIMARY KEY)")
    return database


@asynccontextmanager
async def together(database: Database) -> AsyncIterator[UnitOfWork]:
    async with unit_of_work(database) as unit:
        with ambient(database, unit):
            yield unit


async def insert(database: Database, number: int) -> None:
    async with unit_of_work(database) as unit:
        await unit.connection.execute(f"INSERT INTO notes VALUES ({number})")


async def notes(database: Database) -> list[int]:
    return [row[0] for row in await database.fetch_all("SELECT id FROM notes ORDER BY id")]


async def others_see(database: Database) -> list[int]:
    """Return the rows that are visible outside the transaction."""
    return await asyncio.create_task(notes(database), context=outside())


async def test_only_the_transaction_sees_its_writes(tables: Database) -> None:
    async with together(tables):
        await insert(tables, 1)
        await tables.execute("INSERT INTO notes VALUES (2)")
        assert await notes(tables) == [1, 2]
        assert await tables.fetch_value("SELECT count(*) FROM notes") == 2
        assert await tables.fetch_row("SELECT max(id) FROM notes") is not None
        assert await others_see(tables) == []
    assert await notes(tables) == [1, 2]


async def test_the_whole_transaction_is_rolled_back(tables: Database) -> None:
    with raising(ZeroDivisionError):
        async with together(tables):
            await insert(tables, 1)
            raise ZeroDivisionError
    assert await notes(tables) == []


async def test_a_failed_nested_unit_is_rolled_back_alone(tables: Database) -> None:
    async with together(tables):
        await insert(tables, 1)
        with raising(IntegrityViolation):
            async with unit_of_work(tables):
                await insert(tables, 2)
                await insert(tables, 1)
        await insert(tables, 3)
        assert await notes(tables) == [1, 3]
    assert await notes(tables) == [1, 3]


async def test_callbacks_of_nested_units_run_after_the_commit(tables: Database) -> None:
    called: list[str] = []
    async with together(tables) as whole:
        whole.after_commit(partial(called.append, "whole"))
        async with unit_of_work(tables) as part:
            part.after_commit(partial(called.append, "part"))
            part.after_undo(partial(called.append, "never"))
        with raising(ZeroDivisionError):
            async with unit_of_work(tables) as lost:
                lost.after_commit(partial(called.append, "never"))
                lost.after_undo(partial(called.append, "undone"))
                raise ZeroDivisionError
        assert called == ["undone"]
    assert called == ["undone", "whole", "part"]


async def test_nested_units_are_notified_of_the_rollback(tables: Database) -> None:
    called: list[str] = []
    with raising(ZeroDivisionError):
        async with together(tables):
            async with unit_of_work(tables) as part:
                part.after_commit(partial(called.append, "never"))
                part.after_undo(partial(called.append, "undone"))
            raise ZeroDivisionError
    assert called == ["undone"]


async def test_callbacks_run_outside_the_transaction(tables: Database) -> None:
    """A callback can begin its own transaction."""
    async with together(tables) as whole:
        whole.after_commit(partial(insert, tables, 7))
    assert await notes(tables) == [7]


async def test_tasks_take_turns(tables: Database) -> None:
    async with together(tables):
        await asyncio.gather(*(insert(tables, number) for number in range(5)), *(notes(tables) for _ in range(5)))
        assert await notes(tables) == list(range(5))


async def test_a_task_that_outlives_the_transaction_is_refused(tables: Database) -> None:
    go_on = asyncio.Event()

    async def late() -> None:
        await go_on.wait()
        await insert(tables, 1)

    async with together(tables):
        task = asyncio.create_task(late())
    go_on.set()
    with pytest.raises(TransactionFailed, match="has ended"):
        await task


async def test_a_task_started_outside_does_not_join(tables: Database) -> None:
    async with together(tables):
        task = asyncio.create_task(notes(tables), context=outside())
        await insert(tables, 1)
        assert await task == []
    assert outside() is None


async def test_a_failed_read_that_is_caught_ends_the_transaction(tables: Database) -> None:
    with raising(TransactionFailed):
        async with together(tables):
            await insert(tables, 1)
            with pytest.raises(Exception, match="nowhere"):
                await tables.fetch_all("SELECT 1 FROM nowhere")
            await insert(tables, 2)
    assert await notes(tables) == []


async def test_a_failed_read_in_a_nested_unit_ends_the_unit(tables: Database) -> None:
    async with together(tables):
        await insert(tables, 1)
        with pytest.raises(Exception, match="nowhere"):
            async with unit_of_work(tables):
                await tables.fetch_all("SELECT 1 FROM nowhere")
        await insert(tables, 2)
    assert await notes(tables) == [1, 2]


async def test_a_nested_unit_is_not_retried_alone(tables: Database) -> None:
    """The cause may also affect the whole transaction, which is retried instead."""
    attempts = 0

    async def work(unit: UnitOfWork) -> None:
        nonlocal attempts
        attempts += 1
        raise TransactionConflict

    async def run(unit: UnitOfWork) -> None:
        with ambient(tables, unit), pytest.raises(TransactionConflict):
            await run_unit(tables, UnitOfWork, work)

    await run_unit(tables, UnitOfWork, run)
    assert attempts == 1


async def test_ddl_and_leases_are_refused_inside(tables: Database) -> None:
    async with together(tables):
        with pytest.raises(TransactionFailed, match="tables are not changed"):
            async with open_unit(tables, UnitOfWork, exclusive=True):
                pass
        with pytest.raises(TransactionFailed, match="lease"):
            async with lease(tables, "x"):
                pass


async def test_a_cancelled_nested_unit_is_rolled_back(tables: Database) -> None:
    async def slow() -> None:
        async with unit_of_work(tables):
            await insert(tables, 2)
            await asyncio.Event().wait()

    async with together(tables):
        await insert(tables, 1)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await slow()
        assert await notes(tables) == [1]
    assert await notes(tables) == [1]


async def test_each_database_has_its_own_ambient_transaction(
    tables: Database, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from octavo.database.sqlite import SqliteDatabase

    other = SqliteDatabase(tmp_path_factory.mktemp("other") / "other.db")
    await other.connect()
    try:
        await other.execute_script("CREATE TABLE notes (id integer PRIMARY KEY)")
        with raising(ZeroDivisionError):
            async with together(tables):
                await insert(tables, 1)
                await insert(other, 2)
                raise ZeroDivisionError
        assert (await notes(tables), await notes(other)) == ([], [2])
    finally:
        await other.close()
