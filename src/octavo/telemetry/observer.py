"""One observer for all who look at requests: each call more would cost every request."""

from typing import Final

from octavo.http.access_log import tell_request
from octavo.http.observing import Observer
from octavo.http.request import Request
from octavo.http.response import LiveResponse, Response
from octavo.telemetry.measures import Measures

_FAILED: Final = 500
_ENDLESS_SECONDS: Final = 1.0


def join_observers(slow: Observer, slow_from: float, measures: Measures | None, told_of: int) -> Observer:
    """Tell `slow` of those that took so many seconds, the measures of all, and the access log of one of `told_of` (0:
    of none) and of all that were answered with 500 and above. Answers that go on for hours count as begun."""
    left = told_of
    noted_requests = None if measures is None else measures.noted_requests

    def observe(request: Request, response: Response, seconds: float) -> None:
        nonlocal left
        if seconds >= slow_from:
            slow(request, response, seconds)
        if noted_requests is not None and measures is not None:
            noted = noted_requests.get((request.method, request.route, response.status))
            if noted is None:
                noted = measures.begin(request.method, request.route, response.status)
            noted.append(0.0 if seconds > _ENDLESS_SECONDS and isinstance(response, LiveResponse) else seconds)
        if told_of:
            left -= 1
            if not left:
                left = told_of
                tell_request(request, response, seconds)
            elif response.status >= _FAILED:
                tell_request(request, response, seconds)

    return observe
