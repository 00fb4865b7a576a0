"""A lane: what one cache is to forget, gathered for a moment and told in few requests.

Whoever comes first waits for others, tells the cache, and answers for all who have come until then; those who come
meanwhile are the next round. So a cache is asked once at a time, however much is written and however slow it is.
What it has not been told is a message of the outbox again before anybody counts theirs as done.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from octavo.core.clock import shown_moment, steady_time, this_moment
from octavo.core.values import dataclass
from octavo.events.purging.cdn_clients import Front, PurgeRequest, purge_requests
from octavo.events.purging.tags import merged

logger = logging.getLogger(__name__)

KEPT_FOR: Final = 7 * 86_400_000
"""Milliseconds after which a cache that cannot be told is not told any more."""
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 0.5
"""Between two attempts, in seconds: a cache that is back fills itself at once, and has to be told from then on."""
_LONGEST_REFUSED_PAUSE: Final = 15.0
"""Where a cache answers, and says no."""


class NotTold(Exception):
    """A cache could not be told. The text names it and says why, without what is secret. `refused`: it has answered."""

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused


@dataclass(frozen=True, slots=True)
class Purge:
    """What to forget. `round` counts how often it has been told; `since`: milliseconds since 1970, since when it could
    not be, and `error` why, the last time."""

    tags: tuple[str, ...]
    round: int = 0
    since: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class LaneOptions:
    """`gather`: milliseconds that are waited for more. `again`: when the same is told again, in milliseconds from the
    first time on. `prefix`: of every tag."""

    gather: int = 100
    again: tuple[int, ...] = (250, 750, 5000)
    prefix: str = ""


@dataclass(slots=True)
class LaneUse:
    """What was done for one cache since the start: requests it has taken, and those that failed."""

    name: str
    sent: int = 0
    failed: int = 0


Send = Callable[[Front, PurgeRequest], Awaitable[None]]
"""Sends a request. Raises NotTold."""
Later = Callable[[Front, Sequence[tuple[Purge, int]]], Awaitable[None]]
"""Writes down what one cache is to be told later, each with a moment in milliseconds since 1970."""


class Lane:
    """The way to one cache."""

    def __init__(self, front: Front, send: Send, later: Later, options: LaneOptions) -> None:
        self._front = front
        self._send = send
        self._later = later
        self._options = options
        self._turn = asyncio.Lock()
        self._waiting: list[tuple[Purge, asyncio.Future[None]]] = []
        self._failures = 0
        self._asked_again_at = 0.0
        self.use = LaneUse(front.name)

    async def tell(self, purge: Purge) -> None:
        """Let the cache forget something; returns when it has, or when it is written down that it has to."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((purge, done))
        try:
            async with self._turn:
                if not done.done():
                    await self._tell_all()
        except BaseException:
            done.cancel()
            raise
        await done

    async def _tell_all(self) -> None:
        """Gather, tell, and answer for everybody; where that is broken off, all of them fail."""
        await asyncio.sleep(max(self._options.gather / 1000, self._asked_again_at - steady_time()))
        told, self._waiting = self._waiting, []
        try:
            await self._tell_or_defer([purge for purge, done in told if not done.cancelled()])
        except BaseException as error:
            for _, done in told:
                done.cancel()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise NotTold(f"{self._front.name}: {type(error).__name__}") from error
        for _, done in told:
            if not done.done():
                done.set_result(None)

    async def _tell_or_defer(self, purges: Sequence[Purge]) -> None:
        if not purges:
            return
        tags = merged(tag for purge in purges for tag in purge.tags)
        try:
            for request in purge_requests(self._front, [self._options.prefix + tag for tag in tags]):
                await self._send(self._front, request)
                self.use.sent += 1
        except NotTold as error:
            self.use.failed += 1
            self._note_failure(error)
            await self._defer(purges, tags, error)
        else:
            self._note_success()
            await self._follow(purges)

    async def _follow(self, purges: Sequence[Purge]) -> None:
        """What was told is told again: answers that were under way may have come after it."""
        again, now = self._options.again, this_moment()
        rounds = sorted({purge.round for purge in purges if purge.round < len(again)})
        following = []
        for number in rounds:
            tags = merged(tag for purge in purges if purge.round == number for tag in purge.tags)
            pause = again[number] - (again[number - 1] if number else 0)
            following.append((Purge(tuple(tags), number + 1), now + pause))
        if following:
            await self._later(self._front, following)

    async def _defer(self, purges: Sequence[Purge], tags: Sequence[str], error: NotTold) -> None:
        now = this_moment()
        since = min(purge.since or now for purge in purges)
        if now - since > KEPT_FOR:
            logger.error(
                "Could not purge the cache %s for a week: its older responses may be outdated",
                self._front.name,
            )
            return
        pause = max(0.0, self._asked_again_at - steady_time())
        why = f"{error}; not told since {shown_moment(since)}"
        await self._later(self._front, [(Purge(tuple(tags), 0, since, why), now + int(pause * 1000))])

    def _note_failure(self, error: NotTold) -> None:
        longest = _LONGEST_REFUSED_PAUSE if error.refused else _LONGEST_PAUSE
        pause = min(longest, _FIRST_PAUSE * 2 ** min(self._failures, 10))
        if not self._failures:
            logger.warning("Could not purge the cache %s; retrying: %s", self._front.name, error)
        self._failures += 1
        self._asked_again_at = steady_time() + pause

    def _note_success(self) -> None:
        if self._failures:
            logger.info("The cache %s is purged again", self._front.name)
        self._failures = 0
