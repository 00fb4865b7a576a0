"""Wait for the database at a start, and answer requests meanwhile. It may be down, or locked by another program."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, Protocol, TypeVar

from octavo.api.http.response import Response, render_error, render_json
from octavo.core.clock import SYSTEM_CLOCK, Clock
from octavo.core.errors import ServiceUnavailable
from octavo.operations.runtime.prepare_database import DatabaseUnavailable
from octavo.operations.runtime.service_manager import longer, notify_service_manager, status

logger = logging.getLogger(__name__)
T = TypeVar("T")

_PAUSES: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between attempts. The last pause repeats."""


class WaitObserver(Protocol):
    """Informs others while the start waits."""

    async def waiting(self, reason: str, pause: float) -> None:
        """Handle a failed attempt. The next one follows after `pause` seconds."""

    async def finished(self) -> None:
        """Handle the end of the wait, which can have failed."""


class _NoObserver:
    async def waiting(self, reason: str, pause: float) -> None:
        pass

    async def finished(self) -> None:
        pass


class StartWait:
    """How long a start repeats attempts that fail because of the database: `seconds`, or without limit if None."""

    def __init__(
        self, seconds: float | None, *, pauses: Sequence[float] = _PAUSES, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        self.observer: WaitObserver = _NoObserver()
        self._seconds = seconds
        self._pauses = pauses
        self._clock = clock
        self._since: float | None = None
        self._failures = 0

    async def until_available(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Return the result of an attempt. Raises DatabaseUnavailable of the last one when the time is over.

        All attempts of a start share its time, which begins with the first failure.
        """
        while True:
            try:
                return await attempt()
            except DatabaseUnavailable as error:
                pause = self._next_pause()
                if pause is None:
                    raise
                logger.warning("%s; the start continues to wait%s and tries again in %g s", error, self._rest(), pause)
                await self.observer.waiting(str(error), pause)
                await asyncio.sleep(pause)

    async def __aenter__(self) -> None:
        """Begin the attempts of a start."""

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the wait. Log how long it took, if the start had to wait."""
        if self._since is not None and kind is None:
            logger.info("The database is available after %.0f s", self._clock.steady() - self._since)
        self._since, self._failures = None, 0
        await self.observer.finished()

    def _next_pause(self) -> float | None:
        """Return the seconds until the next attempt, or None if there is no time left."""
        now = self._clock.steady()
        if self._since is None:
            self._since = now
        pause = self._pauses[min(self._failures, len(self._pauses) - 1)]
        self._failures += 1
        if self._seconds is None:
            return pause
        left = self._since + self._seconds - now
        return min(pause, left) if left > 0 else None

    def _rest(self) -> str:
        if self._seconds is None or self._since is None:
            return ""
        return f" for up to {max(0.0, self._since + self._seconds - self._clock.steady()):.0f} s"


REASON: Final = "starting: the database is not available yet"
_MESSAGE: Final = "The service is starting and waits for its database"
_ATTEMPT_SECONDS: Final = 120.0
"""More than the time of one attempt, which can wait for locks."""
_HEAD_SECONDS: Final = 5.0
_MOST_CONNECTIONS: Final = 200
_PHRASES: Final = {204: "No Content", 503: "Service Unavailable"}


class StartingServer:
    """Listens from the first failed attempt to the end of the wait, and informs the service manager."""

    def __init__(self, host: str, port: int, kept_path: str = "", listener: socket.socket | None = None) -> None:
        self._host = host
        self._port = port
        self._listener = listener
        self._kept_path = kept_path.lower().encode()
        self._server: asyncio.Server | None = None
        self._handlers: set[asyncio.Task[None]] = set()
        self._has_waited = False

    async def waiting(self, reason: str, pause: float) -> None:
        """Inform the service manager of a failed attempt, and listen."""
        self._has_waited = True
        notify_service_manager(f"{status(reason)}\n{longer(pause + _ATTEMPT_SECONDS)}")
        if self._server is None:
            try:
                self._server = await self._listen()
            except OSError as error:
                logger.warning("Cannot answer requests during the start: %s", error)

    async def _listen(self) -> asyncio.Server:
        if self._listener is None:
            return await asyncio.start_server(self._handle, self._host, self._port)
        own = self._listener.dup()  # closed with this server
        start = asyncio.start_unix_server if own.family == socket.AF_UNIX else asyncio.start_server
        return await start(self._handle, sock=own)

    async def finished(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for handler in self._handlers:
            handler.cancel()
        if self._handlers:
            await asyncio.wait(self._handlers)
        if self._has_waited:
            notify_service_manager(f"{status('The database is available')}\n{longer(_ATTEMPT_SECONDS)}")
            self._has_waited = False

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        try:
            if len(self._handlers) <= _MOST_CONNECTIONS:
                async with asyncio.timeout(_HEAD_SECONDS):
                    writer.write(_answer(self._kept_path, await reader.readuntil(b"\r\n\r\n")))
                    await writer.drain()
        except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # no complete request
        finally:
            self._handlers.discard(task)
            with suppress(OSError):
                writer.close()


def _answer(kept_path: bytes, head: bytes) -> bytes:
    """Return the response to a request, without a body for HEAD. Its path may begin with `kept_path`."""
    method, _, rest = head.partition(b" ")
    path = rest.partition(b" ")[0].partition(b"?")[0].lower().rstrip(b"/")
    response = _response(path.removeprefix(kept_path))
    body = b"" if method == b"HEAD" else response.body
    lines = [
        b"HTTP/1.1 %d %s" % (response.status, _PHRASES[response.status].encode()),
        *(name + b": " + value for name, value in response.headers),
        b"connection: close",
    ]
    if response.status != 204:
        lines += [b"content-type: " + response.content_type.encode(), b"content-length: %d" % len(response.body)]
    return b"\r\n".join([*lines, b"", body])


def _response(path: bytes) -> Response:
    if path == b"/_health":
        return Response(204, b"", "")
    if path == b"/_ready":
        return render_json(503, {"ready": False, "reasons": [REASON]}, ((b"cache-control", b"no-store"),))
    return render_error(ServiceUnavailable(_MESSAGE))
