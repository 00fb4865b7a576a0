"""A small reverse proxy below a URL path. It strips the path from requests, or keeps it. Other paths return 404."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, Literal

from tests.cli.processes import PATIENCE

UrlPath = Literal["stripped", "kept"]
PATH: Final = "/cms"
_HOP: Final = frozenset({"connection", "keep-alive", "transfer-encoding", "host"})


def variables_of(port: int, url_path: UrlPath) -> dict[str, str]:
    """Return the settings of a service behind a proxy on a local port."""
    url = f"http://127.0.0.1:{port}{PATH}"
    return {"PUBLIC_URL": url, "OCTAVO_SERVER__URL_PATH": url_path, "OCTAVO_SERVER__TRUSTED_PROXIES": "127.0.0.1"}


@contextmanager
def proxying(port: int, upstream: int, url_path: UrlPath) -> Iterator[str]:
    """Serve the service on port `upstream` below `PATH` on another port. Yield the public URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            if not self.path.startswith(f"{PATH}/"):
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            path = self.path if url_path == "kept" else self.path.removeprefix(PATH)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
            forwarded = {"Host": self.headers["Host"], "X-Forwarded-For": self.client_address[0]}
            asking = http.client.HTTPConnection("127.0.0.1", upstream, timeout=PATIENCE)
            asking.request(self.command, path, body, headers | forwarded)
            answer = asking.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in {*_HOP, "content-length"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            asking.close()
            with suppress(OSError):  # the browser left the page
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = forward  # noqa: N815 - the names of http.server

        def log_message(self, format: str, *args: object) -> None:
            pass

        def handle_one_request(self) -> None:
            with suppress(ConnectionResetError):
                super().handle_one_request()

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}{PATH}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
