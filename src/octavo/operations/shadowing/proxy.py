"""The proxy: pass each request to the old service and its response to the client, in parts as they arrive."""

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine
from contextlib import suppress
from time import perf_counter
from typing import Any, Final
from urllib.parse import quote_from_bytes

import h11
import orjson

from octavo.operations.shadowing.exchanges import Exchange, Recorder, Recording
from octavo.operations.shadowing.headers import forwarded_request, forwarded_response, has_body, is_websocket
from octavo.operations.shadowing.upstream import (
    CHUNK,
    OldServiceFailed,
    Upstream,
    UpstreamPool,
    keep_alive,
)

logger = logging.getLogger(__name__)

_IDLE_SECONDS: Final = 75.0
_LINGER_SECONDS: Final = 2.0
_LARGEST_HEAD: Final = 16 * 1024
"""The limit of Node.js."""
_WARNING_SECONDS: Final = 60.0
_SWITCHING: Final = 101
_REPEATABLE: Final = (b"GET", b"HEAD", b"OPTIONS")
_PRINTABLE: Final = bytes(range(0x21, 0x7F)).decode() + " "
_NAMES: Final = {400: "BadRequestError", 501: "NotImplementedError", 502: "BadGatewayError", 503: "ServiceUnavailable"}


class ClientGone(Exception):
    """The client has closed its connection."""


