"""The access log: a line for a request. Nothing of a query, a header or a body is in it."""

import logging
import os
import time
from typing import Final

from octavo.api.http.request import Request
from octavo.api.http.response import Response

logger = logging.getLogger("octavo.access")

_TEXT: Final = "%s %r %d in %.2f ms"
_SAME: Final = logging.LogRecord(logger.name, logging.INFO, "", 0, _TEXT, None, None).__dict__
"""What all its records share: to find the place in the code and the thread of each takes longer than to write it."""


def tell_request(request: Request, response: Response, seconds: float) -> None:
    """Tell a request that was answered."""
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
