"""Long requests during a shutdown: an upload, and an event stream."""

import json
import signal
import socket
from pathlib import Path

import pytest

from tests.cli.processes import PATIENCE, Server, run, serving
from tests.cli.projects import make_project

FORM = "limit-of-the-form"
STALLED = (
    f'--{FORM}\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n'
    "Content-Type: text/plain\r\n\r\nonly the beginning"
).encode()


def begin(server: Server, method: str, path: str, token: str, *headers: str, body: bytes = b"") -> socket.socket:
    """Begin a request."""
    connection = server.connect()
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}", *headers]
    connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
    return connection


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_upload_gets_503_and_a_stream_a_hint_when_to_reconnect(tmp_path: Path, workers: str) -> None:
    project = make_project(tmp_path / "site")
    variables = {"OCTAVO_SERVER__SHUTDOWN": "3s", "OCTAVO_API__EVENTS__ENABLED": "true"}
    with serving("start", project, "--workers", workers, **variables) as server:
        code, said = run("tokens", "create", "tester", "--type", "full-access", "--project", str(project))
        assert code == 0, said
        token = said.split()[-1]
        kind, length = f"Content-Type: multipart/form-data; boundary={FORM}", "Content-Length: 100000"
        upload = begin(server, "POST", "/api/upload", token, kind, length, body=STALLED)
        stream = begin(server, "GET", "/api/events", token)
        with upload, stream:
            heard = stream.recv(10_000)
            while b"retry: 3000" not in heard:
                heard += stream.recv(10_000)
            server.process.send_signal(signal.SIGTERM)
            while piece := stream.recv(10_000):
                heard += piece
            assert heard.count(b"retry: ") == 2
            upload.settimeout(PATIENCE)
            answer = upload.recv(10_000)
            assert answer.startswith(b"HTTP/1.1 503 "), answer
            assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["message"] == "The service is stopping"
        assert server.process.wait(PATIENCE) == 0
