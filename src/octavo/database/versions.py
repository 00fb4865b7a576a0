"""Table versions, which show whether cached responses are still current.

A `VersionSnapshot` holds all versions. A response read after a snapshot contains the tables' state at that time, or a
newer one. So if a later snapshot has the same versions of the tables that it was read from, nothing was committed to
them in between, and reading them again would return the same response. A snapshot includes all commits before it was
requested: after a write was acknowledged, new snapshots have different versions.

    moment = versions.latest or await versions.now()     # before the read, however long before
    answer = await read()
    ...
    (await versions.now()).of(tables) == moment.of(tables)     # then the cached response is current
"""

from collections.abc import Awaitable, Hashable, Sequence
from typing import Protocol


class VersionSnapshot(Protocol):
    """All versions at one time. Equal moments are the same object, and so are their stamps."""

    @property
    def stamp(self) -> Hashable:
        """Return a short value that identifies all versions."""

    def of(self, tables: Sequence[str]) -> Hashable:
        """Return a value that identifies all commits to these tables, or None if one of them is not tracked."""


class Versions(Protocol):
    """Provides moments. Only for use outside transactions: their own writes are not visible to others."""

    @property
    def latest(self) -> VersionSnapshot | None:
        """The last known moment."""

    def at_once(self) -> VersionSnapshot | None:
        """Return the same as `now` if it is available without waiting, else None."""

    def now(self) -> Awaitable[VersionSnapshot | None]:
        """Return the versions as of this call, or None if they are not available."""
