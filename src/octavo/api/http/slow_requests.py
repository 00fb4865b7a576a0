"""Requests that took long: the newest of this process, within some bytes, without any value that a caller sent."""

import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from octavo.api.http.request import Request
from octavo.api.http.response import LiveResponse, Response
from octavo.core.clock import this_moment
from octavo.core.values import dataclass

SLOW: Final = 1.0
"""Seconds."""
_MOST_BYTES: Final = 256 * 1024
_LONGEST_PATH: Final = 200
_LONGEST_SHAPE: Final = 500
LONGEST_STATEMENT: Final = 4000
_BESIDE: Final = 400
"""Bytes that one takes besides its texts."""
_KEY: Final = re.compile(r"[\w$.\[\]-]{1,100}(?==)")


@dataclass(frozen=True, slots=True)
class SlowRequest:
    """One that was answered. `at` is milliseconds since 1970; `shape` the names of its parameters; of its statements
    are told how many, how long they took together, and the slowest of them, where they were watched."""

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
    """How the database runs the slowest of them, once it was asked."""
    looked_for: Mapping[str, Any] | None = None
    """What that looks for (`query.plan.index_candidates`), where it is known."""

    @property
    def size(self) -> int:
        """Bytes that it takes, at most four for a character."""
        return _BESIDE + 4 * (len(self.path) + len(self.shape) + len(self.slowest))


class SlowRequests:
    """Remembers those that took `seconds` and more: an observer."""

    def __init__(self, seconds: float = SLOW) -> None:
        self.seconds = seconds
        self.note: Callable[[str], None] | None = None
        """Who is told of the slowest statement of each."""
        self._kept: deque[SlowRequest] = deque()
        self._size = 0

    def all(self) -> list[SlowRequest]:
        """The newest first."""
        return [*reversed(self._kept)]

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        """Remember a request that has just been answered, if it was slow; answers that go on for long are none."""
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
    """The names of a query's parameters, as they were sent; never a value, nor what has no value of its own."""
    names = (_KEY.match(part) for part in query[: 8 * _LONGEST_SHAPE].decode("latin-1").split("&"))
    return "&".join(found[0] for found in names if found)[:_LONGEST_SHAPE]
