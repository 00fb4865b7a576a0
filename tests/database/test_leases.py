"""Leases on each database: one holder at a time, outside transactions."""

import asyncio

import pytest

from octavo.core.errors import ServiceUnavailable
from octavo.database import leases
from octavo.database.connection import Database
from octavo.database.leases import LEASE_SECONDS, PATIENCE_SECONDS, lease
from octavo.database.unit_of_work import unit_of_work
from tests.models.people import Hands

pytestmark = pytest.mark.anyio


@pytest.fixture
async def table(database: Database) -> Database:
    await database.execute_script(leases.TABLE.script(database.dialect))
    return database


async def count(database: Database) -> int:
    return int(await database.fetch_value("SELECT count(*) FROM octavo_leases"))


async def test_holders_run_one_after_another(table: Database) -> None:
    inside: list[str] = []

    async def work(name: str) -> None:
        async with lease(table, "file 1"):
            inside.append(name)
            await asyncio.sleep(0)
            assert inside[-1] == name
            await table.execute("UPDATE octavo_leases SET name = name")  # its own transaction can begin
            assert inside[-1] == name

    await asyncio.gather(*(work(str(number)) for number in range(5)))
    assert (sorted(inside), await count(table)) == (["0", "1", "2", "3", "4"], 0)


async def test_names_are_locked_separately(table: Database) -> None:
    async with lease(table, "file 1"), lease(table, "file 2"):
        assert await count(table) == 2


async def test_a_failed_holder_releases_the_lease(table: Database) -> None:
    async def fail() -> None:
        async with lease(table, "file 1"):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    async with lease(table, "file 1"):
        assert await count(table) == 1


async def test_a_wait_that_is_too_long_fails(table: Database, hands: Hands) -> None:
    async def wait() -> None:
        async with lease(table, "file 1", hands.clock):
            raise AssertionError("it is held")

    async with lease(table, "file 1", hands.clock):
        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0.01)
        hands.steady += PATIENCE_SECONDS + 1
        with pytest.raises(ServiceUnavailable):
            await waiting


async def test_an_abandoned_lease_expires(table: Database, hands: Hands) -> None:
    async def end_late() -> None:
        async with lease(table, "file 1", hands.clock) as held:
            hands.day += LEASE_SECONDS + 1
            async with lease(table, "file 1", hands.clock):
                assert await count(table) == 1
            async with unit_of_work(table) as unit:
                await held.end_with(unit)

    with pytest.raises(ServiceUnavailable):
        await end_late()
    assert await count(table) == 0


async def test_a_lease_can_end_with_a_unit_of_work(table: Database) -> None:
    async with lease(table, "file 1") as held:
        async with unit_of_work(table) as unit:
            await held.end_with(unit)
        assert await count(table) == 0


async def test_a_lease_ends_in_maintenance(table: Database) -> None:
    async with lease(table, "file 1"):
        table.read_only_message = "Back at 6 pm"
    assert await count(table) == 0
