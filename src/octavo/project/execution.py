"""Run a project's code with a time limit, and log its errors: the location in the code, and the request."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Protocol, TypeVar

from octavo.core.errors import LoggedError, OctavoError
from octavo.core.outage_log import outage_behind
from octavo.core.threads import is_cancelled
from octavo.core.values import dataclass
from octavo.project.failures import describe, failure_place

logger = logging.getLogger("octavo.code")

ResultT = TypeVar("ResultT")

_SHORTEST_LOOK: Final = 0.05
"""Minimum seconds between two checks of a stopped clock with no time left."""


class CodeClock:
    """Measures the time that the code of one request takes. It is stopped while a core action runs for that code, or
    while the body is being received.

    A request sets one timer, which checks when it fires whether the time was spent in the code. Stopping is cheap.
    """

    __slots__ = ("_left", "_limit", "_loop", "_since", "_stops", "_timer", "is_over")

    def __init__(self) -> None:
        self._limit: asyncio.Timeout | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._left = self._since = 0.0
        self._stops = 0
        self.is_over = False
        """Whether the time limit was exceeded."""

    async def run(self, seconds: float, call: Callable[[], Awaitable[ResultT]]) -> ResultT:
        """Run code and return its result. Raises TimeoutError after `seconds`.

        Nested calls share the outer time limit.
        """
        if self._limit is not None:
            return await self._run_within(call)
        self._loop = asyncio.get_running_loop()
        self._left, self._since = seconds, self._loop.time()
        self._timer = self._loop.call_later(seconds, self._check_time)
        limit = asyncio.timeout(None)
        try:
            async with limit as self._limit:
                return await call()
        finally:
            self._timer.cancel()
            self._limit, self.is_over = None, limit.expired()

    async def _run_within(self, call: Callable[[], Awaitable[ResultT]]) -> ResultT:
        stops, self._stops = self._stops, 0
        if stops:
            self._since = self._loop.time()
        try:
            return await call()
        finally:
            self._stops = stops
            if stops:
                self._count()

    def stopped(self) -> "CodeClock":
        """Return a context manager that stops the clock."""
        return self

    def __enter__(self) -> None:
        self._stops += 1
        if self._stops == 1:
            self._count()

    def __exit__(self, *_: object) -> None:
        self._stops -= 1
        if self._stops == 0 and self._limit is not None:
            self._since = self._loop.time()

    def _count(self) -> None:
        """Subtract the elapsed time from the remaining time."""
        if self._limit is not None:
            self._left -= self._loop.time() - self._since

    def _check_time(self) -> None:
        """Cancel the code if its time is over; otherwise check again later."""
        if self._limit is None:
            return
        left = self._left if self._stops else self._left - (self._loop.time() - self._since)
        if left <= 0 and not self._stops:
            self._limit.reschedule(self._loop.time())
        else:
            self._timer = self._loop.call_later(max(left, _SHORTEST_LOOK), self._check_time)


class Requester(Protocol):
    """A request, with what the log needs."""

    @property
    def id(self) -> str:
        """The request id."""

    @property
    def client(self) -> str:
        """The client's address."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the code of the project in `folder`, for at most `seconds` per request."""

    folder: Path
    seconds: float

    async def run(
        self, otherwise: str, request: Requester, clock: CodeClock, call: Callable[[], Awaitable[ResultT]]
    ) -> ResultT:
        """Run code within its time limit and return its result. Errors other than those for clients are logged, and
        become LoggedError. `otherwise` is the location if the error is not in the project's code."""
        try:
            return await clock.run(self.seconds, call)
        except OctavoError:
            raise
        except TimeoutError as error:
            if not clock.is_over:
                self.log(error, otherwise, request)
                raise LoggedError from error
            place = failure_place(_innermost(error), self.folder, otherwise)
            logger.error("Request %s: %s: stopped after %g s", request.id, place, self.seconds)
            raise LoggedError from error
        except (Exception, SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise
            outage = outage_behind(error)
            if outage is None:
                self.log(error, otherwise, request)
            raise outage or LoggedError from error

    def log(self, error: BaseException, otherwise: str, request: Requester) -> None:
        """Log an unexpected error, with the request and the location in the project's code."""
        place = failure_place(error, self.folder, otherwise)
        logger.error("Request %s: %s: %s", request.id, place, describe(error), exc_info=error)


def _innermost(error: BaseException) -> BaseException:
    """Return the cause of a timeout: the location where the code was waiting is in the cancellation."""
    behind = error.__cause__ or error.__context__
    return error if behind is None else _innermost(behind)
