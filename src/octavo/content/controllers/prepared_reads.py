"""A cache of prepared reads, by request text and by ability."""

import sys
from collections.abc import Callable
from typing import Any, Final

from octavo.content.controllers.deep_populate import DEEP
from octavo.content.reader import PreparedRead
from octavo.core.cache import Cache
from octavo.core.threads import compute

MOST_PREPARED_HERE: Final = 512
"""The maximum bytes of a query prepared in the event loop; longer ones may take many milliseconds."""


class PreparedReads:
    """Caches prepared reads."""

    def __init__(self, cache: Cache[tuple[Any, ...], PreparedRead]) -> None:
        self._cache = cache
        self.get = cache.get

    def keep(self, key: tuple[Any, ...], prepared: PreparedRead) -> PreparedRead:
        """Cache a prepared read."""
        return self._cache.put(key, prepared)

    async def make(self, key: tuple[Any, ...], query: str, prepare: Callable[[], PreparedRead]) -> PreparedRead:
        """Prepare a read and cache it. `query` is the request's text."""
        return self.keep(key, await prepare_query(query, prepare))


async def prepare_query(query: str, prepare: Callable[[], PreparedRead]) -> PreparedRead:
    """Prepare a read, in a thread if the request's text is long."""
    size = sys.maxsize if DEEP in query else len(query)  # `deep` is short but expands to many joins
    return await compute(prepare, size, MOST_PREPARED_HERE)
