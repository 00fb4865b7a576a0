"""Passwords: hashes as v4 has them, and no telling from the time whether there is one."""

import time

import pytest

from octavo.content.passwords import HashedPassword, hash_now, prepare_password, verify_now, verify_password

V4 = "$2a$10$inIkwBnf9U2XQIJoC9Nhb.IwrhUWufbIzThOf7Xoo4UmXZFmsUFL."  # of alice-Passw0rd, made by v4


@pytest.mark.parametrize(
    "text, hashed, expected",
    [
        ("alice-Passw0rd", V4, True),
        ("alice-passw0rd", V4, False),
        ("", V4, False),
        ("alice-Passw0rd\0", V4, False),
        ("\ud800", V4, False),
        ("x" * 5000, V4, False),
        ("alice-Passw0rd", None, False),
        ("alice-Passw0rd", "", False),
        ("alice-Passw0rd", "no hash", False),
        ("", None, False),
    ],
)
def test_verify(text: str, hashed: str | None, expected: bool) -> None:
    assert verify_now(text, hashed) is expected


def test_what_lies_beyond_72_bytes_never_matches() -> None:
    hashed = hash_now("x" * 72)
    assert hashed.startswith("$2a$10$")
    assert [verify_now("x" * length, hashed) for length in (71, 72, 73)] == [False, True, False]


def test_no_hash_takes_as_long_as_a_wrong_password() -> None:
    def spent(hashed: str | None) -> float:
        times = []
        for _ in range(3):
            before = time.thread_time()
            verify_now("wrong", hashed)
            times.append(time.thread_time() - before)
        return min(times)

    assert 0.7 < spent(None) / spent(V4) < 1.4
    assert 0.7 < spent("no hash") / spent(V4) < 1.4


@pytest.mark.anyio
async def test_verify_in_a_thread() -> None:
    assert await verify_password("alice-Passw0rd", V4)
    assert not await verify_password("alice-Passw0rd", None)


@pytest.mark.anyio
@pytest.mark.parametrize("text, is_hashed", [("secret", True), ("x" * 72, True), ("x" * 73, False), ("\ud800", False)])
async def test_prepare(text: str, is_hashed: bool) -> None:
    prepared = await prepare_password(text)
    assert (prepared, isinstance(prepared, HashedPassword)) == (text, is_hashed)
    assert not isinstance(prepared, HashedPassword) or verify_now(text, prepared.hash)
