"""The load: connections that each send the next request as soon as the response to the last one is complete."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import cast

import uvloop

TIMEOUT = 120.0


class BadResponse(RuntimeError):
    """A response cannot be read."""


@dataclass(frozen=True, slots=True)
class Load:
    """The result of a round. Times are in milliseconds."""

    requests: int
    seconds: float
    latencies: Sequence[float]
    failed: int
    bytes: int
    client_cpu: float
    """CPU milliseconds of this client per request."""

    def percentile(self, share: float) -> float:
        """Return the latency that this share of the requests does not exceed."""
        return self.latencies[min(int(len(self.latencies) * share), len(self.latencies) - 1)]


class _Round:
    """The shared state of a round's connections."""

    def __init__(self, requests: Iterator[bytes], seconds: float) -> None:
        self.requests = requests
        self.deadline = perf_counter() + seconds
        self.latencies: list[float] = []
        self.failed = 0
        self.bytes = 0


class _Connection(asyncio.Protocol):
    """Send requests until the deadline; the last response still counts."""

    def __init__(self, shared: _Round, done: asyncio.Future[None]) -> None:
        self._round = shared
        self._done = done
        self._parts: list[bytes] = []
        self._size = 0
        self._expected: int | None = None
        self._started = 0.0
        self._complete = False
        self._error: Exception | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._send()

    def _send(self) -> None:
        request = next(self._round.requests)
        self._parts, self._size, self._expected = [], 0, None
        self._started = perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        try:
            self._receive(data)
        except Exception as error:  # the event loop would only log it
            self._error = error
            self._transport.close()

    def _receive(self, data: bytes) -> None:
        self._parts.append(data)
        self._size += len(data)
        if self._expected is None:
            response = b"".join(self._parts)
            self._parts = [response]
            self._expected = _length(response)
        if self._expected is not None and self._is_complete():
            self._finish()

    def _is_complete(self) -> bool:
        if self._expected == CHUNKED:
            return (self._parts[-1] if len(self._parts[-1]) > 4 else b"".join(self._parts)).endswith(b"0\r\n\r\n")
        return self._expected is not None and self._size >= self._expected

    def _finish(self) -> None:
        now = perf_counter()
        shared, first = self._round, self._parts[0]
        shared.latencies.append((now - self._started) * 1000)
        shared.bytes += self._size
        if first[9:10] != b"2" or b'{"errors":' in first:
            shared.failed += 1
        if now < shared.deadline:
            self._send()
        else:
            self._complete = True
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if self._complete:
            self._done.set_result(None)
        else:
            closed = BadResponse("the server closed the connection during a response")
            self._done.set_exception(self._error or error or closed)


CHUNKED = -1


def _length(response: bytes) -> int | None:
    """Return the size of the whole response, CHUNKED if its end shows it, or None if its headers are incomplete."""
    end = response.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = response[:end].lower()
    position = head.find(b"\r\ncontent-length:")
    if position < 0:
        return CHUNKED
    return end + 4 + int(head[position + 17 :].split(b"\r\n", 1)[0])


def send_load(port: int, requests: Iterator[bytes], connections: int, seconds: float) -> Load:
    """Send requests to a port of this machine for a time, and return what was measured.

    The round ends when all sent requests have their response, so slow systems are measured by complete requests.
    """
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_send_load(port, requests, connections, seconds))


async def _send_load(port: int, requests: Iterator[bytes], connections: int, seconds: float) -> Load:
    loop = asyncio.get_running_loop()
    cpu, start = process_time(), perf_counter()
    shared = _Round(requests, seconds)
    ends = [loop.create_future() for _ in range(connections)]
    async with asyncio.timeout(seconds + TIMEOUT):
        for end in ends:
            await loop.create_connection(lambda end=end: _Connection(shared, end), "127.0.0.1", port)  # type: ignore[misc]
        await asyncio.gather(*ends)
    spent, number = perf_counter() - start, len(shared.latencies)
    return Load(
        number,
        spent,
        sorted(shared.latencies),
        shared.failed,
        shared.bytes,
        (process_time() - cpu) * 1000 / number,
    )


def fetch(port: int, request: bytes) -> tuple[int, bytes]:
    """Return status and body of one request."""
    return asyncio.run(_fetch(port, request))


async def _fetch(port: int, request: bytes) -> tuple[int, bytes]:
    async with asyncio.timeout(TIMEOUT):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = _length(head)
        body = await (_chunks(reader) if length == CHUNKED else reader.readexactly((length or 0) - len(head)))
        writer.close()
    return int(head.split(b" ", 2)[1]), body


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    while size := int(await reader.readline(), 16):
        parts.append((await reader.readexactly(size + 2))[:-2])
    return b"".join(parts)
