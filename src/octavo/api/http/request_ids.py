"""Request ids, which logs can be searched for: the client's or a generated one.

Generated ids have 32 hexadecimal digits, like W3C trace ids. Half of them identify the process. The others are a
number that the process has not used before, in an unpredictable order.
"""

import os
import re
from collections.abc import Iterator, Mapping
from itertools import count
from random import SystemRandom
from typing import Final

TRACE: Final = b"traceparent"
NAME: Final = b"x-request-id"
"""The headers that can contain a request id."""
_TRACE: Final = re.compile(rb"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")
_NAME: Final = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_ALL: Final = (1 << 56) - 1


def _names() -> Iterator[str]:
    """Yield ids. The last two digits take all values in random order, so that most ids cost only an addition."""
    process, ends = os.urandom(8).hex(), [f"{number:02x}" for number in range(256)]
    SystemRandom().shuffle(ends)
    factor = int.from_bytes(os.urandom(7)) | 1  # odd, so that products are unique
    for number in count(1):
        begin = f"{process}{number * factor & _ALL:014x}"
        for end in ends:
            yield begin + end


_next = _names().__next__


def _begin() -> None:
    """Start a new sequence of ids in a forked process."""
    global _next
    _next = _names().__next__


os.register_at_fork(after_in_child=_begin)


def taken_over(headers: Mapping[bytes, bytes]) -> str | None:
    """Return the request's trace id (`traceparent`) or `X-Request-Id`, or None if it is missing or invalid.

    Ids are logged, so only letters, digits, `.`, `_` and `-` are valid.
    """
    trace = headers.get(TRACE)
    if trace is not None and (match := _TRACE.fullmatch(trace)):
        return match[1].decode()
    name = headers.get(NAME)
    return name.decode() if name is not None and _NAME.fullmatch(name) else None


def name_of(headers: Mapping[bytes, bytes]) -> str:
    """Return the request id in the headers, or a new one."""
    if TRACE in headers or NAME in headers:  # rare, and this runs for every response
        return taken_over(headers) or _next()
    return _next()
