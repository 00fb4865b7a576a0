"""Send responses without a handler, and files that are read while they are sent."""

from collections.abc import Collection
from contextlib import aclosing

from octavo.api.http.client_limits import count_of, share_of
from octavo.api.http.dispatcher import PROBES, render_outage
from octavo.api.http.error_response import render_error
from octavo.api.http.request import Receive, Request, Send
from octavo.api.http.response import FileResponse, Response
from octavo.core.errors import RateLimitError, RequestTimeoutError, ServiceUnavailable


def refuse_crowded(request: Request, running: Collection[Request], arriving: int, most: int) -> Response | None:
    """Return an error response if too many requests are running, in total or of one client, or None.

    `arriving` of the running ones do not count, because their bodies are still arriving. With fewer than `most` others,
    no limit can be reached. Health checks are exempt.
    """
    options, working = request.options, len(running) - arriving
    if working < most or request.raw_path.rstrip("/").lower() in PROBES:
        return None
    if working >= options.max_requests:
        return render_outage(ServiceUnavailable("Too many requests are waiting", reason=f"{working} are running"))
    client, share = request.client_key, share_of(options.max_requests, options.max_requests_each)
    if client is None or working < share or count_of(running, client) < share:
        return None
    return render_error(RateLimitError("Too many requests from your address are waiting, retry later"))


def answer_too_late(request: Request, seconds: float) -> Response:
    """Return the response to a request that was cancelled after so many seconds."""
    if request.task is not None:
        request.task.uncancel()
    if request.is_late:
        return render_error(RequestTimeoutError())
    reason = f"no response within {seconds:g} s"
    return render_outage(ServiceUnavailable("The request took too long", reason=reason))


async def close_websocket(receive: Receive, send: Send) -> None:
    """Close websocket connections, which are not supported."""
    await receive()
    await send({"type": "websocket.close", "code": 1000})


async def send_file(request: Request, response: FileResponse, send: Send) -> None:
    """Send a file in chunks, and close it."""
    try:
        if request.method != "HEAD":
            async with aclosing(response.chunks) as chunks:
                async for chunk in chunks:
                    request.touch()
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        response.close()
