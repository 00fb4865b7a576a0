"""Counters for rate limits, based on the library `limits`. Imported only when the first attempt is counted.

Counts are stored in memory, in the project's database, or in Redis or Valkey, for services on several machines.
"""

import importlib
from typing import Any, Final, Literal

from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage, RedisStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter
from limits.errors import StorageError

from octavo.core.clock import this_moment
from octavo.core.errors import ServiceUnavailable
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.query.sql.raw_statement import RawStatement

_COUNT: Final = RawStatement("""
INSERT INTO octavo_rate_limits (name, hits, expires_at) VALUES ({name}, {hits}, {expires_at})
{name:on_conflict}
  hits = CASE WHEN octavo_rate_limits.expires_at <= {now} THEN {hits:proposed}
              ELSE octavo_rate_limits.hits + {hits:proposed} END,
  expires_at = CASE WHEN octavo_rate_limits.expires_at <= {now} THEN {expires_at:proposed}
                    ELSE octavo_rate_limits.expires_at END
{hits:returning}""")
_READ: Final = RawStatement("SELECT hits FROM octavo_rate_limits WHERE name = {name} AND expires_at > {now}")
_END: Final = RawStatement("SELECT expires_at FROM octavo_rate_limits WHERE name = {name}")
_FORGET: Final = RawStatement("DELETE FROM octavo_rate_limits WHERE expires_at <= {now}")
_CLEAR: Final = RawStatement("DELETE FROM octavo_rate_limits WHERE name = {name}")
_REQUESTS: Final = "requests/"
_EVERY: Final = 100
"""How many new windows of requests pass between two deletions of expired ones."""


class AttemptCounts:
    """Counts attempts of each kind within `interval` seconds. `most` maps a kind to its limit."""

    def __init__(self, interval: int, most: dict[Literal["one", "all"], int], storage: Storage | None) -> None:
        self._limiter = FixedWindowRateLimiter(storage or MemoryStorage())
        self._items = {kind: RateLimitItemPerSecond(number, interval, kind) for kind, number in most.items()}

    async def hit(self, kind: Literal["one", "all"], *names: str) -> bool:
        """Count an attempt and return whether it is within the limit.

        Raises ServiceUnavailable if counting fails. Allowing the attempt would let an attacker bypass the limit by
        making the storage fail.
        """
        try:
            return await self._limiter.hit(self._items[kind], *names)
        except StorageError as error:
            raise ServiceUnavailable(reason="login attempts cannot be counted") from error


async def count_request(storage: Storage, key: str, interval: int) -> tuple[int, float]:
    """Count a request in a window of `interval` seconds; return the count and the end, in seconds since 1970.

    Raises ServiceUnavailable if counting fails.
    """
    try:
        name = f"{_REQUESTS}{key}"
        return await storage.incr(name, interval), await storage.get_expiry(name)
    except StorageError as error:
        raise ServiceUnavailable(reason="requests cannot be counted") from error


class DatabaseStorage(Storage):
    """Counters in the project's database, shared by workers and machines. Supports fixed windows only."""

    STORAGE_SCHEME = ["async+octavo"]  # noqa: RUF012 - the library declares it like this

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database
        self._dialect = database.dialect
        self._windows = 0

    @property
    def base_exceptions(self) -> type[Exception]:
        """Return the exceptions that the library wraps in StorageError."""
        return ServiceUnavailable

    async def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Increment a counter. Deletes expired counters when a new window starts.

        Deletion does not depend on the account, so response times do not reveal whether an account exists.
        """
        now = this_moment()
        async with unit_of_work(self._database, in_maintenance=True) as unit:
            expires_at = now + int(expiry * 1000)
            counted = _COUNT.bind(self._dialect, name=key, hits=amount, expires_at=expires_at, now=now)
            hits = int(await unit.connection.fetch_value(*counted))
            if hits == amount and self._forgets(key):
                await unit.connection.execute(*_FORGET.bind(self._dialect, now=now))
        return hits

    def _forgets(self, key: str) -> bool:
        """Return whether a new window deletes expired ones: each of an address, and some of the many of requests."""
        if not key.startswith(_REQUESTS):
            return key.startswith("all/")
        self._windows += 1
        return self._windows % _EVERY == 0

    async def get(self, key: str) -> int:
        """Return the current count."""
        return int(await self._database.fetch_value(*_READ.bind(self._dialect, name=key, now=this_moment())) or 0)

    async def get_expiry(self, key: str) -> float:
        """Return when the window ends, in seconds since 1970."""
        return int(await self._database.fetch_value(*_END.bind(self._dialect, name=key)) or this_moment()) / 1000

    async def check(self) -> bool:
        """Return whether the database is reachable."""
        return bool(await self._database.fetch_value("SELECT 1"))

    async def reset(self) -> int | None:
        """Delete all counters."""
        return await self._database.execute("DELETE FROM octavo_rate_limits")

    async def clear(self, key: str) -> None:
        """Delete one counter."""
        await self._database.execute(*_CLEAR.bind(self._dialect, name=key))


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
