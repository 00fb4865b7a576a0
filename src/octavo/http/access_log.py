"""The access log: a line for each request, or for one of so many. Nothing of a query, a header or a body is in it."""

import logging

from octavo.http.request import Request
from octavo.http.response import Response

logger = logging.getLogger("octavo.access")

_FAILED = 500


class AccessLog:
    """Tells one of `sample` requests, and all that were answered with 500 and above."""

    def __init__(self, sample: int = 1) -> None:
        self._sample = sample
        self._seen = 0

    def __call__(self, request: Request, response: Response, seconds: float) -> None:
        self._seen += 1
        if self._seen % self._sample and response.status < _FAILED:
            return
        fields = {
            "method": request.method,
            "path": str(request.scope["path"]),
            "route": request.route,
            "status": response.status,
            "milliseconds": round(seconds * 1000, 2),
            "bytes": max(response.length, 0),
        }
        text = "%s %r %d in %.2f ms"
        values = request.method, fields["path"], response.status, seconds * 1000
        logger.info(text, *values, extra={"fields": fields})
