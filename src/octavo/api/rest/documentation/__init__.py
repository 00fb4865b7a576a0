"""The API documentation: a page, and the OpenAPI document that it shows.

The document marks operations that need no token. This depends on permissions in the database, so the document is
rebuilt when they change. Only the latest one is cached.
"""

import asyncio
import hashlib
import sys
from typing import Final, Literal

import orjson

from octavo.access.authentication.authenticator import Authenticator
from octavo.access.authorization.ability import Ability
from octavo.api.http.bundled_page import BundledPage
from octavo.api.http.ranges import names_tag
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.router import Router
from octavo.api.rest.openapi.document import Described, make_document
from octavo.api.rest.operations import RestOperation
from octavo.core.errors import ForbiddenError
from octavo.core.threads import compute
from octavo.core.values import dataclass

_DOCUMENT: Final = "openapi.json"


@dataclass(frozen=True, slots=True)
class DocumentationOptions:
    """The path of the documentation, who can read it, and the path of the public URL."""

    path: str
    access: Literal["everyone", "tokens"] = "everyone"
    base_path: str = ""


class Documentation:
    """`/documentation`, and `/documentation/v1.0.0` as in v4."""

    def __init__(self, described: Described, authenticator: Authenticator, options: DocumentationOptions) -> None:
        self._described = described
        self._authenticator = authenticator
        self._options = options
        self._page = BundledPage(__name__, options.path, ("viewer.js", "viewer.css"), options.base_path)
        self._made: _Made | None = None
        self._making = asyncio.Lock()

    def add_routes(self, router: Router) -> None:
        """Add the routes of page, files and document."""
        self._page.add_routes(router)
        for path in (self._options.path, f"{self._options.path}/v{self._described.version}"):
            router.add("GET", path, self.page)
            router.add("GET", f"{path}/{_DOCUMENT}", self.document)

    async def page(self, request: Request) -> Response:
        """Return the page. It contains no data and requests the document."""
        return self._page.render()

    async def document(self, request: Request) -> Response:
        """Return the document. Raises UnauthorizedError and ForbiddenError if it is not public."""
        if self._options.access == "tokens":
            actor = await self._authenticator.authenticate(request.header("authorization"))
            if not actor.ability.everything:
                raise ForbiddenError
        anybody = (await self._authenticator.authenticate(None)).ability
        async with self._making:
            if self._made is None or self._made.made_for != anybody.key:
                self._made = await compute(lambda: self._make(anybody), sys.maxsize)
            made = self._made
        headers = ((b"cache-control", b"no-cache"), (b"etag", made.etag.encode()))
        known = request.headers.get(b"if-none-match")
        if known is not None and names_tag(known, made.etag.encode()):
            return Response(304, content_type="", headers=headers)
        return Response(200, made.body, headers=headers)

    def _make(self, anybody: Ability) -> "_Made":
        operations = (route.operation for route in self._described.router.declared())
        actions = {scope for item in operations if isinstance(item, RestOperation) for scope in item.admits.scopes}
        public = frozenset(action for action in actions if anybody.allows(action))
        body = orjson.dumps(make_document(self._described, public))
        return _Made(anybody.key, body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


@dataclass(frozen=True, slots=True)
class _Made:
    """A document, and the public permissions that it was built for."""

    made_for: object
    body: bytes
    etag: str
