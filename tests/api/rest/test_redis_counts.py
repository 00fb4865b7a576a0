"""Attempts counted in a real server with the Redis protocol: by several processes together, and during its outage."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from octavo.access.authentication.attempt_counts import RedisCounts, RedisMissing
from octavo.access.authentication.sign_in_limits import SignInLimitOptions, SignInLimits
from octavo.core.errors import RateLimitError
from octavo.database.synchronize import found_tables
from octavo.operations.runtime.process import build
from octavo.settings import SettingsError, load_settings
from tests.api.rest.conftest import OpenClub
from tests.models.club import SECRETS, error

if TYPE_CHECKING:
    from tests.valkey_server import CountingServer

pytestmark = pytest.mark.anyio

STORE = {"OCTAVO_PLUGINS__USERS_PERMISSIONS__CONFIG__RATELIMIT__STORE": "redis"}


async def test_logins_are_counted_there(new_club: OpenClub, counting_server: "CountingServer") -> None:
    club = await new_club(**STORE, REDIS_URL=counting_server.address())
    answers = [(await club.log_in(password="wrong")).status for _ in range(6)]
    assert answers == [400] * 5 + [429]
    names = counting_server.names()
    assert names
    assert not any("ann" in name for name in names)
    if "octavo_rate_limits" in await found_tables(club.database, club.database.dialect):
        assert await club.database.fetch_value("SELECT count(*) FROM octavo_rate_limits") == 0


async def test_several_count_together(counting_server: "CountingServer") -> None:
    url = counting_server.address(1)
    workers = [RedisCounts(url), RedisCounts(url)]
    limits = [SignInLimits(SignInLimitOptions(most=5), worker.open_storage) for worker in workers]

    async def passes(limit: SignInLimits) -> bool:
        try:
            await limit.check("login", "192.0.2.1", "ann")
        except RateLimitError:
            return False
        return True

    assert sum(await asyncio.gather(*(passes(limits[number % 2]) for number in range(12)))) == 5
    for worker in workers:
        await worker.close()


async def test_sign_ins_are_refused_during_an_outage(new_club: OpenClub) -> None:
    club = await new_club(**STORE, REDIS_URL="redis://127.0.0.1:1/0")
    answer = await club.log_in()
    assert (answer.status, answer.json) == (503, error(503, "ServiceUnavailableError", "Service Unavailable"))
    assert (await club.ask("GET", "/api/users/me")).status == 403


@pytest.mark.parametrize("url", ["", "http://x", "secret@nowhere"])
def test_an_invalid_url_stops_the_start(tmp_path: Path, url: str) -> None:
    settings = load_settings(tmp_path, {**SECRETS, **STORE, "REDIS_URL": url}, mode="development")
    with pytest.raises(SettingsError, match=r"users-permissions\.config\.ratelimit\.url: expected a URL") as caught:
        build(settings)
    assert "secret" not in str(caught.value)


def test_a_missing_library_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    with pytest.raises(RedisMissing, match="pip install 'octavo"):
        RedisCounts("redis://127.0.0.1:1/0")


def test_the_library_is_loaded_only_where_it_is_set() -> None:
    code = "import sys, octavo.operations.runtime.site; print('redis' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
