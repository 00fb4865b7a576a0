"""The purge queue of one cache: collects tags for a moment and purges them with few requests.

The first caller waits for others, sends the requests, and completes the purges of all callers until then; later callers
form the next batch. So a cache gets one request at a time, however many changes there are and however slow it is. Tags
that could not be purged are stored in the outbox again before any caller's purge counts as done.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from octavo.core.clock import format_timestamp, steady_time, this_moment
from octavo.core.values import dataclass
from octavo.events.purging.cdn_clients import HttpCache, PurgeRequest, purge_requests
from octavo.events.purging.tags import merged

logger = logging.getLogger(__name__)

KEPT_FOR: Final = 7 * 86_400_000
"""Milliseconds after which purges of an unreachable cache are discarded."""
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 0.5
"""Maximum seconds between two attempts: a cache that is back is filled at once, and has to be purged from then on."""
_LONGEST_REFUSED_PAUSE: Final = 15.0
"""The same if the cache responds with an error."""


class PurgeFailed(Exception):
    """A cache could not be purged. The message names it and the reason, without secrets. `refused`: it has
    responded."""

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused


@dataclass(frozen=True, slots=True)
class Purge:
    """Tags to purge. `round` counts the purges so far; `since` is when they first failed, in milliseconds since 1970,
    and `error` the last reason."""

    tags: tuple[str, ...]
    round: int = 0
    since: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class PurgeQueueOptions:
    """`gather`: milliseconds to wait for more tags. `again`: when to repeat a purge, in milliseconds after the first
    one. `prefix`: of every tag."""

    gather: int = 100
    again: tuple[int, ...] = (250, 750, 5000)
    prefix: str = ""


@dataclass(slots=True)
class PurgeStatistics:
    """The statistics of one cache since the start: successful and failed requests."""

    name: str
    sent: int = 0
    failed: int = 0


Send = Callable[[HttpCache, PurgeRequest], Awaitable[None]]
"""Sends a request. Raises PurgeFailed."""
Later = Callable[[HttpCache, Sequence[tuple[Purge, int]]], Awaitable[None]]
"""Stores purges of one cache for later, each with a time in milliseconds since 1970."""


class PurgeQueue:
    """The purge queue of one cache."""

    def __init__(self, cache: HttpCache, send: Send, later: Later, options: PurgeQueueOptions) -> None:
        self._front = cache
        self._send = send
        self._later = later
        self._options = options
        self._turn = asyncio.Lock()
        self._waiting: list[tuple[Purge, asyncio.Future[None]]] = []
        self._failures = 0
        self._asked_again_at = 0.0
        self.use = PurgeStatistics(cache.name)

    async def purge(self, purge: Purge) -> None:
        """Purge tags; return when the cache has purged them, or when they are stored for later."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((purge, done))
        try:
            async with self._turn:
                if not done.done():
                    await self._purge_all()
        except BaseException:
            done.cancel()
            raise
        await done

    async def _purge_all(self) -> None:
        """Collect, purge, and complete all callers; if interrupted, all of them fail."""
        await asyncio.sleep(max(self._options.gather / 1000, self._asked_again_at - steady_time()))
        batch, self._waiting = self._waiting, []
        try:
            await self._purge_or_defer([purge for purge, done in batch if not done.cancelled()])
        except BaseException as error:
            for _, done in batch:
                done.cancel()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise PurgeFailed(f"{self._front.name}: {type(error).__name__}") from error
        for _, done in batch:
            if not done.done():
                done.set_result(None)

    async def _purge_or_defer(self, purges: Sequence[Purge]) -> None:
        if not purges:
            return
        tags = merged(tag for purge in purges for tag in purge.tags)
        try:
            for request in purge_requests(self._front, [self._options.prefix + tag for tag in tags]):
                await self._send(self._front, request)
                self.use.sent += 1
        except PurgeFailed as error:
            self.use.failed += 1
            self._note_failure(error)
            await self._defer(purges, tags, error)
        else:
            self._note_success()
            await self._follow(purges)

    async def _follow(self, purges: Sequence[Purge]) -> None:
        """Schedule repeated purges, because responses generated before the change may reach the cache after the
        first."""
        again, now = self._options.again, this_moment()
        rounds = sorted({purge.round for purge in purges if purge.round < len(again)})
        following = []
        for number in rounds:
            tags = merged(tag for purge in purges if purge.round == number for tag in purge.tags)
            pause = again[number] - (again[number - 1] if number else 0)
            following.append((Purge(tuple(tags), number + 1), now + pause))
        if following:
            await self._later(self._front, following)

    async def _defer(self, purges: Sequence[Purge], tags: Sequence[str], error: PurgeFailed) -> None:
        now = this_moment()
        since = min(purge.since or now for purge in purges)
        if now - since > KEPT_FOR:
            logger.error(
                "Could not purge the cache %s for a week: its older responses may be outdated",
                self._front.name,
            )
            return
        pause = max(0.0, self._asked_again_at - steady_time())
        why = f"{error}; failing since {format_timestamp(since)}"
        await self._later(self._front, [(Purge(tuple(tags), 0, since, why), now + int(pause * 1000))])

    def _note_failure(self, error: PurgeFailed) -> None:
        longest = _LONGEST_REFUSED_PAUSE if error.refused else _LONGEST_PAUSE
        pause = min(longest, _FIRST_PAUSE * 2 ** min(self._failures, 10))
        if not self._failures:
            logger.warning("Could not purge the cache %s; retrying: %s", self._front.name, error)
        self._failures += 1
        self._asked_again_at = steady_time() + pause

    def _note_success(self) -> None:
        if self._failures:
            logger.info("Purging the cache %s works again", self._front.name)
        self._failures = 0
