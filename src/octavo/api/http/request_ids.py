"""Names of requests, by which the log is searched: those that clients give, or new ones.

A name of ours is 32 hexadecimal digits, as W3C's trace ids are: half of them tell the process, the others are a number
that no name of this process had before, in an order that nobody can foresee.
"""

import os
import re
from collections.abc import Iterator, Mapping
from itertools import count
from random import SystemRandom
from typing import Final

TRACE: Final = b"traceparent"
NAME: Final = b"x-request-id"
"""The headers that a request may bring its name in."""
_TRACE: Final = re.compile(rb"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")
_NAME: Final = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_ALL: Final = (1 << 56) - 1


def _names() -> Iterator[str]:
    """The last two digits go through all that there are, in an order of their own: most names so cost an addition."""
    process, ends = os.urandom(8).hex(), [f"{number:02x}" for number in range(256)]
    SystemRandom().shuffle(ends)
    factor = int.from_bytes(os.urandom(7)) | 1  # odd, so that no two numbers come to the same
    for number in count(1):
        begin = f"{process}{number * factor & _ALL:014x}"
        for end in ends:
            yield begin + end


_next = _names().__next__


def _begin() -> None:
    """A process that forks off another begins names of its own."""
    global _next
    _next = _names().__next__


os.register_at_fork(after_in_child=_begin)


def taken_over(headers: Mapping[bytes, bytes]) -> str | None:
    """The name that a request came with: its trace (`traceparent`), or else its `X-Request-Id`. None where there is
    none, or what is there is none: it goes into logs, so that it may hold nothing but letters, digits, `.`, `_`, `-`.
    """
    trace = headers.get(TRACE)
    if trace is not None and (found := _TRACE.fullmatch(trace)):
        return found[1].decode()
    name = headers.get(NAME)
    return name.decode() if name is not None and _NAME.fullmatch(name) else None


def name_of(headers: Mapping[bytes, bytes]) -> str:
    """The name of a request with these headers: that which it brings, or a new one."""
    if TRACE in headers or NAME in headers:  # few do, and each answer asks
        return taken_over(headers) or _next()
    return _next()
