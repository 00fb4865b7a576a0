"""The access log: one line per request, without query strings, headers and bodies."""

import logging
import os
import time
from typing import Final

from octavo.api.http.request import Request
from octavo.api.http.response import Response

logger = logging.getLogger("octavo.access")

_TEXT: Final = "%s %r %d in %.2f ms"
_SAME: Final = logging.LogRecord(logger.name, logging.INFO, "", 0, _TEXT, None, None).__dict__
"""Fields that all records share: finding code location and thread takes longer than writing the record."""


def log_request(request: Request, response: Response, seconds: float) -> None:
    """Log a finished request."""
    if not logger.isEnabledFor(logging.INFO):
        return
    path, milliseconds, now = str(request.scope["path"]), seconds * 1000, time.time()
    fields = {
        "method": request.method,
        "path": path,
        "route": request.route,
        "status": response.status,
        "milliseconds": round(milliseconds, 2),
        "bytes": max(response.length, 0),
    }
    record = logging.LogRecord.__new__(logging.LogRecord)
    record.__dict__ = {
        **_SAME,
        "args": (request.method, path, response.status, milliseconds),
        "created": now,
        "msecs": now % 1 * 1000,
        "process": os.getpid(),
        "fields": fields,
    }
    logger.handle(record)
