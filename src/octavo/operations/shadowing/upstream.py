"""Connections of the proxy to the old service."""

import asyncio
import socket
import ssl
from collections import deque
from contextlib import suppress
from time import monotonic
from typing import Any, Final

import h11
import httpx2

from octavo.core.errors import OctavoError

_LARGEST_HEAD: Final = 256 * 1024
CHUNK: Final = 64 * 1024
_IDLE_SECONDS: Final = 3.0
"""Node.js closes idle connections after 5 seconds."""
_CONNECT_SECONDS: Final = 10.0
MOST_IDLE: Final = 256
_PORTS: Final = {"http": 80, "https": 443}


class OldServiceFailed(OctavoError):
    """The old service cannot be reached, or does not respond with HTTP."""


class _Reader(asyncio.StreamReader):
    """A stream that knows how many of its bytes are unread."""

    unread = 0

    def feed_data(self, data: Any) -> None:
        """Add received bytes."""
        self.unread += len(data)
        super().feed_data(data)

    async def read(self, n: int = -1) -> bytes:
        """Return at most `n` bytes, or none at the end."""
        data = await super().read(n)
        self.unread -= len(data)
        return data


class Upstream:
    """A connection to the old service. `reused`: it has served another request, so it can be closed by now."""

    def __init__(self, reader: _Reader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LARGEST_HEAD)
        self.reused, self.idle_since = False, 0.0

    @property
    def is_silent(self) -> bool:
        """Whether the connection is open, and the old service has sent nothing after its last response."""
        return self.http.trailing_data == (b"", False) and not self.reader.unread and not self.reader.at_eof()

    async def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next part of the response. Raises OldServiceFailed."""
        try:
            while (event := self.http.next_event()) is h11.NEED_DATA:
                self.http.receive_data(await self.reader.read(CHUNK))
        except (OSError, h11.RemoteProtocolError) as error:
            raise OldServiceFailed("The upstream server closed the connection or sent an invalid response") from error
        if isinstance(event, h11.ConnectionClosed):
            raise OldServiceFailed("The upstream server closed the connection")
        return event

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError, RuntimeError):
            self.writer.close()


class UpstreamPool:
    """Opens connections to the old service, and keeps idle ones for requests that can be repeated."""

    def __init__(self, url: httpx2.URL) -> None:
        self.url = url
        self._tls = ssl.create_default_context() if url.scheme == "https" else None
        self._idle: deque[Upstream] = deque(maxlen=MOST_IDLE)

    @property
    def prefix(self) -> bytes:
        """The path of the service's URL."""
        return self.url.raw_path.rstrip(b"/")

    @property
    def host(self) -> bytes | None:
        """The `Host` of requests, or None to send the client's. A certificate belongs to a host, so HTTPS needs it."""
        return self.url.netloc if self._tls else None

    async def connect(self, *, fresh: bool) -> Upstream:
        """Return a connection; with `fresh`, a new one. Raises OldServiceFailed."""
        while self._idle and not fresh:
            found = self._idle.pop()
            if monotonic() - found.idle_since < _IDLE_SECONDS and found.is_silent:
                return found
            found.close()
        port = self.url.port or _PORTS[self.url.scheme]
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                upstream = await self._open(self.url.host, port)
        except (OSError, TimeoutError) as error:
            raise OldServiceFailed("The upstream server is unreachable") from error
        keep_alive(upstream.writer)
        return upstream

    async def _open(self, host: str, port: int) -> Upstream:
        loop = asyncio.get_running_loop()
        reader = _Reader(limit=CHUNK, loop=loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        transport, _ = await loop.create_connection(lambda: protocol, host, port, ssl=self._tls)
        return Upstream(reader, asyncio.StreamWriter(transport, protocol, reader, loop))

    def release(self, upstream: Upstream) -> None:
        """Keep a connection for another request if both sides allow it."""
        http = upstream.http
        is_done = http.our_state is h11.DONE and http.their_state is h11.DONE
        if not is_done or not upstream.is_silent or len(self._idle) >= MOST_IDLE:
            upstream.close()
            return
        http.start_next_cycle()
        upstream.reused, upstream.idle_since = True, monotonic()
        self._idle.append(upstream)

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()


def keep_alive(writer: asyncio.StreamWriter) -> None:
    """Let the system notice peers that are gone, on connections that can be silent for hours."""
    connection = writer.get_extra_info("socket")
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
