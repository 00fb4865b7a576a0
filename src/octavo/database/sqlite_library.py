"""The SQLite library of this process, which is configured before anything uses it."""

import contextlib
from typing import Final

import apsw

_BLOCKS: Final = (1200, 100)
"""Bytes of a block and their number, of what each connection has at hand for small things. For the texts of a page with
relations it asks for far more than the forty that SQLite means to be enough, and each other one costs a call."""


def configure_library() -> None:
    """Have blocks at hand, and do not count what memory SQLite takes: nobody asks, and each block is counted under one
    lock of the process.

    What the library knows then is kept as it is if somebody else has a connection already.
    """
    with contextlib.suppress(apsw.MisuseError):
        apsw.shutdown()
        try:
            apsw.config(apsw.SQLITE_CONFIG_MEMSTATUS, 0)
            apsw.config(apsw.SQLITE_CONFIG_LOOKASIDE, *_BLOCKS)
        finally:
            apsw.initialize()
