"""Serve HTTP in a thread of this process. A function answers the requests."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True)
class Asked:
    """A request. `path` is as sent; names in `headers` are lowercase."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def name(self) -> str:
        """Return the decoded path."""
        return unquote(self.path)

    @property
    def form(self) -> dict[str, str]:
        """Return the body as a form."""
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))

    @property
    def parts(self) -> dict[str, tuple[str | None, bytes]]:
        """Return the files of a multipart form: file name and content by field."""
        head = f"Content-Type: {self.headers['content-type']}\r\n\r\n".encode()
        mime = message_from_bytes(head + self.body, policy=policy.HTTP)
        found = {}
        for part in mime.iter_parts():
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            found[str(part.get_param("name", header="content-disposition"))] = (part.get_filename(), content)
        return found


@dataclass
class Answer:
    """A response."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@contextmanager
def serving(answer: Callable[[Asked], Answer]) -> Iterator[str]:
    """Serve responses of a function and yield the URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", 0)))
            query = dict(parse_qsl(parts.query, keep_blank_values=True))
            given = answer(Asked(self.command, parts.path, query, headers, body))
            self.send_response(given.status)
            for name, value in {"Content-Length": str(len(given.body)), **given.headers}.items():
                self.send_header(name, value)
            with suppress(ConnectionError):  # the client may disconnect
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(given.body)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do_PURGE = _answer  # noqa: N815 - named by the library

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
