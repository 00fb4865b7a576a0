"""Equal reads that wait are coalesced: how many statements they take, and that each sees current data."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from octavo.database.ambient import ambient
from octavo.database.connection import Database, Reads
from octavo.database.request_coalescing import AT_ONCE, RequestCoalescer
from octavo.database.unit_of_work import unit_of_work

pytestmark = pytest.mark.anyio

SLOW = {
    "sqlite": "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 200000)"
    " SELECT CAST(n AS BLOB) FROM numbers, (SELECT count(*) + ?1 FROM c)",
    "postgresql": "SELECT convert_to(n::text, 'UTF8') FROM numbers, pg_sleep(0.05 + 0 * $1::int8)",
}
FAILING = {
    "sqlite": "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 200000)"
    " SELECT abs(-9223372036854775807 - 1 + 0 * count(*) + ?1) FROM c",
    "postgresql": "SELECT 1 / $1::int8 FROM pg_sleep(0.05)",
}


@pytest.fixture
async def numbers(database: Database) -> Database:
    """A database with a number in it."""
    await database.execute_script("CREATE TABLE numbers (n integer); INSERT INTO numbers VALUES (1)")
    return database


def reader(database: Database, texts: dict[str, str] = SLOW) -> Callable[[int], Awaitable[bytes | None]]:
    """Return a slow read. A value without effect distinguishes it from others."""
    contents: Reads = database.contents
    text = texts[database.dialect.name]
    return lambda value: contents.fetch_json(text, (value,), long=True)


async def test_equal_reads_take_no_more_than_three_statements(numbers: Database) -> None:
    read = reader(numbers)
    before, joined = numbers.statements, RequestCoalescer.joined
    answers = await asyncio.gather(*(read(0) for _ in range(20)))
    assert answers == [b"1"] * 20
    assert numbers.statements - before == AT_ONCE + 1
    assert RequestCoalescer.joined - joined == 20 - AT_ONCE


async def test_different_reads_are_not_coalesced(numbers: Database) -> None:
    read = reader(numbers)
    before = numbers.statements
    await asyncio.gather(*(read(value) for value in range(8)))
    assert numbers.statements - before == 8


async def test_reads_see_all_earlier_commits(numbers: Database) -> None:
    """Twelve readers read in a loop. Each result includes all commits before the read began."""
    read = reader(numbers)
    committed = 1
    joined = RequestCoalescer.joined

    async def ask() -> None:
        while committed < 12:
            least = committed
            answer = await read(0)
            assert answer is not None
            assert int(answer) >= least

    async with asyncio.TaskGroup() as group:
        for _ in range(12):
            group.create_task(ask())
        for number in range(2, 13):
            await numbers.execute(f"UPDATE numbers SET n = {number}")
            committed = number
            await asyncio.sleep(0.03)
    assert RequestCoalescer.joined > joined


async def test_cancelling_one_caller_cancels_no_other(numbers: Database) -> None:
    read = reader(numbers)
    tasks = [asyncio.ensure_future(read(0)) for _ in range(8)]
    await asyncio.sleep(0.01)
    for task in (tasks[0], tasks[5]):
        task.cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert [answer for answer in answers if isinstance(answer, bytes)] == [b"1"] * 6


async def test_nothing_remains_if_all_callers_are_cancelled(numbers: Database) -> None:
    read = reader(numbers)
    tasks = [asyncio.ensure_future(read(0)) for _ in range(8)]
    await asyncio.sleep(0)
    while len(tasks) > AT_ONCE:  # the last waiting caller is cancelled during the read
        tasks.pop().cancel()
    assert await asyncio.gather(*tasks) == [b"1"] * AT_ONCE
    before = numbers.statements
    assert await read(0) == b"1"
    assert numbers.statements - before == 1


async def test_all_waiting_callers_get_the_error(numbers: Database) -> None:
    read = reader(numbers, FAILING)
    found = await asyncio.gather(*(read(0) for _ in range(6)), return_exceptions=True)
    (kind,) = {type(one) for one in found}
    assert issubclass(kind, Exception)


async def test_a_transaction_runs_its_own_reads(numbers: Database) -> None:
    """Its reads see its own writes although the same read runs outside."""
    read = reader(numbers)
    outside = [asyncio.ensure_future(read(0)) for _ in range(4)]
    await asyncio.sleep(0)
    async with unit_of_work(numbers) as unit:
        await unit.connection.execute("UPDATE numbers SET n = 2")
        with ambient(numbers, unit):
            assert await read(0) == b"2"
    await asyncio.gather(*outside)


async def test_equal_numbers_of_different_types_are_distinct() -> None:
    asked: list[Any] = []
    held = asyncio.Event()

    async def make(what: str, values: Any) -> Any:
        asked.append(values[0])
        await held.wait()
        return values[0]

    reads: RequestCoalescer[str, Any] = RequestCoalescer(make)
    tasks = [asyncio.create_task(reads.read("", (value,))) for value in (1, True, 1.0, 1, True, 1.0)]
    await asyncio.sleep(0)
    held.set()
    assert [repr(one) for one in await asyncio.gather(*tasks)] == ["1", "True", "1.0"] * 2
    assert len(asked) == 6
