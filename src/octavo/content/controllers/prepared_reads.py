"""Prepared reads, kept by the text of the request and by whom they were prepared for."""

import sys
from collections.abc import Callable
from typing import Any, Final

from octavo.content.controllers.deep_populate import DEEP
from octavo.content.reader import PreparedRead
from octavo.core.cache import Cache
from octavo.core.threads import compute

MOST_PREPARED_HERE: Final = 512
"""Bytes of a query that is prepared without leaving the event loop: what is longer may take many milliseconds."""


class PreparedReads:
    """Finds what was prepared, and prepares what was not."""

    def __init__(self, cache: Cache[tuple[Any, ...], PreparedRead]) -> None:
        self._cache = cache
        self.get = cache.get

    async def make(self, key: tuple[Any, ...], query: str, prepare: Callable[[], PreparedRead]) -> PreparedRead:
        """Prepare a read that is not known, and keep it; `query` is the text that it is made of."""
        size = sys.maxsize if DEEP in query else len(query)  # a short word for very much
        return self._cache.put(key, await compute(prepare, size, MOST_PREPARED_HERE))
