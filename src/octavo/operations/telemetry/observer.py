"""The access log, and one observer of requests for all purposes, because each call would cost every request.

The log has one line per request, without query strings, bodies, and headers other than the user agent. Fields have the
names of OpenTelemetry's semantic conventions.
"""

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Any, Final

from octavo.api.http.observers import FAILED, Observer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.core.errors import OctavoError
from octavo.operations.telemetry.metrics import Measures

logger = logging.getLogger("octavo.access")

_TEXT: Final = "%s %r %d in %.2f ms for %s"
_SAME: Final = logging.LogRecord(logger.name, logging.INFO, "", 0, _TEXT, None, None).__dict__
"""Fields that all records share: finding code location and thread takes longer than writing the record."""


def log_request(request: Request, response: Response, seconds: float, caller: Any) -> None:
    """Log a finished request. `caller` is the authenticated actor, or None."""
    if not logger.isEnabledFor(logging.INFO):
        return
    path, now, client = str(request.scope["path"]), time.time(), request.client
    fields = {
        "http.request.method": request.method,
        "url.path": path,
        "http.route": request.route,
        "http.response.status_code": response.status,
        "http.response.body.size": max(response.length, 0),
        "http.server.request.duration": round(seconds, 6),
        "client.address": client,
        "user_agent.original": request.user_agent,
    }
    if caller is not None and caller.id is not None:
        fields["user.id"] = f"{caller.kind}:{caller.id}"
    record = logging.LogRecord.__new__(logging.LogRecord)
    record.__dict__ = {
        **_SAME,
        "args": (request.method, path, response.status, seconds * 1000, client or "unknown"),
        "created": now,
        "msecs": now % 1 * 1000,
        "process": os.getpid(),
        "fields": fields,
    }
    logger.handle(record)


class AllObservers:
    """Reports requests of at least `slow_from` seconds to `slow`, and the durations of all to the metrics.

    The access log gets every `log_every`-th request and all failed ones, or none if it is 0. `identify` returns the
    caller for an Authorization header, for cached responses, which need no authentication. Implements
    `http.observers.Look`.
    """

    def __init__(
        self,
        slow: Observer,
        slow_from: float,
        measures: Measures | None,
        log_every: int,
        identify: Callable[[str | None], Any] = lambda _: None,
    ) -> None:
        self.noted = None if measures is None else measures.noted_requests
        self.slow_from = slow_from
        self.left: float = log_every or inf
        self._slow = slow
        self._log_every = log_every
        self._identify = identify

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        is_logged = self._log_every > 0 and (self.left <= 0 or response.status >= FAILED)
        if self.left <= 0:
            self.left = self._log_every
        if seconds >= self.slow_from:
            self._slow(request, response, seconds)
        if is_logged:
            log_request(request, response, seconds, request.actor or self._caller(request))

    def _caller(self, request: Request) -> Any:
        with suppress(OctavoError):
            return self._identify(request.header("authorization"))
