"""The access log: a line for a request. Nothing of a query, a header or a body is in it."""

import logging

from octavo.http.request import Request
from octavo.http.response import Response

logger = logging.getLogger("octavo.access")


def tell_request(request: Request, response: Response, seconds: float) -> None:
    """Tell a request that was answered."""
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
