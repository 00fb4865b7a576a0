"""The proxy: clients get the old service's responses of any size, and every read is recorded within limits."""

import asyncio
import json
from asyncio import StreamReader as Reader
from asyncio import StreamWriter as Writer
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx2
import pytest

from octavo.operations.shadowing.exchanges import Exchange, Recorder
from octavo.operations.shadowing.proxy import Proxy
from octavo.operations.shadowing.upstream import Upstream, UpstreamPool
from tests.cli.processes import free_port

pytestmark = pytest.mark.anyio
Serve = Callable[[Reader, Writer], Awaitable[None]]
HOST = b"Host: api.example.org\r\n"


class Running:
    """A running proxy and its records."""

    def __init__(self, port: int, pool: UpstreamPool, recorder: Recorder, exchanges: list[Exchange]) -> None:
        self._pool = pool
        self.port, self.recorder, self.exchanges = port, recorder, exchanges

    @property
    def idle(self) -> list[Upstream]:
        """Return the idle connections to the old service."""
        return list(self._pool._idle)

    async def send(self, *parts: bytes) -> bytes:
        """Send bytes on a new connection, and return the response until the connection closes."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        for part in parts:
            writer.write(part)
            await writer.drain()
        received = await reader.read()
        writer.close()
        return received


@asynccontextmanager
async def proxying(old: int, recorder: Recorder | None = None, most_connections: int = 100) -> AsyncIterator[Running]:
    """Run a proxy for a port."""
    recorder, exchanges = recorder or Recorder(("/api", "/graphql")), list[Exchange]()
    pool = UpstreamPool(httpx2.URL(f"http://127.0.0.1:{old}"))
    proxy = Proxy(pool, recorder, exchanges.append, most_connections)
    server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0, limit=65_536)
    try:
        yield Running(server.sockets[0].getsockname()[1], pool, recorder, exchanges)
    finally:
        server.close()
        await proxy.stop(0)


@asynccontextmanager
async def service(serve: Serve) -> AsyncIterator[int]:
    """Run an old service that handles connections with a function."""
    tasks = set[asyncio.Task[None]]()

    async def serve_and_close(reader: Reader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await serve(reader, writer)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve_and_close, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)


async def head_of(reader: Reader) -> bytes:
    return await reader.readuntil(b"\r\n\r\n")


async def echo(reader: Reader, writer: Writer) -> None:
    """Respond to each request with its head, as text."""
    while True:
        head = await head_of(reader)
        body = b"" if head.startswith(b"HEAD") else head
        writer.write(b"HTTP/1.1 200 OK\r\nX-Old: 1\r\nContent-Length: %d\r\n\r\n" % len(head) + body)
        await writer.drain()


async def test_a_request_and_its_response_are_passed() -> None:
    async with service(echo) as old, proxying(old) as proxy:
        received = await proxy.send(b"GET /api/tags?a=%20 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.splitlines()[:2] == [b"HTTP/1.1 200 OK", b"X-Old: 1"]
    assert body.splitlines() == [
        b"GET /api/tags?a=%20 HTTP/1.1",
        b"Host: api.example.org",
        b"X-Forwarded-For: 127.0.0.1",
        b"X-Forwarded-Proto: http",
        b"X-Forwarded-Host: api.example.org",
        b"",
    ]
    (exchange,) = proxy.exchanges
    assert (exchange.method, exchange.target, exchange.status) == ("GET", "/api/tags?a=%20", 200)
    assert exchange.response_body == body
    assert proxy.recorder.used == 0


async def test_requests_of_one_connection_also_before_the_response() -> None:
    async with service(echo) as old, proxying(old) as proxy:
        get = b"GET /api/1 HTTP/1.1\r\n" + HOST + b"\r\n"
        head = b"HEAD /api/2 HTTP/1.1\r\n" + HOST + b"\r\n"
        last = b"GET /api/3 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
        received = await proxy.send(get + head + last)
    assert received.count(b"HTTP/1.1 200 OK") == 3
    assert [(one.method, one.target) for one in proxy.exchanges] == [
        ("GET", "/api/1"),
        ("HEAD", "/api/2"),
        ("GET", "/api/3"),
    ]


@pytest.mark.parametrize("before", [b"", b"GET /api/1 HTTP/1.1\r\n" + HOST + b"\r\n", b"\r\n"])
@pytest.mark.parametrize("size", [1, 1_000])
async def test_a_target_in_utf8_is_encoded(before: bytes, size: int) -> None:
    request = before + "GET /api/tags?q=ü HTTP/1.1\r\n".encode() + HOST + b"Connection: close\r\n\r\n"
    async with service(echo) as old, proxying(old) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        for start in range(0, len(request), size):
            writer.write(request[start : start + size])
            await asyncio.sleep(0)
        received = await reader.read()
        writer.close()
    assert b"GET /api/tags?q=%C3%BC HTTP/1.1" in received


async def test_line_breaks_between_requests_are_ignored() -> None:
    post = b"POST /api/1 HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\n\r\n"
    last = b"GET /api/2 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
    async with service(echo) as old, proxying(old) as proxy:
        received = await proxy.send(b"\r\n\r\n" + post + b"\r\n" + last)
    assert received.count(b"HTTP/1.1 200 OK") == 2


async def test_a_head_has_a_limit() -> None:
    async with service(echo) as old, proxying(old) as proxy:
        received = await proxy.send(b"GET /api/1 HTTP/1.1\r\n" + HOST + b"X-A: " + b"a" * 20_000)
    assert received.startswith(b"HTTP/1.1 431")


async def test_connections_above_the_limit_are_refused_at_once(caplog: pytest.LogCaptureFixture) -> None:
    async with service(echo) as old, proxying(old, most_connections=1) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"GET /api/1 HTTP/1.1\r\n" + HOST + b"\r\n")
        assert (await head_of(reader)).startswith(b"HTTP/1.1 200")
        for _ in range(3):
            head, _, body = (await proxy.send()).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503")
            assert json.loads(body)["error"]["message"] == "The proxy has too many connections; try again later"
        writer.close()
    assert [one.getMessage() for one in caplog.records] == ["The proxy refuses connections: 1 are open"]


@pytest.mark.parametrize(
    "request_, message",
    [
        (b"GET / HTTP/1.1\r\n\r\n", "The request is not valid HTTP: Missing mandatory Host: header"),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "conflicting"),
        (b"GET http://example.org/ HTTP/1.1\r\n" + HOST + b"\r\n", "The request target must be a path"),
        (b"nonsense\r\n\r\n", "The request is not valid HTTP"),
    ],
)
async def test_invalid_requests_are_refused(request_: bytes, message: str) -> None:
    async with service(echo) as old, proxying(old) as proxy:
        head, _, body = (await proxy.send(request_)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert message in json.loads(body)["error"]["message"]


async def test_an_old_service_that_is_down() -> None:
    async with proxying(free_port()) as proxy:
        head, _, body = (await proxy.send(b"GET /api/1 HTTP/1.1\r\n" + HOST + b"\r\n")).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 502")
    assert json.loads(body)["error"] == {
        "status": 502,
        "name": "BadGatewayError",
        "message": "The upstream server is unreachable",
        "details": {},
    }
    assert proxy.recorder.skipped == {"failures of the upstream server": 1}


async def test_a_connection_that_the_old_service_has_closed_is_replaced() -> None:
    served = 0

    async def once(reader: Reader, writer: Writer) -> None:
        """Respond to one request with keep-alive, and close the connection at the next one."""
        nonlocal served
        await head_of(reader)
        served += 1
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await head_of(reader)

    async with service(once) as old, proxying(old) as proxy:
        first = b"GET /api/1 HTTP/1.1\r\n" + HOST + b"\r\n"
        received = await proxy.send(first + b"GET /api/2 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
    assert received.count(b"\r\n\r\nok") == 2
    assert served == 2


@pytest.mark.parametrize("surplus", [b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged", b"x" * 200_000])
async def test_bytes_after_a_response_reach_no_other_client(surplus: bytes) -> None:
    async def respond(reader: Reader, writer: Writer) -> None:
        while await head_of(reader):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + surplus)

    async with service(respond) as old, proxying(old) as proxy:
        for _ in range(3):
            received = await proxy.send(b"GET /api/1 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
            assert received.endswith(b"\r\n\r\nok")


async def test_bytes_after_a_response_that_arrive_late_reach_no_other_client() -> None:
    sent = asyncio.Event()

    async def respond(reader: Reader, writer: Writer) -> None:
        while await head_of(reader):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            await sent.wait()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
            await writer.drain()

    async with service(respond) as old, proxying(old) as proxy:
        request = b"GET /api/1 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
        assert (await proxy.send(request)).endswith(b"\r\n\r\nok")
        sent.set()
        while proxy.idle and all(one.is_silent for one in proxy.idle):  # noqa: ASYNC110
            await asyncio.sleep(0)
        assert (await proxy.send(request)).endswith(b"\r\n\r\nok")


@pytest.mark.parametrize(
    "head, passed",
    [
        (b"GET /api/1 HTTP/1.0\r\n\r\n", b"Host: 127.0.0.1:"),
        (b"GET /api/1 HTTP/1.1\r\n" + HOST + b"Connection: close, host\r\n\r\n", HOST),
    ],
)
async def test_the_old_service_always_gets_a_host(head: bytes, passed: bytes) -> None:
    async with service(echo) as old, proxying(old) as proxy:
        assert b"GET /api/1 HTTP/1.1\r\n" + passed in await proxy.send(head)


async def test_a_body_whose_length_belongs_to_the_connection() -> None:
    async def accept(reader: Reader, writer: Writer) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + await reader.readexactly(4))

    head = b"POST /api/1 HTTP/1.1\r\n" + HOST + b"Connection: close, content-length\r\nContent-Length: 4\r\n\r\n"
    async with service(accept) as old, proxying(old) as proxy:
        assert (await proxy.send(head + b"body")).endswith(b"\r\n\r\nbody")


async def test_the_request_is_recorded_as_it_is_forwarded() -> None:
    async with service(echo) as old, proxying(old) as proxy:
        await proxy.send(
            b"GET /api/1 HTTP/1.1\r\n" + HOST + b"X-Forwarded-For: 203.0.113.5\r\nConnection: close\r\n\r\n"
        )
    (exchange,) = proxy.exchanges
    assert exchange.headers == [
        ("Host", "api.example.org"),
        ("X-Forwarded-For", "203.0.113.5, 127.0.0.1"),
        ("X-Forwarded-Proto", "http"),
        ("X-Forwarded-Host", "api.example.org"),
    ]


@pytest.mark.parametrize(
    "path", ["/api/counter", "/api/Counter/1", "/api/%63ounter", "//api//counter/", "/api/counter/"]
)
@pytest.mark.parametrize("skipped", ["/api/counter", "/API/counter/"])
def test_skipped_paths_in_all_spellings(path: str, skipped: str) -> None:
    recorder = Recorder(("/",), (skipped,))
    assert recorder.start(b"GET", path.encode() + b"?a=1", []) is None
    assert recorder.skipped == {"paths of --skip": 1}
    assert recorder.start(b"GET", b"/api/counters", []) is not None


async def test_an_upload_is_passed_in_parts() -> None:
    received = 0

    async def count(reader: Reader, writer: Writer) -> None:
        nonlocal received
        head = await head_of(reader)
        assert b"Transfer-Encoding: chunked" in head
        while (size := int((await reader.readline()).strip(), 16)) > 0:
            await reader.readexactly(size + 2)
            received += size
        writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")

    part = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    head = b"POST /api/upload HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    async with service(count) as old, proxying(old) as proxy:
        answer = await proxy.send(head, *[part] * 320, b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 201 Created")
    assert received == 320 * 65_536
    assert (proxy.exchanges, dict(proxy.recorder.skipped)) == ([], {"writes": 1})


async def test_a_response_before_the_end_of_an_upload() -> None:
    async def refuse(reader: Reader, writer: Writer) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    async with service(refuse) as old, proxying(old) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"POST /api/upload HTTP/1.1\r\n" + HOST + b"Content-Length: 1000000\r\n\r\nstart")
        received = await reader.read()
        writer.close()
    assert received.startswith(b"HTTP/1.1 413 Payload Too Large")


async def test_a_stream_arrives_while_it_continues() -> None:
    more = asyncio.Event()

    async def stream(reader: Reader, writer: Writer) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
        await more.wait()
        writer.write(b"data: 2\n\n")

    async with service(stream) as old, proxying(old) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"GET /api/events HTTP/1.1\r\n" + HOST + b"\r\n")
        assert b"data: 1\n\n" in await reader.readuntil(b"data: 1\n\n")
        more.set()
        assert b"data: 2\n\n" in await reader.readuntil(b"data: 2\n\n")
        writer.close()
    assert (proxy.exchanges, dict(proxy.recorder.skipped)) == ([], {"event streams": 1})


async def test_the_old_service_learns_that_a_client_has_left() -> None:
    waiting, left = asyncio.Event(), asyncio.Event()

    async def wait(reader: Reader, writer: Writer) -> None:
        await head_of(reader)
        waiting.set()
        await reader.read()
        left.set()

    async with service(wait) as old, proxying(old) as proxy:
        _, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"GET /api/slow HTTP/1.1\r\n" + HOST + b"\r\n")
        await waiting.wait()
        writer.close()
        await left.wait()
    assert dict(proxy.recorder.skipped) == {"incomplete responses": 1}


async def test_an_incomplete_response_stays_incomplete() -> None:
    async def end(reader: Reader, writer: Writer) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")

    async with service(end) as old, proxying(old) as proxy:
        received = await proxy.send(b"GET /api/1 HTTP/1.1\r\n" + HOST + b"\r\n")
    assert received.endswith(b"Content-Length: 100\r\n\r\nhalf")
    assert (proxy.exchanges, dict(proxy.recorder.skipped)) == ([], {"failures of the upstream server": 1})


async def test_websockets_are_passed() -> None:
    async def mirror(reader: Reader, writer: Writer) -> None:
        assert b"Upgrade: websocket" in await head_of(reader)
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello")
        while data := await reader.read(100):
            writer.write(data.upper())

    async with service(mirror) as old, proxying(old) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"GET /api/ws HTTP/1.1\r\n" + HOST + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")
        writer.write(b"abc")
        assert await reader.readexactly(8) == b"helloABC"
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
    assert dict(proxy.recorder.skipped) == {"WebSockets": 1}


async def test_a_client_that_expects_100_continue() -> None:
    async def accept(reader: Reader, writer: Writer) -> None:
        assert b"Expect: 100-continue" in await head_of(reader)
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await reader.readexactly(4)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + body)

    async with service(accept) as old, proxying(old) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"PUT /api/1 HTTP/1.1\r\n" + HOST + b"Content-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        writer.write(b"body")
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        assert await reader.readexactly(4) == b"body"
        writer.close()


async def test_headers_count_for_the_memory_limit() -> None:
    recorder = Recorder(("/api",), memory=40_000)
    headers = [(b"X-%d" % number, b"a" * 1_000) for number in range(50)]
    assert recorder.start(b"GET", b"/api/1", headers) is None
    recording = recorder.start(b"GET", b"/api/1", [])
    assert recording is not None
    recording.set_response(200, headers)
    assert (recording.finish(1.0), recorder.used, recorder.skipped) == (None, 0, {"memory limit": 2})
    pairs = [("a", "b" * 1_000)] * 50
    assert Exchange("GET", "/", pairs, 200, pairs, 1.0, b"", b"").size > 100_000


async def test_recordings_have_limits() -> None:
    async def large(reader: Reader, writer: Writer) -> None:
        await head_of(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n" + b"x" * 50_000)

    get = b"GET /api/1 HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
    for recorder, reason in (
        (Recorder(("/api",), most_body=40_000), "responses above --max-body"),
        (Recorder(("/api",), memory=40_000), "memory limit"),
        (Recorder(("/api",), sample=0), "not in the sample"),
        (Recorder(("/api",), ("/api/1",)), "paths of --skip"),
        (Recorder(("/other",)), "other paths"),
    ):
        async with service(large) as old, proxying(old, recorder) as proxy:
            assert len(await proxy.send(get)) > 50_000
        assert (proxy.exchanges, dict(recorder.skipped), recorder.used) == ([], {reason: 1}, 0)
