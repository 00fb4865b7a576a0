"""Reads that are noted as they begin: for who has to tell what an answer was made of."""

from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any, Final

from octavo.content.controllers.hooked_reads import HookedRead
from octavo.content.controllers.reading import ContentReads
from octavo.content.reader import PreparedRead
from octavo.query.plan.sources import Sources

_LAST: Final[ContextVar[PreparedRead | None]] = ContextVar("octavo_last_read", default=None)


class NotedReads(ContentReads):
    """As `ContentReads`; what was read last, in the task that asks, is known."""

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
    """What decides the answer to the last read, of a content-type, and the id of its entry (None: it was a list).

    None where it was none of that type, and where a project's code takes part, which may look at anything.
    """
    read = _LAST.get()
    if read is None or isinstance(read, HookedRead):
        return None
    sources = read.sources
    return (sources, read.given.get("id")) if uid in sources.types else None
