"""The SQLite library of this process, which is configured before anything uses it."""

import contextlib

import apsw


def forgo_memory_statistics() -> None:
    """Do not count what memory SQLite takes: nobody asks, and each block is counted under one lock of the process.

    What the library knows then is kept as it is if somebody else has a connection already.
    """
    with contextlib.suppress(apsw.MisuseError):
        apsw.shutdown()
        try:
            apsw.config(apsw.SQLITE_CONFIG_MEMSTATUS, 0)
        finally:
            apsw.initialize()
