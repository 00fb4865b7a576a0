"""Requests that took long: the newest of this process, by their paths alone."""

from collections import deque
from dataclasses import dataclass
from typing import Final

from octavo.clock import this_moment
from octavo.http.observing import Answered
from octavo.http.response import LiveResponse

SLOW: Final = 1.0
"""Seconds."""
_MOST: Final = 50
_LONGEST_PATH: Final = 200


@dataclass(frozen=True, slots=True)
class SlowRequest:
    """One that was answered. `at` is milliseconds since 1970."""

    at: int
    method: str
    path: str
    status: int
    milliseconds: int


class SlowRequests:
    """Remembers those that took `SLOW` seconds and more. Query texts are not kept: they may hold secrets."""

    def __init__(self) -> None:
        self._kept: deque[SlowRequest] = deque(maxlen=_MOST)

    def all(self) -> list[SlowRequest]:
        """The newest first."""
        return [*reversed(self._kept)]

    def look(self, answered: Answered) -> None:
        """Remember a request that has just been answered, if it was slow; answers that go on for long are none."""
        if answered.seconds < SLOW or isinstance(answered.response, LiveResponse):
            return
        request, milliseconds = answered.request, round(answered.seconds * 1000)
        path = str(request.scope["path"])[:_LONGEST_PATH]
        self._kept.append(SlowRequest(this_moment(), request.method, path, answered.response.status, milliseconds))
