"""Slow requests of this process: the latest ones, within a memory limit, without values that callers sent."""

import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from octavo.api.http.request import Request
from octavo.api.http.response import LiveResponse, Response
from octavo.core.clock import this_moment
from octavo.core.values import dataclass

SLOW: Final = 1.0
"""Seconds from which a request is slow."""
_MOST_BYTES: Final = 256 * 1024
_LONGEST_PATH: Final = 200
_LONGEST_SHAPE: Final = 500
LONGEST_STATEMENT: Final = 4000
_BESIDE: Final = 400
"""Bytes of a record besides its texts."""
_KEY: Final = re.compile(r"[\w$.\[\]-]{1,100}(?==)")


@dataclass(frozen=True, slots=True)
class SlowRequest:
    """A finished slow request. `at` is milliseconds since 1970, `shape` the names of its parameters.

    If statements are observed: their number, their total duration, and the slowest one.
    """

    at: int
    method: str
    path: str
    status: int
    milliseconds: int
    request: str = ""
    route: str = ""
    shape: str = ""
    statements: int = 0
    statement_milliseconds: int = 0
    slowest: str = ""
    slowest_milliseconds: int = 0
    plan: str = ""
    """The query plan of the slowest statement, once it is known."""
    looked_for: Mapping[str, Any] | None = None
    """The conditions of the slowest statement (`query.plan.index_candidates`), if known."""

    @property
    def size(self) -> int:
        """The maximum size in bytes, at four bytes a character."""
        return _BESIDE + 4 * (len(self.path) + len(self.shape) + len(self.slowest))


class SlowRequests:
    """An observer that stores requests of at least `seconds`."""

    def __init__(self, seconds: float = SLOW) -> None:
        self.seconds = seconds
        self.note: Callable[[str], None] | None = None
        """Called with the slowest statement of each slow request."""
        self._kept: deque[SlowRequest] = deque()
        self._size = 0

    def all(self) -> list[SlowRequest]:
        """Return the slow requests, newest first."""
        return [*reversed(self._kept)]

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        """Store a finished request if it was slow. Live responses are ignored."""
        if seconds >= self.seconds and not isinstance(response, LiveResponse):
            self._keep(_slow(request, response, seconds))
            if self.note is not None and request.statements is not None:
                self.note(request.statements.slowest)

    def _keep(self, one: SlowRequest) -> None:
        self._kept.append(one)
        self._size += one.size
        while self._size > _MOST_BYTES:
            self._size -= self._kept.popleft().size


def _slow(request: Request, response: Response, seconds: float) -> SlowRequest:
    seen = request.statements
    return SlowRequest(
        at=this_moment(),
        method=request.method[:_LONGEST_SHAPE],
        path=str(request.scope["path"])[:_LONGEST_PATH],
        status=response.status,
        milliseconds=round(seconds * 1000),
        request=request.id,
        route=request.route,
        shape=shape_of(request.scope["query_string"]),
        statements=seen.number if seen else 0,
        statement_milliseconds=round(seen.seconds * 1000) if seen else 0,
        slowest=seen.slowest[:LONGEST_STATEMENT] if seen else "",
        slowest_milliseconds=round(seen.longest * 1000) if seen else 0,
    )


def shape_of(query: bytes) -> str:
    """Return the names of a query's parameters as they were sent, without values and parameters without a value."""
    names = (_KEY.match(part) for part in query[: 8 * _LONGEST_SHAPE].decode("latin-1").split("&"))
    return "&".join(name[0] for name in names if name)[:_LONGEST_SHAPE]
