"""Errors as answers: the one JSON body that all of them have over REST, `{data: null, error}`."""

from typing import Any

from octavo.errors import OctavoError, ServiceUnavailable
from octavo.http.response import Headers, Response, render_json


def render_error(error: OctavoError, headers: Headers = ()) -> Response:
    """The error envelope."""
    if isinstance(error, ServiceUnavailable):
        headers = (*headers, (b"retry-after", b"%d" % error.retry_after))
    content: dict[str, Any] = {"status": error.status, "name": error.name, "message": error.message}
    if error.details is not None:
        content["details"] = error.details
    return render_json(error.status, {"data": None, "error": content}, headers)
