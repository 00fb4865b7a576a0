"""Answer requests while the start waits for the database.

`/_health` returns 204, because a restart would not help. All other requests return 503 with a reason. The server that
follows uses the same address, so this one closes each connection after its response.
"""

import asyncio
import logging
import socket
from contextlib import suppress
from typing import Final

from octavo.api.http.response import Response, render_error, render_json
from octavo.core.errors import ServiceUnavailable
from octavo.operations.runtime.service_manager import longer, notify_service_manager, status

logger = logging.getLogger(__name__)

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
