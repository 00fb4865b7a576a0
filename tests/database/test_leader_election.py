"""One of several processes is the leader as long as it renews its lease."""

import pytest

from octavo.core.clock import Clock
from octavo.database import leases
from octavo.database.connection import Database
from octavo.database.leader_election import LEASE_SECONDS, Leadership

pytestmark = pytest.mark.anyio


class Hand:
    """Moves the time of the processes."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.clock = Clock(lambda: self.now, lambda: self.now)


async def who(*caretakers: Leadership) -> list[bool]:
    return [await one.is_here() for one in caretakers]


async def test_one_process_leads_and_another_takes_over(database: Database) -> None:
    await database.execute_script(leases.TABLE.script(database.dialect))
    hand = Hand()
    first, second, third = (Leadership(database, "care", hand.clock) for _ in range(3))
    if not database.dialect.is_shared:  # the only process
        assert await who(first, second) == [True, True]
        return
    assert await who(first, second, third) == [True, False, False]
    for _ in range(4):  # as long as the leader runs
        hand.now += LEASE_SECONDS / 2
        assert await who(second, first, third) == [False, True, False]
    before = database.statements
    assert await who(first, second, third) == [True, False, False]
    assert database.statements == before
    hand.now += LEASE_SECONDS + 1  # the leader was killed
    assert await who(third, second) == [True, False]
    assert not await first.is_here()
    await third.leave()  # a clean shutdown
    assert not await third.is_here()
    hand.now += LEASE_SECONDS / 2
    assert await who(second, third) == [True, False]


async def test_a_former_leader_does_not_release_the_lease(database: Database) -> None:
    await database.execute_script(leases.TABLE.script(database.dialect))
    hand = Hand()
    first, second = (Leadership(database, "care", hand.clock) for _ in range(2))
    await first.is_here()
    hand.now += LEASE_SECONDS + 1
    await second.is_here()
    await first.leave()
    hand.now += LEASE_SECONDS / 2
    assert await second.is_here()


async def test_the_leader_keeps_its_lease_in_maintenance(database: Database) -> None:
    await database.execute_script(leases.TABLE.script(database.dialect))
    hand = Hand()
    first, second = (Leadership(database, "care", hand.clock) for _ in range(2))
    assert await first.is_here()
    database.read_only_message = "Back at 6 pm"
    hand.now += LEASE_SECONDS / 2
    assert await first.is_here()
    await first.leave()
    if database.dialect.is_shared:
        hand.now += LEASE_SECONDS / 2
        assert await who(second, first) == [True, False]
