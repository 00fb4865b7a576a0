"""Limits on requests: which requests count together, in memory and in the database, and the memory this needs."""

import asyncio

import pytest

from octavo.access.authentication import route_limits
from octavo.access.authentication.attempt_counts import DatabaseStorage
from octavo.access.authentication.route_limits import RouteLimitOptions, RouteLimits
from octavo.access.authentication.sign_in_limits import TABLE
from octavo.core import clock
from octavo.database.connection import Database
from tests.models.people import write

pytestmark = pytest.mark.anyio


async def hits(limits: RouteLimits, path: str, address: str = "192.0.2.1", email: str = "") -> int:
    return (await limits.count(path, address, email, most=5, interval=60)).hits


async def test_requests_that_count_together() -> None:
    limits = RouteLimits(RouteLimitOptions())
    asked = [
        ("/a",),
        ("/A/",),
        ("/b",),
        ("/a", "192.0.2.2"),
        ("/a", "192.0.2.1", "x@y.z"),
        ("/a", "192.0.2.1", "X@y.z"),
    ]
    assert [await hits(limits, *one) for one in asked] == [1, 2, 1, 1, 1, 2]


async def test_windows_end() -> None:
    limits = RouteLimits(RouteLimitOptions())
    first = [await limits.count("/a", "192.0.2.1", "", most=5, interval=60) for _ in range(2)]
    assert [window.hits for window in first] == [1, 2]
    assert first[0].ends_at == first[1].ends_at
    try:
        clock.move(61)
        assert await hits(limits, "/a") == 1
    finally:
        clock.move(0)


async def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(route_limits, "_MOST_WINDOWS", 3)
    limits = RouteLimits(RouteLimitOptions())
    assert [await hits(limits, path) for path in ("/a", "/b", "/c", "/a", "/d", "/a", "/b")] == [1, 1, 1, 2, 1, 3, 1]
    assert len(limits._windows) == 3


async def test_processes_count_together(database: Database) -> None:
    await database.execute_script(TABLE.script(database.dialect))
    both = [RouteLimits(RouteLimitOptions(), lambda: DatabaseStorage(database)) for _ in range(2)]
    counted = await asyncio.gather(*(hits(both[number % 2], "/a") for number in range(8)))
    assert sorted(counted) == list(range(1, 9))


async def test_ended_windows_are_deleted_occasionally(database: Database) -> None:
    await database.execute_script(TABLE.script(database.dialect))
    limits = RouteLimits(RouteLimitOptions(), lambda: DatabaseStorage(database))
    for number in range(99):
        await hits(limits, f"/{number}")
    await write(database, "UPDATE octavo_rate_limits SET expires_at = 0")
    assert await database.fetch_value("SELECT count(*) FROM octavo_rate_limits") == 99
    await hits(limits, "/last")
    assert await database.fetch_value("SELECT count(*) FROM octavo_rate_limits") == 1
