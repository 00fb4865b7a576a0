"""The access log: one line per request, without query strings, bodies, and headers other than the user agent.

Fields have the names of OpenTelemetry's semantic conventions.
"""

import logging
import os
import time
from typing import Any, Final

from octavo.api.http.request import Request
from octavo.api.http.response import Response

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
