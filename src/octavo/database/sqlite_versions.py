"""Versions on SQLite: one for the whole file, `PRAGMA data_version` of the connection that reads in the event loop.

That number is another one whenever another connection, of whichever process, has committed something since it was last
asked for, and this connection never writes. The pragma begins a read of its own, which looks at the write-ahead log as
every read does, so it sees what was committed before. Statements of the same connection, and those that begin later on
others, see that state or a newer one.
"""

import asyncio
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
    """`Versions` of a file; `read` tells the number, None where the file cannot be read at once."""

    def __init__(self, read: Callable[[], Hashable]) -> None:
        self._read = read
        self.latest: FileMoment | None = None
        self._arrived: FileMoment | None = None

    async def now(self) -> FileMoment | None:
        version, latest = self._read(), self.latest
        if version is None or (latest is not None and latest.stamp == version):
            return None if version is None else latest
        self.latest = FileMoment(version)
        return self.latest

    async def arrived(self) -> FileMoment | None:
        """Told once in a turn of the loop. What forgets it waits behind all that has come by now, and before all that
        will come: whatever runs earlier had come before it was told. Each question lets other threads run, which costs
        more than the question."""
        if self._arrived is not None:
            return self._arrived
        moment, loop = await self.now(), asyncio.get_running_loop()
        if loop.get_task_factory() is None:  # others may begin tasks out of their turn
            self._arrived = moment
            loop.call_soon(self._forget)
        return moment

    def _forget(self) -> None:
        self._arrived = None
