"""The playground: GraphiQL, from files of our own (`scripts/playground` makes them), under a strict policy."""

import hashlib
import secrets
from functools import cached_property
from importlib.resources import files
from typing import Final

from octavo.http.request import Request
from octavo.http.response import Response
from octavo.http.router import Router

_FILES: Final = {"graphiql.js": "text/javascript; charset=utf-8", "graphiql.css": "text/css; charset=utf-8"}
_FOR_GOOD: Final = ((b"cache-control", b"public, max-age=31536000, immutable"),)
"""Their addresses change with what they hold."""


class Playground:
    """The page at the endpoint's path, and the two files that it consists of; read when they are asked for."""

    def __init__(self, path: str) -> None:
        self._path = path

    def add_routes(self, router: Router) -> None:
        """Declare the files."""
        for name in _FILES:
            router.add("GET", f"{self._path}/{name}", self.file)

    def page(self) -> Response:
        """The page. Only what bears its nonce may run or style it, and it may ask only where it came from."""
        nonce = secrets.token_urlsafe(16)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        text = _read("page.html").decode().format(nonce=nonce, path=self._path, version=self._version)
        headers = ((b"content-security-policy", policy.encode()), (b"cache-control", b"no-store"))
        return Response(200, text.encode(), "text/html", headers)

    async def file(self, request: Request) -> Response:
        """The script or the style."""
        name = request.path.rpartition("/")[2]
        return Response(200, self._contents[name], _FILES[name], _FOR_GOOD)

    @cached_property
    def _contents(self) -> dict[str, bytes]:
        return {name: _read(name) for name in _FILES}

    @cached_property
    def _version(self) -> str:
        return hashlib.sha256(b"".join(self._contents.values())).hexdigest()[:16]


def _read(name: str) -> bytes:
    return (files("octavo.graphql.transport.playground") / name).read_bytes()