class Proxy:
    """Serves clients, at most `most_connections`. `record` gets each recorded exchange and must not wait."""

    def __init__(
        self, pool: UpstreamPool, recorder: Recorder, record: Callable[[Exchange], None], most_connections: int
    ) -> None:
        self.pool, self.recorder, self.record = pool, recorder, record
        self._most_connections, self._next_warning = most_connections, 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: set[ClientConnection] = set()
        self.is_stopping = False

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection of a client, or refuse it if there are too many."""
        if len(self._tasks) >= self._most_connections:
            self._refuse(writer)
            return
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _refuse(self, writer: asyncio.StreamWriter) -> None:
        """Close a connection after an error, without waiting for its request."""
        now = asyncio.get_running_loop().time()
        if now >= self._next_warning:
            self._next_warning = now + _WARNING_SECONDS
            logger.warning("The proxy refuses connections: %d are open", self._most_connections)
        http = h11.Connection(h11.SERVER)
        for event in _error(503, "The proxy has too many connections; try again later"):
            writer.write(http.send(event) or b"")
        writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = ClientConnection(self, reader, writer)
        try:
            await connection.serve()
        except (ClientGone, OSError):
            pass
        except Exception:
            logger.exception("A connection ended with an unexpected error")
        finally:
            with suppress(OSError, RuntimeError):
                writer.close()

    def set_idle(self, connection: "ClientConnection", *, idle: bool) -> None:
        """Note whether a connection waits for a request."""
        (self._idle.add if idle else self._idle.discard)(connection)

    async def stop(self, seconds: float) -> None:
        """Close idle connections, wait for running requests, and end those that take longer."""
        self.is_stopping = True
        for connection in list(self._idle):
            connection.writer.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.pool.close()


class ClientConnection:
    """A connection of a client, which sends one request after another."""

    def __init__(self, proxy: Proxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._proxy, self._reader, self.writer = proxy, reader, writer
        self.pool = proxy.pool
        self._http = h11.Connection(h11.SERVER)
        self._client = str((writer.get_extra_info("peername") or [""])[0])
        keep_alive(writer)

    async def serve(self) -> None:
        """Serve requests until the connection ends. Raises ClientGone, OSError."""
        while True:
            try:
                request = await self._next_request()
            except h11.RemoteProtocolError as error:
                await self._refuse(error.error_status_hint, f"The request is not valid HTTP: {error}")
                return
            if request is None:
                return
            if not request.target.startswith(b"/") and request.target != b"*":
                await self._refuse(400, "The request target must be a path, such as /api/articles")
                return
            await self._exchange(request)
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                await self._linger()
                return
            if self._proxy.is_stopping:
                return

    async def _next_request(self) -> h11.Request | None:
        self._proxy.set_idle(self, idle=True)
        try:
            async with asyncio.timeout(_IDLE_SECONDS):
                await self._start_request()
                while (event := self._http.next_event()) is h11.NEED_DATA:
                    await self._receive()
        except TimeoutError:
            return None
        finally:
            self._proxy.set_idle(self, idle=False)
        return event if isinstance(event, h11.Request) else None

    async def _start_request(self) -> None:
        """Receive the first line of a request. Line breaks before it are ignored, as in Node.js."""
        data, is_end = self._http.trailing_data
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_LARGEST_HEAD)
        while b"\n" not in (data := data.lstrip(b"\r\n")) and len(data) <= _LARGEST_HEAD and not is_end:
            self._proxy.set_idle(self, idle=not data)
            received = await self._reader.read(CHUNK)
            data, is_end = data + received, not received
        self._proxy.set_idle(self, idle=False)
        if data:
            self._http.receive_data(_with_ascii_target(data))
        if is_end:
            self._http.receive_data(b"")

    async def _receive(self) -> bytes:
        data = await self._reader.read(CHUNK)
        self._http.receive_data(data)
        return data

    async def _exchange(self, request: h11.Request) -> None:
        headers = request.headers.raw_items()
        try:
            sent = self._forwarded(request)
        except h11.LocalProtocolError as error:
            await self._refuse(400, f"The request is not valid HTTP: {error}")
            return
        recording = self._proxy.recorder.start(request.method, request.target, sent.headers.raw_items())
        exchange = _Exchange(self, sent, recording)
        is_repeatable = request.method in _REPEATABLE and not has_body(headers)
        started = perf_counter()
        try:
            await exchange.run(fresh=not is_repeatable)
        except OldServiceFailed as error:
            exchange.abandon("failures of the upstream server")
            if exchange.has_started:
                raise ClientGone from error  # an incomplete response ends with its connection
            logger.warning("%s: %s", error, self.pool.url)
            await self._refuse(502, f"{error}")
            return
        finally:
            exchange.abandon("incomplete responses")
        recorded = exchange.recorded(perf_counter() - started)
        if recorded is not None:
            self._proxy.record(recorded)

    def _forwarded(self, request: h11.Request) -> h11.Request:
        """Return the request for the old service. Raises h11.LocalProtocolError."""
        headers = forwarded_request(request.headers.raw_items(), self._client, self.pool.host, self.pool.url.netloc)
        return h11.Request(method=request.method, target=self.pool.prefix + request.target, headers=headers)

    async def send(self, event: h11.Event) -> None:
        """Send a part of a response. Waits while the client reads slowly."""
        data = self._http.send(event)
        if data:
            self.writer.write(data)
            if self.writer.transport.get_write_buffer_size() > CHUNK:
                await self.writer.drain()

    async def next_part(self) -> h11.Data | None:
        """Return the next part of the request's body, or None at its end. Raises ClientGone."""
        if self._http.their_state is not h11.SEND_BODY:
            return None
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                await self._receive()
        except (OSError, h11.RemoteProtocolError) as error:
            raise ClientGone from error
        return event if isinstance(event, h11.Data) else None

    async def wait_until_gone(self) -> None:
        """Return when the client closes the connection, or sends another request before the response."""
        if not await self._receive():
            raise ClientGone
        await _forever()

    @property
    def is_http_1_1(self) -> bool:
        """Whether the client understands informational responses and chunks."""
        return self._http.their_http_version == b"1.1"

    async def tunnel(self, upstream: Upstream) -> None:
        """Pass bytes in both directions until both sides end, after a switch of protocols."""
        self.writer.write(upstream.http.trailing_data[0])
        upstream.writer.write(self._http.trailing_data[0])
        await _gather(_pipe(self._reader, upstream.writer), _pipe(upstream.reader, self.writer))

    async def _refuse(self, status: int, message: str) -> None:
        """Send an error and end the connection."""
        with suppress(h11.LocalProtocolError):
            for event in _error(status, message):
                await self.send(event)
        await self._linger()

    async def _linger(self) -> None:
        """Let a client that still sends its body read the response, which a reset would discard."""
        with suppress(OSError, TimeoutError, RuntimeError):
            await self.writer.drain()
            if self.writer.can_write_eof():
                self.writer.write_eof()
            if self._http.their_state is h11.SEND_BODY:
                async with asyncio.timeout(_LINGER_SECONDS):
                    while await self._reader.read(CHUNK):
                        pass


