"""Passwords: bcrypt hashes compatible with v4, computed outside the event loop.

A few threads do this, with lower priority if the system allows it, so sign-ins do not slow down other requests.
"""

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from typing import Final

import bcrypt

COST: Final = 10
MAX_BYTES: Final = 72
"""The bytes that bcrypt uses. Longer passwords are refused, because the rest would be ignored."""

_NOBODYS: Final = "$2a$10$89V7Uczp5K8.61Qr2w02qOdnTsldtcxUzdq3gwScUg2SaRUmqRfZK"
"""A hash of an unknown password. Compared if an account has no hash, so that the response takes the same time."""

_PRIORITY: Final = 5
"""About a third of the processor time of a normal thread. With 10 (a tenth), a sign-in of 0.1 s took several seconds on
a busy machine, or timed out with 503."""
_prepared_defaults: Final[set[str]] = set()


class HashedPassword(str):
    """A plain password for validation, with its hash, which is stored."""

    __slots__ = ("hash",)
    hash: str

    @classmethod
    def of(cls, text: str, hashed: str) -> "HashedPassword":
        """Return the password with its hash."""
        made = cls(text)
        made.hash = hashed
        return made


def _stand_back() -> None:
    if sys.platform == "linux":  # elsewhere, priorities apply to whole processes
        with suppress(OSError):  # sandboxes may forbid it
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _PRIORITY)


_threads: Final = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="passwords", initializer=_stand_back)


def hash_now(text: str) -> str:
    """Return the hash of a password of at most 72 bytes. Slow."""
    return bcrypt.hashpw(text.encode(), bcrypt.gensalt(COST, prefix=b"2a")).decode()


async def hash_password(text: str) -> HashedPassword:
    """Return the hash of a password of at most 72 bytes, computed in a thread."""
    hashed = await asyncio.get_running_loop().run_in_executor(_threads, hash_now, text)
    return HashedPassword.of(text, hashed)


@lru_cache
def hash_of_default(text: str) -> str:
    """Return the hash of a default password from the definitions, cached per process. Slow on the first call."""
    return hash_now(text)


async def prepare_default(text: str) -> None:
    """Hash a default password ahead of time, so that no transaction waits for it."""
    if text not in _prepared_defaults:
        await asyncio.get_running_loop().run_in_executor(_threads, hash_of_default, text)
        _prepared_defaults.add(text)


async def prepare_password(text: str) -> str:
    """Return a password with its hash, so that no transaction waits for hashing.

    A text that cannot be hashed is returned unchanged; validation refuses it.
    """
    try:
        fits = len(text) <= MAX_BYTES and len(text.encode()) <= MAX_BYTES
    except UnicodeEncodeError:
        return text
    return await hash_password(text) if fits else text


def verify_now(text: str, hashed: str | None) -> bool:
    """Return whether a password matches a hash. Takes the same time if there is no hash."""
    password = text[: MAX_BYTES + 1].encode("utf-8", "surrogatepass")
    try:
        matches = bcrypt.checkpw(password[:MAX_BYTES], (hashed or _NOBODYS).encode())
    except ValueError:  # a hash that bcrypt cannot read
        matches = bcrypt.checkpw(b"", _NOBODYS.encode())
    return matches and bool(hashed) and len(password) <= MAX_BYTES


async def verify_password(text: str, hashed: str | None) -> bool:
    """Return whether a password matches a hash, computed in a thread."""
    return await asyncio.get_running_loop().run_in_executor(_threads, verify_now, text, hashed)
