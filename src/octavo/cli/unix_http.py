"""Requests to a service on this machine, over TCP or a Unix socket."""

import socket
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from typing import Any, Final
from urllib.request import BaseHandler, HTTPHandler, OpenerDirector, ProxyHandler, Request, build_opener

from octavo.settings.files.server import UNIX


class _UnixConnection(HTTPConnection):
    """A connection to a Unix socket."""

    def __init__(self, path: str, host: str, timeout: Any = None) -> None:
        super().__init__(host, timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.sock.settimeout(self.timeout)
            self.sock.connect(self._path)
        except OSError:
            self.sock.close()
            raise


class _UnixHandler(HTTPHandler):
    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def http_open(self, req: Request) -> HTTPResponse:
        """Send a request through the socket."""
        return self.do_open(partial(_UnixConnection, self._path), req)


_LOCAL: Final = "http://localhost"


def is_address(address: str) -> bool:
    """Return whether an address is a URL of a service, or a Unix socket."""
    return address.startswith(("http://", "https://", UNIX))


def opener_for(address: str) -> tuple[OpenerDirector, str]:
    """Return an opener for requests to an address, without proxies of the environment, and the URL to request."""
    handlers: list[BaseHandler] = [ProxyHandler({})]
    if not address.startswith(UNIX):
        return build_opener(*handlers), address
    return build_opener(*handlers, _UnixHandler(address.removeprefix(UNIX))), _LOCAL
