"""Live answers: those that go on for hours, until they are ended, the client leaves, or the service stops.

They are no requests under way: they are not counted among them, and what is limited in time is only each piece, which
the client has to take.
"""

import asyncio
from contextlib import aclosing, suppress
from math import inf

from octavo.api.http.dispatcher import Dispatcher
from octavo.api.http.request import Request, Send
from octavo.api.http.response import LiveResponse


class LiveAnswers:
    """The live answers of a process, each with the dispatcher that gave it."""

    def __init__(self) -> None:
        self._running: dict[Request, tuple[Dispatcher, LiveResponse]] = {}
        self._are_over = False

    def __bool__(self) -> bool:
        return bool(self._running)

    def of(self, dispatcher: Dispatcher) -> bool:
        """Whether some are given by a dispatcher."""
        return any(one is dispatcher for one, _ in self._running.values())

    def end(self, dispatcher: Dispatcher | None = None) -> None:
        """Let those of a dispatcher end; or all, now and from now on: the service stops."""
        self._are_over = self._are_over or dispatcher is None
        for one, response in tuple(self._running.values()):
            if dispatcher is None or one is dispatcher:
                response.end()

    def stop_late(self, now: float) -> None:
        """Give up those whose client does not take what it is sent."""
        for request in tuple(self._running):
            if request.deadline < now:
                request.give_up()

    async def send(self, request: Request, response: LiveResponse, dispatcher: Dispatcher, send: Send) -> None:
        """Send the body of an answer, which has begun, to its end."""
        loop, seconds = asyncio.get_running_loop(), dispatcher.options.request_seconds
        if self._are_over or request.method == "HEAD":
            response.end()
        self._running[request] = (dispatcher, response)
        leaving = loop.create_task(_end_when_left(request, response))
        request.deadline = inf
        try:
            async with aclosing(response.chunks) as chunks:
                async for chunk in chunks:
                    request.deadline = loop.time() + seconds
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
