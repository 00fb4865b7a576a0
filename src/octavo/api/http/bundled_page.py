"""Pages from bundled files, with a strict policy: the playground and the API documentation."""

import hashlib
import secrets
from collections.abc import Mapping
from functools import cached_property
from importlib.resources import files
from typing import Final

from octavo.api.http.content_security_policy import nonce_policy
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Router

_FOR_GOOD: Final = ((b"cache-control", b"public, max-age=31536000, immutable"),)
"""Caching headers of files whose URL changes with their content."""
_TYPES: Final = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}


class BundledPage:
    """The page `page.html` of a package and its files, read on first use.

    `path` is the path of the files' routes, `base_path` that of the public URL before it.

    The page is a format string with `nonce`, `path`, `version` and the values
    passed to `render`.
    """

    def __init__(self, package: str, path: str, names: tuple[str, ...], base_path: str = "") -> None:
        self._package = package
        self._path = path
        self._public_path = base_path + path
        self._names = names

    def add_routes(self, router: Router) -> None:
        """Add the routes of the files."""
        for name in self._names:
            router.add("GET", f"{self._path}/{name}", self.file)

    def render(self, values: Mapping[str, str] | None = None) -> Response:
        """Return the page. Only scripts and styles with its nonce are allowed, and only requests to its own origin."""
        nonce = secrets.token_urlsafe(16)
        policy = nonce_policy(nonce)
        known = {"nonce": nonce, "path": self._public_path, "version": self._version}
        text = self._read("page.html").decode().format_map({**known, **(values or {})})
        headers = ((b"content-security-policy", policy.encode()), (b"cache-control", b"no-store"))
        return Response(200, text.encode(), "text/html", headers)

    async def file(self, request: Request) -> Response:
        """Return a script or a style sheet."""
        name = request.path.rstrip("/").rpartition("/")[2].lower()
        return Response(200, self._contents[name], _TYPES[name.rpartition(".")[2]], _FOR_GOOD)

    @cached_property
    def _contents(self) -> dict[str, bytes]:
        return {name: self._read(name) for name in self._names}

    @cached_property
    def _version(self) -> str:
        return hashlib.sha256(b"".join(self._contents.values())).hexdigest()[:16]

    def _read(self, name: str) -> bytes:
        return (files(self._package) / name).read_bytes()
