"""One observer of requests for all purposes: each additional call would cost every request."""

from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Any

from octavo.api.http.access_log import log_request
from octavo.api.http.observers import FAILED, Observer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import OctavoError
from octavo.operations.telemetry.metrics import Measures


class AllObservers:
    """Reports requests of at least `slow_from` seconds to `slow`, and the durations of all to the metrics.

    The access log gets every `told_of`-th request and all failed ones, or none if it is 0. `identify` returns the
    caller for an Authorization header, for cached responses, which need no authentication. Implements
    `http.observers.Look`.
    """

    def __init__(
        self,
        slow: Observer,
        slow_from: float,
        measures: Measures | None,
        told_of: int,
        identify: Callable[[str | None], Any] = lambda _: None,
    ) -> None:
        self.noted = None if measures is None else measures.noted_requests
        self.slow_from = slow_from
        self.left: float = told_of or inf
        self._slow = slow
        self._told_of = told_of
        self._identify = identify

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        is_logged = self._told_of > 0 and (self.left <= 0 or response.status >= FAILED)
        if self.left <= 0:
            self.left = self._told_of
        if seconds >= self.slow_from:
            self._slow(request, response, seconds)
        if is_logged:
            log_request(request, response, seconds, request.actor or self._caller(request))

    def _caller(self, request: Request) -> Any:
        with suppress(OctavoError):
            return self._identify(request.header("authorization"))
