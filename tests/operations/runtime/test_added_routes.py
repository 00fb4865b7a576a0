"""Routes added to those of content types."""

import pytest

from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Router
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.operations.runtime.site import free_path


async def answer(request: Request) -> Response:
    return Response(200, b"", "text/plain")


def test_the_feed_avoids_the_path_of_a_content_type(caplog: pytest.LogCaptureFixture) -> None:
    router = Router()
    router.add("GET", "/api/:anything", answer)
    assert free_path(router, "/api", "/events") == "/events"
    router.add("GET", "/api/events", answer)
    assert free_path(router, "/api", "/events") == "/_events"
    assert "GET /api/events is in use: the event stream is at /api/_events" in caplog.text
    router.add("GET", "/api/changes", answer)
    with pytest.raises(StartFailed, match="GET /api/changes is in use"):
        free_path(router, "/api", "/changes")
    router.add("GET", "/api/_events", answer)
    with pytest.raises(StartFailed, match="GET /api/events is in use"):
        free_path(router, "/api", "/events")
