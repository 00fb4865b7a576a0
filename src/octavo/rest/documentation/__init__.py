"""The documentation of the API: a page for people, and the OpenAPI document that it shows.

The document says who may ask what without a token, which is in the database: it is made again when that has changed,
and only the newest is kept.
"""

import asyncio
import sys
from dataclasses import dataclass
from typing import Final, Literal

import orjson

from octavo.authentication.authenticator import Authenticator
from octavo.authorization.ability import Ability
from octavo.errors import ForbiddenError
from octavo.http.own_page import OwnPage
from octavo.http.request import Request
from octavo.http.response import Response
from octavo.http.router import Router
from octavo.rest.openapi.document import Described, make_document
from octavo.rest.operations import Operation
from octavo.threads import compute

_DOCUMENT: Final = "openapi.json"
_KEPT: Final = ((b"cache-control", b"no-cache"),)


@dataclass(frozen=True, slots=True)
class DocumentationOptions:
    """Where it is, and for whom."""

    path: str
    access: Literal["everybody", "tokens"] = "everybody"


class Documentation:
    """`/documentation`, and where v4 has it: `/documentation/v1.0.0`."""

    def __init__(self, described: Described, authenticator: Authenticator, options: DocumentationOptions) -> None:
        self._described = described
        self._authenticator = authenticator
        self._options = options
        self._page = OwnPage(__name__, options.path, ("viewer.js", "viewer.css"))
        self._made: tuple[object, bytes] | None = None
        self._making = asyncio.Lock()

    def add_routes(self, router: Router) -> None:
        """Declare page, files and document."""
        self._page.add_routes(router)
        for path in (self._options.path, f"{self._options.path}/v{self._described.version}"):
            router.add("GET", path, self.page)
            router.add("GET", f"{path}/{_DOCUMENT}", self.document)

    async def page(self, request: Request) -> Response:
        """The page. It says nothing of the API: it asks for the document."""
        return self._page.render()

    async def document(self, request: Request) -> Response:
        """The document. Raises UnauthorizedError, ForbiddenError where it is not for everybody."""
        if self._options.access == "tokens":
            actor = await self._authenticator.authenticate(request.header("authorization"))
            if not actor.ability.everything:
                raise ForbiddenError
        anybody = (await self._authenticator.authenticate(None)).ability
        return Response(200, await self._document(anybody), headers=_KEPT)

    async def _document(self, anybody: Ability) -> bytes:
        async with self._making:
            if self._made is None or self._made[0] != anybody.key:
                self._made = anybody.key, await compute(lambda: self._make(anybody), sys.maxsize)
            return self._made[1]

    def _make(self, anybody: Ability) -> bytes:
        operations = (route.operation for route in self._described.router.routes())
        actions = {scope for item in operations if isinstance(item, Operation) for scope in item.admits.scopes}
        return render_document(self._described, frozenset(action for action in actions if anybody.allows(action)))


def render_document(described: Described, public: frozenset[str] = frozenset()) -> bytes:
    """The document as JSON. `public` are the actions that callers may take without a token."""
    return orjson.dumps(make_document(described, public), option=orjson.OPT_INDENT_2)
