"""Slow senders and slow readers over real sockets: the places that they occupy, in counts."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from octavo.api.http.client_limits import ClientLimit, client_of
from octavo.api.http.proxies import TrustedProxies
from octavo.core.errors import RateLimitError, ServiceUnavailable
from tests.api.http.crowded import LARGE, OPTIONS
from tests.api.http.test_server import Server, read_answer, request, start_server

UNKNOWN_PROXY = "X-Forwarded-For: 203.0.113.1"


@pytest.fixture
def server() -> Iterator[Server]:
    started = start_server("tests.api.http.crowded:app")
    until(started, lambda told: told["running"] == 1)  # only this request; the one that noticed the start is over
    yield started
    started.process.terminate()
    started.process.communicate(timeout=90)


@pytest.fixture
def connections() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def get(server: Server, path: str) -> tuple[int, bytes]:
    return server.exchange(request("GET", path))


def state(server: Server) -> dict[str, int]:
    """Return the server's status, or an empty dict while it accepts no request."""
    status, body = get(server, "/api/state")
    return json.loads(body) if status == 200 else {}


def until(server: Server, wanted: Callable[[dict[str, int]], bool]) -> dict[str, int]:
    """Wait until the server's status satisfies the condition."""
    deadline = time.monotonic() + 60
    while not ((found := state(server)) and wanted(found)):
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    return found


def status_of(server: Server, path: str) -> int:
    """Return a response's status after the previous request has released its place, possibly after its response."""
    deadline = time.monotonic() + 60
    while (status := get(server, path)[0]) == 429 and time.monotonic() < deadline:
        time.sleep(0.05)
    return status


def read_all(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(1 << 20), b""))


def begin(server: Server, connections: ExitStack, body: bytes = b"{", *headers: str) -> socket.socket:
    """Send the beginning of a body."""
    connection = connections.enter_context(server.connect())
    head = "POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
    lines = "".join(f"{header}\r\n" for header in headers)
    connection.sendall(f"{head}{lines}Content-Length: 90000\r\n\r\n".encode() + body)
    return connection


def test_incomplete_bodies_do_not_occupy_places_of_running_requests(server: Server, connections: ExitStack) -> None:
    slow = [begin(server, connections) for _ in range(OPTIONS.max_receiving_each)]
    until(server, lambda told: told["arriving"] == len(slow))
    assert status_of(server, "/api/quick") == 200
    assert get(server, "/_health")[0] == 204
    assert read_answer(begin(server, connections))[0] == 429, "the share of one client is used up"
    slow[0].sendall(b" " * 89_998 + b"}")
    assert read_answer(slow[0])[0] == 200
    slow[1].close()
    until(server, lambda told: told["arriving"] == len(slow) - 2)
    assert status_of(server, "/api/quick") == 200


def test_clients_behind_an_unknown_proxy_have_only_the_total_limit(server: Server, connections: ExitStack) -> None:
    slow = [begin(server, connections, b"{", UNKNOWN_PROXY) for _ in range(OPTIONS.max_receiving)]
    until(server, lambda told: told["arriving"] == len(slow))
    assert read_answer(begin(server, connections, b"{", UNKNOWN_PROXY))[0] == 503
    assert status_of(server, "/api/quick") == 200


def test_bytes_of_bodies_that_arrive_are_bounded(server: Server, connections: ExitStack) -> None:
    begin(server, connections, b"{" + b" " * 60_000)
    until(server, lambda told: told["held"] > 60_000)
    second = begin(server, connections, b"{" + b" " * 60_000)
    assert read_answer(second)[0] == 429, "a quarter of the bytes is one client's"
    until(server, lambda told: told["arriving"] == 1)


def test_one_client_has_a_quarter_of_the_places_and_probes_are_always_answered(
    server: Server, connections: ExitStack
) -> None:
    connection = connections.enter_context(server.connect())
    connection.sendall(request("GET", "/api/hang"))
    deadline = time.monotonic() + 60
    while get(server, "/api/quick")[0] != 429:
        assert time.monotonic() < deadline
    assert get(server, "/_health")[0] == 204
    assert get(server, "/_HEALTH/")[0] == 204
    assert server.exchange(request("GET", "/api/quick", UNKNOWN_PROXY))[0] == 200


def begin_reading(server: Server, connections: ExitStack, data: bytes) -> tuple[socket.socket, int]:
    """Request a large response and read its beginning; return the connection and the number of bytes read."""
    reader = connections.enter_context(server.connect())
    reader.sendall(data)
    begun = b""
    while not begun.partition(b"\r\n\r\n")[2]:
        piece = reader.recv(4096)
        assert piece, begun
        begun += piece
    assert begun.startswith(b"HTTP/1.1 200"), begun
    return reader, len(begun)


def test_large_answers_that_wait_are_bounded_and_the_slowest_closed(server: Server, connections: ExitStack) -> None:
    large = request("GET", "/api/large", UNKNOWN_PROXY)
    readers = [begin_reading(server, connections, large) for _ in range(4)]
    most = OPTIONS.max_unsent
    until(server, lambda told: 0 < told["unsent"] <= most and told["running"] < 1 + len(readers))
    ended = [begun + len(read_all(reader)) for reader, begun in readers]
    assert sum(length > len(LARGE) for length in ended) >= 1, "clients that stay connected receive everything"
    assert sum(length < len(LARGE) for length in ended) >= 1
    assert until(server, lambda told: told["unsent"] == 0)


def test_a_large_answer_arrives_whole(server: Server) -> None:
    status, body = get(server, "/api/large")
    assert (status, body == LARGE) == (200, True)


@pytest.mark.parametrize(
    "peer, client, headers, expected",
    [
        ("192.0.2.1", "192.0.2.1", {}, "192.0.2.1"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2:3::4", {}, "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::1%eth0", {}, "fe80::/64"),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.1", {}, "192.0.2.1"),
        ("", "", {}, None),
        ("192.0.2.1", "192.0.2.1", {b"x-forwarded-for": b"203.0.113.1"}, None),
        ("192.0.2.1", "192.0.2.1", {b"forwarded": b"for=203.0.113.1"}, None),
        ("10.0.0.1", "203.0.113.1", {b"x-forwarded-for": b"203.0.113.1"}, "203.0.113.1"),
        ("10.0.0.1", "10.0.0.1", {}, None),
        ("10.0.0.1", "a" * 100, {b"x-forwarded-for": b"a" * 100}, "a" * 64),
    ],
)
def test_clients(peer: str, client: str, headers: dict[bytes, bytes], expected: str | None) -> None:
    assert client_of(peer, client, headers, TrustedProxies(["10.0.0.0/8"])) == expected


@pytest.mark.parametrize("client, expected", [("", None), ("203.0.113.1", "203.0.113.1")])
def test_clients_behind_a_unix_socket(client: str, expected: str | None) -> None:
    """The proxy is trusted; without a forwarded address, clients cannot be distinguished."""
    assert client_of("", client, {b"x-forwarded-for": client.encode()}, TrustedProxies(unix=True)) == expected


def test_a_limit_counts_in_total_and_for_each_client() -> None:
    limit = ClientLimit("requests")
    for client in ("a", "a", "b", None):
        limit.take(client, 1, most=4, share=2)
    with pytest.raises(ServiceUnavailable):
        limit.take("c", 1, most=4, share=2)
    with pytest.raises(RateLimitError):
        limit.take("a", 1, most=9, share=2)
    for client in ("a", "a", "b", None):
        limit.release(client, 1)
    assert limit.total == 0
    limit.take("a", 2, most=2, share=2)
