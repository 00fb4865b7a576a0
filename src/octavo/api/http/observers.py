"""Observers of finished requests, and the count of each request's statements."""

from collections import deque
from collections.abc import Callable, Mapping
from math import inf
from typing import Final, Protocol, TypeAlias

from octavo.api.http.request import Request, StatementSummary
from octavo.api.http.response import Response
from octavo.events.origin import WORK, Origin

FAILED: Final = 500
"""Statuses from this one on are failures."""

Observer: TypeAlias = Callable[[Request, Response, float], None]
"""Called with a request, its response, and the seconds between them."""


class Look(Protocol):
    """Observes some requests.

    Durations of all requests are recorded without a call, which every request would pay for.
    """

    left: float
    """Decremented by each request. The observer is called when it reaches 0, and resets it."""

    @property
    def noted(self) -> Mapping[tuple[str, str, int], deque[float]] | None:
        """Receives the seconds of each request by method, route template and status, or None to record none."""

    @property
    def slow_from(self) -> float:
        """The observer is called for requests that take at least this many seconds, and for failed ones."""

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        """Observe a request that took so many seconds."""


class Nobody:
    """An observer that does nothing."""

    noted = None
    slow_from = left = inf

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        """Do nothing."""


def note_statement(text: str, seconds: float) -> None:
    """Count a statement for the current request. Its text does not contain values."""
    work = WORK.get()
    while isinstance(work, Origin) and work.within is not None:
        work = work.within
    if not isinstance(work, Request):
        return
    seen = work.statements
    if seen is None:
        seen = work.statements = StatementSummary()
    seen.number += 1
    seen.seconds += seconds
    if seconds >= seen.longest:
        seen.longest, seen.slowest = seconds, text
