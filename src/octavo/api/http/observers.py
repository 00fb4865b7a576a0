"""Who looks at requests once they are answered, and changes nothing."""

from collections import deque
from collections.abc import Callable, Mapping
from math import inf
from typing import Final, Protocol, TypeAlias

from octavo.api.http.request import Request
from octavo.api.http.response import Response

FAILED: Final = 500
"""A status from which on a request has failed."""


Observer: TypeAlias = Callable[[Request, Response, float], None]
"""Told a request, its answer, and how many seconds lay between them."""


class Look(Protocol):
    """Told of some requests. What is noted of all of them is noted without a call: each costs every request."""

    left: float
    """It is told of the request that makes this 0, however that was answered; it counts anew then."""

    @property
    def noted(self) -> Mapping[tuple[str, str, int], deque[float]] | None:
        """Takes the seconds of each request, by its method, the template of its route and its status; None: of none."""

    @property
    def slow_from(self) -> float:
        """It is told of all that took so many seconds, and of all that failed."""

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        """Look at a request that took so many seconds."""


class Nobody:
    """Nobody looks."""

    noted = None
    slow_from = left = inf

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        """Nothing."""
