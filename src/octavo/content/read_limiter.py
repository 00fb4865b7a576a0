"""Limit the reads whose size clients choose by nested lists: concurrency, and the errors for excessive reads.

Each can use a connection until the statement timeout. Limiting their number leaves connections for short reads and
writes, and bounds the memory for responses.
"""

import asyncio
from types import TracebackType
from typing import Final

from octavo.core.errors import Problem, ServiceUnavailable, ValidationError
from octavo.query.plan.nesting import Nesting

PATIENCE_SECONDS: Final = 15.0
_KILOBYTE: Final = 1024


class ReadLimiter:
    """A context with a maximum number of concurrent entries; others wait in order, up to a timeout."""

    def __init__(self, places: int, patience: float) -> None:
        self._places = asyncio.Semaphore(places)
        self._patience = patience

    async def __aenter__(self) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await self._places.acquire()
        except TimeoutError as error:
            busy = f"no free slot within {self._patience:g} s"
            raise ServiceUnavailable("Too many large reads are waiting", reason=busy) from error

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._places.release()


def too_large(largest: int, found: Nesting) -> ValidationError:
    """Return the error for a response larger than `largest` bytes."""
    return _refused(f"The response would be larger than {_size(largest)}", found)


def too_long(found: Nesting) -> ValidationError:
    """Return the error for nested lists that exceed the statement timeout."""
    return _refused("The response would take too long", found)


def _refused(what: str, found: Nesting) -> ValidationError:
    if not found.path:
        return ValidationError.from_problems([Problem((), f"{what}. Request fewer entries")])
    advice = f"Request fewer levels, or fewer entries at {'.'.join(found.path)}"
    return ValidationError.from_problems([Problem(found.path, f"{what}. {advice}")])


def _size(number: int) -> str:
    for unit, factor in (("MB", _KILOBYTE**2), ("kB", _KILOBYTE)):
        if number >= factor and number % factor == 0:
            return f"{number // factor} {unit}"
    return f"{number} bytes"
