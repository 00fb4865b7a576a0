"""Passwords: v4's hashes, and equal time for accounts with and without a hash."""

import bcrypt
import pytest

from octavo.access.authentication.passwords import (
    HashedPassword,
    hash_now,
    prepare_password,
    verify_now,
    verify_password,
)

pytestmark = pytest.mark.usefixtures("usual_password_cost")

V4 = "$2a$10$inIkwBnf9U2XQIJoC9Nhb.IwrhUWufbIzThOf7Xoo4UmXZFmsUFL."  # of alice-Passw0rd, created by v4


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


def test_passwords_longer_than_72_bytes_never_match() -> None:
    hashed = hash_now("x" * 72)
    assert hashed.startswith("$2a$10$")
    assert [verify_now("x" * length, hashed) for length in (71, 72, 73)] == [False, True, False]


@pytest.mark.parametrize("hashed", [V4, None, "", "no hash"])
def test_a_missing_hash_takes_as_long_as_a_wrong_password(monkeypatch: pytest.MonkeyPatch, hashed: str | None) -> None:
    """Measured by the work: one comparison, with the cost of every hash."""
    costs: list[int] = []
    compare = bcrypt.checkpw

    def counted(password: bytes, compared: bytes) -> bool:
        matches = compare(password, compared)  # raises an exception if it is not a hash
        costs.append(int(compared.split(b"$")[2]))
        return matches

    monkeypatch.setattr("octavo.access.authentication.passwords.bcrypt.checkpw", counted)
    assert not verify_now("wrong", hashed)
    assert costs == [10]


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
