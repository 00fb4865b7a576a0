"""Track reads, for callers that need to know what a response was built from."""

from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any, Final

from octavo.content.controllers.hooked_reads import HookedRead
from octavo.content.controllers.reading import ContentReads
from octavo.content.reader import PreparedRead
from octavo.query.plan.sources import Sources

_LAST: Final[ContextVar[PreparedRead | None]] = ContextVar("octavo_last_read", default=None)


class TrackedReads(ContentReads):
    """ContentReads that remembers the last read of the current task."""

    def find(self, prepared: PreparedRead) -> Coroutine[Any, Any, tuple[bytes, int | None]]:
        _LAST.set(prepared)
        return super().find(prepared)

    def find_behind(self, prepared: PreparedRead) -> Coroutine[Any, Any, tuple[bytes, int | None, str | None]]:
        _LAST.set(prepared)
        return super().find_behind(prepared)

    def find_any(self, prepared: PreparedRead) -> Coroutine[Any, Any, bytes | None]:
        _LAST.set(prepared)
        return super().find_any(prepared)


def last_read(uid: str) -> tuple[Sources, object] | None:
    """Return the sources of the last read of a content type, and its entry's id (None for a list).

    Returns None if the last read was of another type, or if it ran a project's hooks, which can read anything.
    """
    read = _LAST.get()
    if read is None or isinstance(read, HookedRead):
        return None
    sources = read.sources
    return (sources, read.given.get("id")) if uid in sources.types else None
