"""Real sockets and a real server: malformed bytes that no client library would send, and their responses."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Server:
    port: int
    process: subprocess.Popen[bytes]

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=90)

    def exchange(self, data: bytes) -> tuple[int, bytes]:
        """Send bytes and read until the server closes; return the response's status and body."""
        with self.connect() as connection:
            connection.sendall(data)
            return read_answer(connection)


def read_answer(connection: socket.socket) -> tuple[int, bytes]:
    head, _, body = b"".join(iter(lambda: connection.recv(65536), b"")).partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), body


def start_server(application: str = "tests.api.http.serving:app") -> Server:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    command = [sys.executable, "-m", "granian", "--interface", "asgi", "--port", str(port), application]
    process = subprocess.Popen(
        command, cwd=ROOT, env={"PYTHONPATH": "src"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    server = Server(port, process)
    for _ in range(1800):
        try:
            if server.exchange(request("GET", "/_health"))[0] == 204:
                return server
        except OSError:
            time.sleep(0.05)
    process.kill()
    raise RuntimeError("the server did not start")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    started = start_server()
    yield started
    started.process.terminate()
    output, _ = started.process.communicate(timeout=90)
    assert b"Traceback" not in output


def request(method: str, path: str, *headers: str, body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def post(path: str, content_type: str, body: bytes, *headers: str) -> bytes:
    return request("POST", path, f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *headers, body=body)


JSON = "application/json"
BIG = b'{"a": "' + b"x" * 3_000_000 + b'"}'
CHUNKED = ("Content-Type: application/json", "Transfer-Encoding: chunked")
FORM = (
    b'--B\r\nContent-Disposition: form-data; name="data"\r\n\r\n{}\r\n'
    b'--B\r\nContent-Disposition: form-data; name="files.x"; filename="\xc3\xa9.png"\r\n\r\n'
    + b"y" * 1_000_000
    + b"\r\n--B--\r\n"
)
EXCHANGES: dict[str, tuple[bytes, int]] = {
    "a path that is not UTF-8": (request("GET", "/api/%ff"), 400),
    "raw bytes in the path": (request("GET", "/\xff"), 400),
    "two slashes": (request("GET", "//api"), 400),
    "a header that is not UTF-8": (request("GET", "/", "X-Odd: \xff\xfe"), 200),
    "a long address": (request("GET", "/?" + "a" * 20_000), 414),
    "many headers": (request("GET", "/", *[f"X-{i}: 1" for i in range(200)]), 431),
    "a body longer than announced": (post("/api/echo", JSON, b"{}") + b"GARBAGE", 200),
    "a broken chunk": (request("POST", "/api/echo", *CHUNKED, body=b"2\r\n[]\r\nzz\r\n"), 400),
    "too large, announced": (post("/api/echo", JSON, BIG), 413),
    "too large, in chunks": (
        request("POST", "/api/echo", *CHUNKED, body=b"%x\r\n%b\r\n0\r\n\r\n" % (len(BIG), BIG)),
        413,
    ),
    "a body that nobody reads": (post("/api/ignore", JSON, BIG), 200),
    "a body to nowhere": (post("/nope", JSON, BIG), 405),
    "a form cut short": (post("/api/echo", "multipart/form-data; boundary=B", FORM[:-20]), 400),
    "a form too large": (post("/api/echo", "multipart/form-data; boundary=B", FORM * 5), 413),
    "a handler that hangs": (request("GET", "/api/hang"), 503),
    "a body that never comes": (
        request("POST", "/api/echo", f"Content-Type: {JSON}", "Content-Length: 9", body=b"{"),
        408,
    ),
}


@pytest.mark.parametrize("data, status", EXCHANGES.values(), ids=EXCHANGES)
def test_odd_requests_are_answered(server: Server, data: bytes, status: int) -> None:
    assert server.exchange(data)[0] == status


def test_chunked_bodies_are_joined(server: Server) -> None:
    body = b'4\r\n{"a"\r\n3\r\n:1}\r\n0\r\n\r\n'
    status, answer = server.exchange(request("POST", "/api/echo", *CHUNKED, body=body))
    assert (status, json.loads(answer)) == (200, {"value": {"a": 1}, "files": []})


def test_forms_are_streamed(server: Server) -> None:
    status, answer = server.exchange(post("/api/echo", "multipart/form-data; boundary=B", FORM))
    assert (status, json.loads(answer)) == (200, {"value": {"data": "{}"}, "files": [["é.png", 1_000_000]]})


def test_a_slow_but_steady_body_is_received(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(request("POST", "/api/echo", f"Content-Type: {JSON}", "Content-Length: 7"))
        for piece in (b'{"', b'a"', b":", b"1}"):
            time.sleep(0.7)
            connection.sendall(piece)
        assert read_answer(connection)[0] == 200


def test_disconnected_clients_do_no_harm(server: Server) -> None:
    for data in (
        post("/api/echo", JSON, b"{}")[:-1],
        post("/api/echo", "multipart/form-data; boundary=B", FORM)[:500_000],
        request("GET", "/api/work"),
        b"GET / HT",
    ):
        with server.connect() as connection:
            connection.sendall(data)
    assert server.exchange(request("GET", "/_health"))[0] == 204


def test_stopping_finishes_running_requests() -> None:
    server = start_server()
    with server.connect() as connection:
        connection.sendall(request("GET", "/api/work"))
        assert server.process.stdout is not None
        assert any(b"working" in line for line in server.process.stdout)
        server.process.send_signal(signal.SIGTERM)
        status, body = read_answer(connection)
    output, _ = server.process.communicate(timeout=90)
    assert (status, json.loads(body), server.process.returncode) == (200, {"worked": True}, 0)
    assert b"Traceback" not in output
