"""Versions on SQLite: one for the whole file, as the connection that reads in the event loop sees it.

It is the header of the file's WAL index (`sqlite_wal_index`), or where that cannot be read `PRAGMA data_version`: a
number that is another one whenever another connection, of whichever process, has committed something since it was last
asked for, and this connection never writes. Both tell what was committed before they were looked at, as each read does.
Statements of the same connection, and those that begin later on others, see that state or a newer one.
"""

from collections.abc import Callable, Hashable, Sequence


class FileMoment:
    """What the file is like."""

    __slots__ = ("stamp",)

    def __init__(self, version: Hashable) -> None:
        self.stamp = version

    def of(self, tables: Sequence[str]) -> Hashable:
        """Whatever the tables: the file's version."""
        del tables
        return self.stamp


class FileVersions:
    """`Versions` of a file; `read` tells what it is now, None where that cannot be told at once."""

    def __init__(self, read: Callable[[], Hashable]) -> None:
        self._read = read
        self.latest: FileMoment | None = None

    def at_once(self) -> FileMoment | None:
        version, latest = self._read(), self.latest
        if version is None or (latest is not None and latest.stamp == version):
            return None if version is None else latest
        self.latest = FileMoment(version)
        return self.latest

    async def now(self) -> FileMoment | None:
        return self.at_once()
