"""Whether anybody has committed to a file: the header of its WAL index, read where it lies in memory.

Who commits, in whichever process, writes that header last, and whoever begins to read looks at it first: it holds a
counter of commits, how far the log goes and a checksum of it (https://www.sqlite.org/walformat.html). So as long as it
is what it was, reading shows what it showed then. To look at it takes no system call and no other thread's turn, while
a question to SQLite does both.

**What was opened here is never closed.** A process that closes a descriptor of a file loses all locks that it has on
the file, SQLite's too. So there is one mapping for each file, and one of a file that is gone stays until the process
ends.
"""

import os
import sys
from collections.abc import Callable
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final

_HEADER: Final = 48
"""Bytes. There are two copies, one behind the other: where they differ, somebody is writing it."""
_FORMAT: Final = (3_007_000).to_bytes(4, sys.byteorder)
"""What it begins with."""
_IS_MADE: Final = 12
"""Where a byte tells that the index was made."""

_mapped: Final[dict[tuple[int, int], mmap]] = {}


def header_of(database: Path) -> Callable[[], bytes | None] | None:
    """What reads the header of a database that this process has open, and has read; None where there is none to be
    read. What it reads is None while somebody writes or makes it. To be called as long as the database is open."""
    index = database.with_name(f"{database.name}-shm")
    try:
        both = _mapping(index)
    except (OSError, ValueError):
        return None
    one, other = slice(0, _HEADER), slice(_HEADER, 2 * _HEADER)

    def header() -> bytes | None:
        first = both[one]
        return first if first == both[other] else None

    found = header()
    return header if found is not None and found.startswith(_FORMAT) and found[_IS_MADE] else None


def _mapping(index: Path) -> mmap:
    known = index.stat()
    file = known.st_dev, known.st_ino
    if file not in _mapped:
        _mapped[file] = mmap(os.open(index, os.O_RDONLY), 2 * _HEADER, access=ACCESS_READ)
    return _mapped[file]
