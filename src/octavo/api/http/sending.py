"""Send responses without a handler, files, live responses, and large responses in chunks, with limits of unsent data.

Live responses continue for hours, until they are ended, the client disconnects, or the service stops. They do not count
as running requests; only sending each chunk has a time limit.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable
from contextlib import aclosing, suppress
from math import inf
from time import monotonic
from typing import Final

from octavo.api.http.client_limits import count_of, share_of
from octavo.api.http.dispatcher import PROBES, Dispatcher, render_outage
from octavo.api.http.options import HttpOptions
from octavo.api.http.request import Receive, Request, Send
from octavo.api.http.response import FileResponse, LiveResponse, Response, render_error
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
    if request.is_cut:
        return render_outage(ServiceUnavailable("The service is stopping", reason="it was stopped during the request"))
    if request.is_awaiting_chunk:
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


class LiveAnswers:
    """The live responses of a process, each with its dispatcher."""

    def __init__(self) -> None:
        self._running: dict[Request, tuple[Dispatcher, LiveResponse]] = {}
        self._are_over = False

    def __bool__(self) -> bool:
        return bool(self._running)

    def of(self, dispatcher: Dispatcher) -> bool:
        """Return whether a dispatcher has live responses."""
        return any(one is dispatcher for one, _ in self._running.values())

    def end(self, dispatcher: Dispatcher | None = None) -> None:
        """End the live responses of a dispatcher, or all current and future ones when the service stops."""
        self._are_over = self._are_over or dispatcher is None
        for one, response in tuple(self._running.values()):
            if dispatcher is None or one is dispatcher:
                response.end()

    def stop_late(self, now: float) -> None:
        """Cancel responses whose client does not read them."""
        for request in tuple(self._running):
            if request.deadline < now:
                request.give_up()

    async def send(self, request: Request, response: LiveResponse, dispatcher: Dispatcher, send: Send) -> None:
        """Send the body of a started response to its end."""
        seconds = dispatcher.options.request_seconds
        if self._are_over or request.method == "HEAD":
            response.end()
        self._running[request] = (dispatcher, response)
        leaving = asyncio.get_running_loop().create_task(_end_when_left(request, response))
        request.deadline = inf
        try:
            async with aclosing(response.chunks) as chunks:
                async for chunk in chunks:
                    request.deadline = monotonic() + seconds
                    if request.method != "HEAD":
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
                    request.deadline = inf
            await send({"type": "http.response.body", "body": b""})
        finally:
            leaving.cancel()
            with suppress(asyncio.CancelledError):
                await leaving
            del self._running[request]


async def _end_when_left(request: Request, response: LiveResponse) -> None:
    await request.left()
    response.end()


PIECE: Final = 256 * 1024
"""Bytes; smaller responses are sent in one piece."""
_GRACE_SECONDS: Final = 1.0
"""How long a client can take before its rate is compared with others."""


class Transfer:
    """A response being sent to a client. `left` is the number of unsent bytes. `close` aborts it."""

    __slots__ = ("began", "client", "close", "left", "size")

    def __init__(self, client: str | None, size: int, began: float, close: Callable[[], None]) -> None:
        self.client = client
        self.size = self.left = size
        self.began = began
        self.close = close

    def rate(self, now: float) -> float:
        """Return the rate at which the client has read, in bytes per second."""
        return (self.size - self.left) / (now - self.began)


class Transfers:
    """The large responses that a process is sending."""

    def __init__(self) -> None:
        self._under_way: dict[Transfer, None] = {}

    def __bool__(self) -> bool:
        return bool(self._under_way)

    @property
    def waiting_bytes(self) -> int:
        """The number of unsent bytes of all responses."""
        return sum(transfer.left for transfer in self._under_way)

    async def send(
        self, body: bytes, send: Send, transfer: Transfer, options: HttpOptions, touch: Callable[[], None]
    ) -> None:
        """Send a body after its headers. `touch` is called before each chunk."""
        self._under_way[transfer] = None
        self.close_slow(options)
        try:
            for start in range(0, len(body), PIECE):
                touch()
                piece = body[start : start + PIECE]
                more = start + PIECE < len(body)
                await send({"type": "http.response.body", "body": piece, "more_body": more})
                transfer.left -= len(piece)
        finally:
            self._under_way.pop(transfer, None)

    def close_slow(self, options: HttpOptions) -> None:
        """Close the slowest transfers while unsent bytes exceed the limits per client or in total."""
        if not self._under_way:
            return
        now = monotonic()
        of_clients: dict[str, list[Transfer]] = {}
        for transfer in self._under_way:
            if transfer.client is not None:
                of_clients.setdefault(transfer.client, []).append(transfer)
        share = share_of(options.max_unsent, options.max_unsent_each)
        for transfers in of_clients.values():
            self._close_until(share, transfers, now)
        self._close_until(options.max_unsent, self._under_way, now)

    def _close_until(self, most: int, transfers: Iterable[Transfer], now: float) -> None:
        waiting = sum(transfer.left for transfer in transfers)
        if waiting <= most:
            return
        slow = [transfer for transfer in transfers if now - transfer.began >= _GRACE_SECONDS]
        for transfer in sorted(slow, key=lambda one: one.rate(now)):
            waiting -= transfer.left
            self._under_way.pop(transfer, None)
            transfer.close()
            if waiting <= most:
                return
