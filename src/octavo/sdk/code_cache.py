"""`app.cache`: a cache for project code in this process, within the common memory limit of all caches."""

from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from octavo.core.cache import ENTRY_BYTES, Cache
from octavo.core.clock import SYSTEM_CLOCK, Clock


class CodeCache:
    """JSON values by key, in the memory of this process.

    A value expires after its time, or earlier if the cache is full. A reload clears the cache. Each read returns a new
    copy.
    """

    def __init__(self, cache: Cache[str, tuple[float, bytes]], clock: Clock = SYSTEM_CLOCK) -> None:
        self._cache = cache
        self._clock = clock

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default."""
        value = self._cache.get(key)
        if value is None or value[0] <= self._clock.steady():
            return default
        return orjson.loads(value[1])

    def set(self, key: str, value: Any, seconds: float) -> None:
        """Store a value for this number of seconds at most. Raises TypeError if it is not a JSON value."""
        try:
            content = orjson.dumps(value)
        except orjson.JSONEncodeError as error:
            raise TypeError(f"the cache only stores JSON values: {error}") from error
        self._cache.put(key, (self._clock.steady() + seconds, content), ENTRY_BYTES + len(key) + len(content))

    def delete(self, key: str) -> None:
        """Remove a key."""
        self._cache.discard(key)

    async def get_or_set(self, key: str, seconds: float, make: Callable[[], Awaitable[Any]]) -> Any:
        """Return the value of a key. If there is none, call an async function and store its result."""
        found = self._cache.get(key)
        if found is None or found[0] <= self._clock.steady():
            value = await make()
            self.set(key, value, seconds)
            return value
        return orjson.loads(found[1])
