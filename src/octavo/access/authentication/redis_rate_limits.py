"""Rate limit counters in Redis or Valkey, for services on several machines.

The client library is imported only if a project is configured for it.
"""

import importlib
from typing import Any, Final

from limits.aio.storage import RedisStorage, Storage

_PREFIX: Final = "octavo"
_PATIENCE: Final = 2.0


class RedisMissing(Exception):
    """Redis cannot be used: the library is not installed or the URL is invalid. The message is shown to users."""


class RedisCounts:
    """Counters at a URL such as `redis://user:password@host:6379/0`, `rediss://...` or `unix:///path`."""

    def __init__(self, url: str) -> None:
        try:
            redis: Any = importlib.import_module("redis.asyncio")
        except ImportError:
            raise RedisMissing("requires the redis package: pip install 'octavo[redis]'") from None
        try:
            self._pool = redis.ConnectionPool.from_url(url, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE)
        except ValueError as error:
            raise RedisMissing(f"expected a URL such as redis://host:6379/0: {error}") from None

    def open_storage(self) -> Storage:
        """Return the storage for `limits`."""
        return RedisStorage(
            "redis://",
            wrap_exceptions=True,
            implementation="redispy",
            key_prefix=_PREFIX,
            connection_pool=self._pool,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()
