"""How many connections the reads of one request hold at once."""

import asyncio
from collections.abc import Callable

import pytest

from octavo.database.connection import Database
from octavo.database.connection_share import is_shared, place, request_share, share_of
from octavo.database.postgresql import PostgresqlDatabase
from octavo.database.sqlite import SqliteDatabase

pytestmark = pytest.mark.anyio

SLOW = {
    "sqlite": "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 20000) SELECT count(*), ?1 FROM c",
    "postgresql": "SELECT $1::int8 FROM pg_sleep(0.005)",
}


@pytest.mark.parametrize("connections, share", [(1, 1), (4, 1), (7, 1), (8, 2), (10, 2), (16, 4), (100, 4)])
def test_share(connections: int, share: int) -> None:
    assert share_of(connections) == share


async def test_reads_of_one_request_leave_connections_free(new_database: Callable[..., Database]) -> None:
    """The pool opens connections when none is free, so the open ones are the most that were held at once."""
    kind = new_database.func  # type: ignore[attr-defined]
    options = {"readers": 8} if kind is SqliteDatabase else {"maximum": 8, "minimum": 0}
    database = new_database(**options)
    await database.connect()
    assert isinstance(database, SqliteDatabase | PostgresqlDatabase)
    pool = database._readers if isinstance(database, SqliteDatabase) else database._pool
    text = SLOW["sqlite" if kind is SqliteDatabase else "postgresql"]
    try:
        with database.request_share():
            await asyncio.gather(*(database.fetch_value(text, (number,), long=True) for number in range(40)))
        assert len(pool._idle) == 2
    finally:
        await database.close()


async def test_a_nested_read_needs_no_second_slot() -> None:
    async with asyncio.timeout(5):
        with request_share(1):
            async with place(), place():
                assert not is_shared()
            assert is_shared()
    assert not is_shared()


async def test_a_cancelled_read_frees_its_slot() -> None:
    async def hold() -> None:
        async with place():
            await asyncio.Event().wait()

    with request_share(1):
        tasks = [asyncio.create_task(hold()) for _ in range(3)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        async with asyncio.timeout(5), place():
            assert not is_shared()
