"""Limit requests by path, client address and email address, like v4's `plugin::users-permissions.rateLimit`.

Requests are counted where sign-in attempts are: in memory, or in a storage that several processes share.
"""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from math import ceil
from typing import TYPE_CHECKING, Final

from octavo.core.clock import this_moment
from octavo.core.text_limits import fold_identifier
from octavo.core.threads import in_thread
from octavo.core.values import dataclass

if TYPE_CHECKING:
    from limits.aio.storage import Storage

RATE_LIMIT: Final = "plugin::users-permissions.rateLimit"
"""The name of the middleware."""
_MOST_WINDOWS: Final = 100_000
"""Maximum windows in memory, about 25 MB. If all are current, the least recently used one is dropped."""


@dataclass(frozen=True, slots=True)
class RouteLimitOptions:
    """Allow `most` requests in `interval` seconds, unless the middleware has its own configuration."""

    enabled: bool = True
    interval: int = 60
    most: int = 10


@dataclass(frozen=True, slots=True)
class Window:
    """The requests of one window: the limit, the requests so far, and the end in seconds since 1970."""

    most: int
    hits: int
    ends_at: int

    @property
    def is_exceeded(self) -> bool:
        """Whether there are too many requests."""
        return self.hits > self.most

    @property
    def headers(self) -> dict[str, str]:
        """The headers that describe the window, as v4 sends them."""
        left = max(self.most - self.hits, 0)
        values = {"limit": self.most, "remaining": left, "reset": self.ends_at}
        return {f"x-ratelimit-{name}": str(value) for name, value in values.items()}


class RouteLimits:
    """Counts requests, in memory unless `open_storage` opens a shared storage."""

    def __init__(self, options: RouteLimitOptions, open_storage: "Callable[[], Storage] | None" = None) -> None:
        self.options = options
        self._open_storage = open_storage
        self._storage: Storage | None = None
        self._windows: OrderedDict[str, tuple[int, int]] = OrderedDict()

    async def count(self, path: str, address: str, email: str, *, most: int, interval: int) -> Window:
        """Count a request, and return its window of `interval` seconds.

        Raises ServiceUnavailable if counting fails.
        """
        text = "\n".join((fold_identifier(email), path.lower().rstrip("/"), address, str(interval)))
        key = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        if self._open_storage is None:
            hits, ends_at = self._count_here(key, interval)
        else:
            hits, ends_at = await self._count_shared(self._open_storage, key, interval)
        return Window(most, hits, ends_at)

    def _count_here(self, key: str, interval: int) -> tuple[int, int]:
        now = this_moment()
        hits, ends_at = self._windows.pop(key, (0, 0))
        if ends_at <= now:
            hits, ends_at = 0, now + interval * 1000
            self._make_room(now)
        self._windows[key] = hits + 1, ends_at
        return hits + 1, ceil(ends_at / 1000)

    def _make_room(self, now: int) -> None:
        while self._windows:
            _, ends_at = next(iter(self._windows.values()))
            if ends_at > now and len(self._windows) < _MOST_WINDOWS:
                return
            self._windows.popitem(last=False)

    async def _count_shared(self, open_storage: "Callable[[], Storage]", key: str, interval: int) -> tuple[int, int]:
        if self._storage is None:
            self._storage = await in_thread(open_storage)
        from octavo.access.authentication.attempt_counts import count_request

        hits, ends_at = await count_request(self._storage, key, interval)
        return hits, ceil(ends_at)
