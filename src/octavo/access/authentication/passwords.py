"""Passwords: bcrypt hashes that v4 can read, made and compared outside the event loop.

The threads for it are few and, where the system allows it, of lower priority: logins never slow down other requests.
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
"""What bcrypt looks at. Longer passwords are refused, for their end would count for nothing."""

_NOBODYS: Final = "$2a$10$89V7Uczp5K8.61Qr2w02qOdnTsldtcxUzdq3gwScUg2SaRUmqRfZK"
"""A hash of no password that anybody knows: compared with where there is none, so that it takes the same time."""

_PRIORITY: Final = 5
"""A third of the processor time of a thread without it. With 10, a tenth, a busy machine left them so little that a
login of 0.1 s took several, or was given up after the time for a request and answered with 503."""
_prepared_defaults: Final[set[str]] = set()


class HashedPassword(str):
    """The text that was given, for the checks, together with its hash, which is what gets stored."""

    __slots__ = ("hash",)
    hash: str

    @classmethod
    def of(cls, text: str, hashed: str) -> "HashedPassword":
        """Join both."""
        made = cls(text)
        made.hash = hashed
        return made


def _stand_back() -> None:
    if sys.platform == "linux":  # elsewhere priorities belong to whole processes
        with suppress(OSError):  # what guards the service may forbid it
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _PRIORITY)


_threads: Final = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="passwords", initializer=_stand_back)


def hash_now(text: str) -> str:
    """The hash of a password of at most 72 bytes. Takes a while."""
    return bcrypt.hashpw(text.encode(), bcrypt.gensalt(COST, prefix=b"2a")).decode()


async def hash_password(text: str) -> HashedPassword:
    """The hash of a password of at most 72 bytes, made in a thread."""
    hashed = await asyncio.get_running_loop().run_in_executor(_threads, hash_now, text)
    return HashedPassword.of(text, hashed)


@lru_cache
def hash_of_default(text: str) -> str:
    """The hash of a password that definitions name, made once in a process. Takes a while the first time."""
    return hash_now(text)


async def prepare_default(text: str) -> None:
    """Have the hash of a password that definitions name ready, so that no transaction waits for it."""
    if text not in _prepared_defaults:
        await asyncio.get_running_loop().run_in_executor(_threads, hash_of_default, text)
        _prepared_defaults.add(text)


async def prepare_password(text: str) -> str:
    """A password ready for the checks and for storing, so that no transaction waits for its hash.

    What cannot be hashed stays as it is: the checks refuse it.
    """
    try:
        fits = len(text) <= MAX_BYTES and len(text.encode()) <= MAX_BYTES
    except UnicodeEncodeError:
        return text
    return await hash_password(text) if fits else text


def verify_now(text: str, hashed: str | None) -> bool:
    """Whether a password belongs to a hash. Takes the same while where there is no hash."""
    password = text[: MAX_BYTES + 1].encode("utf-8", "surrogatepass")
    try:
        matches = bcrypt.checkpw(password[:MAX_BYTES], (hashed or _NOBODYS).encode())
    except ValueError:  # a hash that bcrypt cannot read
        matches = bcrypt.checkpw(b"", _NOBODYS.encode())
    return matches and bool(hashed) and len(password) <= MAX_BYTES


async def verify_password(text: str, hashed: str | None) -> bool:
    """The same in a thread."""
    return await asyncio.get_running_loop().run_in_executor(_threads, verify_now, text, hashed)
