"""Live responses, which continue for hours until they are ended, the client disconnects, or the service stops.

They do not count as running requests. Only sending each chunk has a time limit.
"""

import asyncio
from contextlib import aclosing, suppress
from math import inf
from time import monotonic

from octavo.api.http.dispatcher import Dispatcher
from octavo.api.http.request import Request, Send
from octavo.api.http.response import LiveResponse


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
