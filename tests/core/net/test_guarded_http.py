"""Requests to URLs in settings: allowed targets, and the limit of the response's size."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from octavo.core.net.guarded_http import MOST_BYTES, GuardedTransport, RefusedAddress

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def serving(answer: bytes) -> AsyncIterator[int]:
    """Serve one response."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def client(*exempt: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=GuardedTransport(frozenset(exempt)), trust_env=False)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"]
)
async def test_private_addresses_are_refused(host: str) -> None:
    with pytest.raises(httpx2.RequestError):
        await client().get(f"https://{host}:9/")


async def test_every_address_of_a_host_name_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests cannot use real host names: the resolver returns fixed addresses."""

    async def resolve(*_: Any, **__: Any) -> list[Any]:
        return [(2, 1, 6, "", (address, 443)) for address in ("93.184.216.34", "10.0.0.1")]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve, raising=False)
    with pytest.raises(RefusedAddress, match="not a public address"):
        await client().get("https://provider.example/")


async def test_plain_http_needs_an_exempt_host() -> None:
    with pytest.raises(RefusedAddress, match="with https"):
        await client().get("http://93.184.216.34/")
    with pytest.raises(RefusedAddress, match="with https"):
        await client("127.0.0.1:1").get("http://127.0.0.1:2/")


async def test_an_exempt_host_is_requested_by_name() -> None:
    async with serving(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok") as port:
        for exempt in ("localhost", f"localhost:{port}"):
            answer = await client(exempt).get(f"http://localhost:{port}/")
            assert answer.text == "ok"
            assert answer.request.headers["host"] == f"localhost:{port}"


async def test_redirects_are_not_followed() -> None:
    async with serving(b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n") as port:
        assert (await client("127.0.0.1").get(f"http://127.0.0.1:{port}/")).status_code == 302


async def test_long_answers_are_not_read() -> None:
    async with serving(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n" + b"x" * (MOST_BYTES + 1)) as port:
        with pytest.raises(RefusedAddress, match="too large"):
            await client("127.0.0.1").get(f"http://127.0.0.1:{port}/")


async def test_compressed_answers_are_not_read() -> None:
    async with serving(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 0\r\n\r\n") as port:
        with pytest.raises(RefusedAddress, match="compressed"):
            await client("127.0.0.1").get(f"http://127.0.0.1:{port}/")


async def test_a_closed_port() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        with pytest.raises(httpx2.ConnectError):
            await client("127.0.0.1").get(f"http://127.0.0.1:{bound.getsockname()[1]}/")
