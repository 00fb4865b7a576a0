"""Error responses: the envelope `{data: null, error}` of REST, and a few bare ones."""

from typing import Any

from octavo.api.http.response import Headers, Response, render_json
from octavo.core.errors import OctavoError, ServiceUnavailable


def render_error(error: OctavoError, headers: Headers = ()) -> Response:
    """Return an error as a response."""
    if isinstance(error, ServiceUnavailable):
        headers = (*headers, (b"retry-after", b"%d" % error.retry_after))
    if error.bare:
        return render_json(error.status, {"error": error.message}, headers)
    content: dict[str, Any] = {"status": error.status, "name": error.name, "message": error.message}
    if error.details is not None:
        content["details"] = error.details
    return render_json(error.status, {"data": None, "error": content}, headers)
