"""One observer for all who look at requests: each call more would cost every request."""

from typing import Final

from octavo.http.access_log import tell_request
from octavo.http.observing import Observer
from octavo.http.request import Request
from octavo.http.response import LiveResponse, Response
from octavo.telemetry.measures import Measures

_FAILED: Final = 500
_ENDLESS_SECONDS: Final = 1.0


class AllObservers:
    """Tells `slow` of those that took so many seconds, the measures of all, and the access log of one of `told_of` (0:
    of none) and of all that were answered with 500 and above. Answers that go on for hours count as begun.

    All are counted, by what is known of them without a request; the request itself few want to see.
    """

    def __init__(self, slow: Observer, slow_from: float, measures: Measures | None, told_of: int) -> None:
        self._slow = slow
        self._slow_from = slow_from
        self._measures = measures
        self._noted = {} if measures is None else measures.noted_requests
        self._told_of = told_of
        self._left = told_of

    def counts(self, method: str, route: str, response: Response, seconds: float) -> bool:
        """Count an answer; whether somebody wants to see its request."""
        if self._measures is not None:
            noted = self._noted.get((method, route, response.status))
            if noted is None:
                noted = self._measures.begin(method, route, response.status)
            noted.append(0.0 if seconds > _ENDLESS_SECONDS and isinstance(response, LiveResponse) else seconds)
        if self._told_of:
            self._left -= 1
            if self._left <= 0 or response.status >= _FAILED:
                return True
        return seconds >= self._slow_from

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        """Tell of a request that was counted."""
        if seconds >= self._slow_from:
            self._slow(request, response, seconds)
        if self._told_of and (self._left <= 0 or response.status >= _FAILED):
            self._left = self._left if self._left > 0 else self._told_of
            tell_request(request, response, seconds)
