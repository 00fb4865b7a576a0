"""Only sign-ins pay for bcrypt, and they do not reveal which accounts exist.

Tests block the password threads instead of measuring time, and all other requests must continue.
"""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import bcrypt
import pytest

from octavo.access.authentication import passwords
from tests.models.club import NEVER, Club, open_club
from tests.models.people import Hands, write

pytestmark = pytest.mark.anyio

WAYS_TO_FAIL = {
    "a wrong password": {"identifier": "ann", "password": "wrong"},
    "a wrong password, by address": {"identifier": "ann@example.org", "password": "wrong"},
    "nobody's name": {"identifier": "nobody", "password": "wrong"},
    "nobody's address": {"identifier": "nobody@example.org", "password": "wrong"},
    "somebody who is blocked": {"identifier": "mallory", "password": "wrong"},
    "somebody without a password": {"identifier": "carol", "password": "wrong"},
}


@pytest.fixture
async def club(anyio_backend: str, tmp_path: Path, still: Hands) -> AsyncIterator[Club]:
    """A club without rate limits, whose caches do not expire."""
    async with open_club(tmp_path, NEVER) as opened:
        await write(opened.database, "UPDATE up_users SET password = NULL WHERE username = 'carol'")
        yield opened


async def test_other_requests_continue_while_passwords_are_compared(club: Club) -> None:
    token = await club.token_of()
    release = threading.Event()
    held = [passwords._threads.submit(release.wait) for _ in range(passwords._threads._max_workers)]
    try:
        logins = [asyncio.create_task(club.log_in()) for _ in range(20)]
        for _ in range(20):
            assert (await club.ask("GET", "/api/users/me", token=token)).status == 200
        assert not any(login.done() for login in logins), "a password was compared elsewhere"
    finally:
        release.set()
    assert [(await login).status for login in logins] == [200] * 20
    assert all(thread.result(60) for thread in held)


async def test_other_requests_continue_while_passwords_are_hashed(club: Club) -> None:
    token = await club.token_of()
    release = threading.Event()
    held = [passwords._threads.submit(release.wait) for _ in range(passwords._threads._max_workers)]
    try:
        new = {"username": "dora", "email": "dora@example.org", "password": "dora-secret"}
        registering = asyncio.create_task(club.post("auth/local/register", new))
        for _ in range(20):
            assert (await club.ask("GET", "/api/users/me", token=token)).status == 200
            # The hash is computed before a transaction begins, so others can write meanwhile.
            await write(club.database, "UPDATE up_users SET confirmed = {v1} WHERE id = 3", True)
        assert not registering.done()
    finally:
        release.set()
    assert (await registering).status == 200
    assert all(thread.result(60) for thread in held)


def test_password_threads_are_few_and_have_low_priority() -> None:
    assert passwords._threads._max_workers <= (os.cpu_count() or 1)
    if sys.platform == "linux":
        priority = passwords._threads.submit(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        assert 0 < passwords._PRIORITY <= 5, "a lower one starves logins on a busy machine: they are answered with 503"
        assert priority.result(60) == passwords._PRIORITY  # commands in earlier tests of this process may have it, too


async def test_every_failed_sign_in_has_the_same_error_and_cost(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []
    compare = bcrypt.checkpw

    def counting(password: bytes, hashed: bytes) -> bool:
        compared.append(hashed)
        return compare(password, hashed)

    monkeypatch.setattr(bcrypt, "checkpw", counting)
    await club.log_in()  # the first request reads the permissions
    seen: dict[str, Any] = {}
    for way, body in WAYS_TO_FAIL.items():
        compared.clear()
        before = club.database.statements
        answer = await club.post("auth/local", body)
        seen[way] = (
            answer.status,
            answer.body,
            sorted(answer.headers),
            len(compared),
            club.database.statements - before,
        )
    assert len({repr(value) for value in seen.values()}) == 1, seen
    assert seen["a wrong password"][3:] == (1, 1)


@pytest.mark.usefixtures("usual_password_cost")
def test_the_hash_for_unknown_users_has_the_usual_cost() -> None:
    assert passwords._NOBODYS.startswith(f"$2a${passwords.COST}$")
    assert passwords.hash_now("x").startswith(f"$2a${passwords.COST}$")
