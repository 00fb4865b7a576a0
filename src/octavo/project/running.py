"""Runs a project's code within its time, and tells of its failures: where in the code, and for which request."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from octavo.errors import LoggedError, OctavoError
from octavo.outage_log import out_of_room
from octavo.project.failures import describe, failure_place

logger = logging.getLogger("octavo.code")


class CodeClock:
    """Counts the time that the code of one request takes. It stands while a core action works for that code, or a
    body is waited for."""

    def __init__(self) -> None:
        self._limit: asyncio.Timeout | None = None
        self._left = 0.0
        self._stops = 0
        self.is_over = False
        """Whether the time was too short."""

    @asynccontextmanager
    async def running(self, seconds: float) -> AsyncIterator[None]:
        """Raises TimeoutError when so many seconds are over. What runs within another shares its time."""
        if self._limit is None:
            limit = asyncio.timeout(seconds)
            try:
                async with limit as self._limit:
                    yield
            finally:
                self._limit, self.is_over = None, limit.expired()
            return
        stops, self._stops = self._stops, 0
        if stops:
            self._go_on()
        try:
            yield
        finally:
            self._stops = stops
            if stops:
                self._stand_still()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let the time stand."""
        self._stops += 1
        if self._stops == 1:
            self._stand_still()
        try:
            yield
        finally:
            self._stops -= 1
            if self._stops == 0:
                self._go_on()

    def _stand_still(self) -> None:
        if self._limit is not None and not self._limit.expired():
            now = asyncio.get_running_loop().time()
            self._left = (self._limit.when() or now) - now
            self._limit.reschedule(None)

    def _go_on(self) -> None:
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time() + self._left)


class Asker(Protocol):
    """A request, as far as the log has to know it."""

    @property
    def id(self) -> str:
        """Its name."""

    @property
    def client(self) -> str:
        """The client's address."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the code of the project in `folder`, that of each request for at most so many `seconds`."""

    folder: Path
    seconds: float

    @asynccontextmanager
    async def watch(self, otherwise: str, request: Asker, clock: CodeClock) -> AsyncIterator[None]:
        """What goes on inside ends in time. What it raises, but for errors that callers may see, is logged and becomes
        LoggedError; `otherwise` is the place of what never came into the project's code."""
        try:
            async with clock.running(self.seconds):
                yield
        except OctavoError:
            raise
        except TimeoutError as error:
            if not clock.is_over:
                self.log(error, otherwise, request)
                raise LoggedError from error
            place = failure_place(_innermost(error), self.folder, otherwise)
            logger.error("Request %s: %s: stopped after %g s", request.id, place, self.seconds)
            raise LoggedError from error
        except Exception as error:
            outage = out_of_room(error)
            if outage is None:
                self.log(error, otherwise, request)
            raise outage or LoggedError from error

    def log(self, error: BaseException, otherwise: str, request: Asker) -> None:
        """Tell of an error that nobody expected: for which request, and where in the project's code."""
        place = failure_place(error, self.folder, otherwise)
        logger.error("Request %s: %s: %s", request.id, place, describe(error), exc_info=error)


def _innermost(error: BaseException) -> BaseException:
    """What a time limit was made of: the place where the code waited is in the cancellation behind it."""
    behind = error.__cause__ or error.__context__
    return error if behind is None else _innermost(behind)