class _Exchange:
    """A request on its way: its body to the old service, and the response to the client."""

    def __init__(self, client: ClientConnection, request: h11.Request, recording: Recording | None) -> None:
        self._client, self._request, self._recording = client, request, recording
        self._pool = client.pool
        self._is_websocket = is_websocket(request.headers.raw_items())
        self._waited = 0.0
        self._is_complete = False
        self.has_started = False

    async def run(self, *, fresh: bool) -> None:
        """Pass the request and its response. Raises OldServiceFailed, ClientGone, OSError."""
        upstream = await self._pool.connect(fresh=fresh)
        try:
            try:
                await self._pass(upstream)
            except OldServiceFailed:
                if not upstream.reused or self.has_started:
                    raise
                upstream.close()
                upstream = await self._pool.connect(fresh=True)  # the old service had closed the idle connection
                await self._pass(upstream)
            self._pool.release(upstream)
        except BaseException:
            upstream.close()
            raise

    async def _pass(self, upstream: Upstream) -> None:
        try:
            upstream.writer.write(upstream.http.send(self._request) or b"")
        except h11.LocalProtocolError as error:
            raise OldServiceFailed("The request cannot be forwarded") from error
        response = asyncio.create_task(self._pass_response(upstream))
        body = asyncio.create_task(self._pass_body(upstream))
        try:
            await asyncio.wait((response, body), return_when=asyncio.FIRST_COMPLETED)
            if not response.done():
                await body  # raises ClientGone
            await response
        finally:
            await _cancel(response, body)

    async def _pass_body(self, upstream: Upstream) -> None:
        """Pass the body of the request, and then wait until the client leaves."""
        try:
            await self._send_body(upstream)
        except (OSError, h11.LocalProtocolError):  # the old service can respond before it has read everything
            await _forever()
        if self._is_websocket:
            await _forever()  # the tunnel reads from the client
        await self._client.wait_until_gone()

    async def _send_body(self, upstream: Upstream) -> None:
        while True:
            part = await self._client.next_part()
            upstream.writer.write(upstream.http.send(part or h11.EndOfMessage()) or b"")
            if part is None:
                return
            if self._recording is not None:
                self._recording.add_request(bytes(part.data))
            await upstream.writer.drain()

    async def _pass_response(self, upstream: Upstream) -> None:
        while True:
            event = await upstream.next_event()
            if isinstance(event, h11.InformationalResponse):
                await self._pass_information(event, upstream)
                if event.status_code == _SWITCHING:
                    return
            elif isinstance(event, h11.Response):
                await self._pass_head(event)
            elif isinstance(event, h11.Data):
                if self._recording is not None:
                    self._recording.add_response(bytes(event.data))
                await self._send(event)
            elif isinstance(event, h11.EndOfMessage):
                await self._send(h11.EndOfMessage())
                self._is_complete = True
                return
            else:
                raise OldServiceFailed("The upstream server closed the connection")

    async def _pass_head(self, response: h11.Response) -> None:
        headers = response.headers.raw_items()
        if self._recording is not None:
            self._recording.set_response(response.status_code, headers)
        self.has_started = True
        passed = forwarded_response(headers)
        await self._send(h11.Response(status_code=response.status_code, headers=passed, reason=response.reason))

    async def _pass_information(self, event: h11.InformationalResponse, upstream: Upstream) -> None:
        if event.status_code != _SWITCHING:
            if self._client.is_http_1_1:
                await self._send(event)
            return
        if not self._is_websocket:
            raise OldServiceFailed("The upstream server switched to another protocol")
        self.has_started = True
        if self._recording is not None:
            self._recording.stop("WebSockets")
        await self._send(event)
        await self._client.tunnel(upstream)

    async def _send(self, event: h11.Event) -> None:
        started = perf_counter()
        try:
            await self._client.send(event)
        except (OSError, h11.LocalProtocolError) as error:
            raise ClientGone from error
        self._waited += perf_counter() - started

    def abandon(self, reason: str) -> None:
        """End the recording of an exchange that is not complete."""
        if self._recording is not None and not self._is_complete:
            self._recording.stop(reason)

    def recorded(self, seconds: float) -> Exchange | None:
        """Return the exchange, or None. The time that the client needed to read the response does not count."""
        return self._recording.finish(seconds - self._waited) if self._recording is not None else None


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


async def _gather(*work: Coroutine[Any, Any, None]) -> None:
    tasks = [asyncio.create_task(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        await _cancel(*tasks)


async def _forever() -> None:
    await asyncio.get_running_loop().create_future()


async def _cancel(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _with_ascii_target(data: bytes) -> bytes:
    """Return the start of a request with an encoded target: clients can send it as UTF-8, which Node.js accepts."""
    line = re.split(rb"[\r\n]", data, maxsplit=1)[0]
    if line.isascii():
        return data
    return quote_from_bytes(line, safe=_PRINTABLE).encode() + data[len(line) :]


def _error(status: int, message: str) -> list[h11.Event]:
    """Return the parts of an error that ends the connection."""
    error = {"status": status, "name": _NAMES.get(status, "BadRequestError"), "message": message, "details": {}}
    body = orjson.dumps({"data": None, "error": error})
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body))), ("Connection", "close")]
    return [h11.Response(status_code=status, headers=headers), h11.Data(data=body), h11.EndOfMessage()]
