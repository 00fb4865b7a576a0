"""Rate limits: which attempts count together, in memory and in the database."""

import asyncio
import time
from collections.abc import Hashable

import pytest

from octavo.access.authentication.attempt_counts import DatabaseStorage
from octavo.access.authentication.sign_in_limits import TABLE, SignInLimitOptions, SignInLimits
from octavo.core.errors import RateLimitError
from octavo.database.connection import Database
from tests.models.people import write

pytestmark = pytest.mark.anyio

Attempt = tuple[str, str, Hashable]


async def passes(limits: SignInLimits, route: str, address: str, about: Hashable = "") -> bool:
    try:
        await limits.check(route, address, about)
    except RateLimitError:
        return False
    return True


@pytest.mark.parametrize(
    "first, second, same",
    [
        (("login", "192.0.2.1", "ann"), ("login", "192.0.2.1", "ann"), True),
        (("login", "192.0.2.1", "Ann@Example.org"), ("login", "192.0.2.1", " aNN@eXAMPLE.ORG\n"), True),
        (("login", "192.0.2.1", "straße"), ("login", "192.0.2.1", "STRASSE"), True),
        (("login", "192.0.2.1", "\ufb01x"), ("login", "192.0.2.1", "fix"), True),
        (("login", "192.0.2.1", "a\ud800"), ("login", "192.0.2.1", "a\ud800"), True),
        (("login", "::ffff:192.0.2.1", "ann"), ("login", "192.0.2.1", "ann"), True),
        (("login", "2001:db8:1:2::1", "ann"), ("login", "2001:db8:1:2:ffff::9", "ann"), True),
        (("login", "fe80::1%eth0", "ann"), ("login", "fe80::1", "ann"), True),
        (("login", "", "ann"), ("login", "", "ann"), True),
        (("login", "192.0.2.1", "ann"), ("login", "192.0.2.1", "ben"), False),
        (("login", "192.0.2.1", "ann"), ("login", "192.0.2.2", "ann"), False),
        (("login", "2001:db8:1:2::1", "ann"), ("login", "2001:db8:1:3::1", "ann"), False),
        (("login", "192.0.2.1", "ann"), ("register", "192.0.2.1", "ann"), False),
        (("login", "192.0.2.1", "1"), ("login", "192.0.2.1", 1), False),
    ],
)
async def test_attempts_that_count_together(first: Attempt, second: Attempt, same: bool) -> None:
    limits = SignInLimits(SignInLimitOptions(most=1))
    assert await passes(limits, *first)
    assert await passes(limits, *second) is not same


async def test_an_address_has_a_limit_over_everything() -> None:
    limits = SignInLimits(SignInLimitOptions(most=5, most_by_address=3))
    attempts = [("login", "a"), ("register", "b"), ("forgot-password", "c"), ("login", "d")]
    assert [await passes(limits, route, "192.0.2.1", about) for route, about in attempts] == [True, True, True, False]
    assert await passes(limits, "login", "192.0.2.2", "a")


async def test_limits_can_be_disabled() -> None:
    limits = SignInLimits(SignInLimitOptions(enabled=False, most=1, most_by_address=1))
    assert all([await passes(limits, "login", "192.0.2.1", "ann") for _ in range(9)])
    await limits.check_account("login", "192.0.2.1", 1, "ann")


async def test_windows_end(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = SignInLimits(SignInLimitOptions(interval=3600, most=1))
    assert [await passes(limits, "login", "192.0.2.1") for _ in range(2)] == [True, False]
    later = time.time() + 3601
    monkeypatch.setattr(time, "time", lambda: later)
    assert await passes(limits, "login", "192.0.2.1")


async def test_processes_count_together(database: Database) -> None:
    await database.execute_script(TABLE.script(database.dialect))
    both = [SignInLimits(SignInLimitOptions(most=5), lambda: DatabaseStorage(database)) for _ in range(2)]
    tries = [passes(both[number % 2], "login", "192.0.2.1", "ann") for number in range(12)]
    assert sum(await asyncio.gather(*tries)) == 5
    assert await database.fetch_value("SELECT count(*) FROM octavo_rate_limits") == 2
    await write(database, "UPDATE octavo_rate_limits SET expires_at = 0")
    assert await passes(both[0], "login", "192.0.2.1", "ben")
    assert await database.fetch_value("SELECT count(*) FROM octavo_rate_limits") == 2


async def test_the_storage_as_the_library_sees_it(database: Database) -> None:
    await database.execute_script(TABLE.script(database.dialect))
    storage = DatabaseStorage(database)
    assert await storage.check()
    assert [await storage.incr("key", 60) for _ in range(3)] == [1, 2, 3]
    assert (await storage.get("key"), await storage.get("other")) == (3, 0)
    assert await storage.get_expiry("key") > await storage.get_expiry("other")
    await storage.clear("key")
    assert await storage.get("key") == 0
    await storage.incr("key", 60)
    assert await storage.reset() == 1
