"""The GraphQL endpoint and its routes. The request handler is built in the background after the service has started.

Importing graphql-core takes longer than most of the service, and building a schema takes time too. Neither is needed
before the first operation.
"""

import asyncio
from collections.abc import Awaitable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from octavo.api.graphql.options import GraphqlContent, GraphqlOptions, ParseText
from octavo.api.graphql.schema.exclusions import FieldKey
from octavo.api.graphql.transport.playground import playground
from octavo.api.http.bundled_page import BundledPage
from octavo.api.http.request import Request
from octavo.api.http.response import NEVER_CACHED, TEXT, Response, render_error
from octavo.api.http.router import Router
from octavo.core.errors import MethodNotAllowed

if TYPE_CHECKING:
    from octavo.api.graphql.transport.request_handler import RequestHandler

_CONTROL: Final = b"cache-control"
_ONLY: Final = "Apollo Server supports only GET/POST requests."


class GraphqlEndpoint:
    """Serves GraphQL at one path."""

    def __init__(self, content: GraphqlContent, parse_text: ParseText, options: GraphqlOptions) -> None:
        self._content = content
        self._parse_text = parse_text
        self._options = options
        self._playground: BundledPage | None = None
        self._made: Future[RequestHandler] | None = None
        self._answers: RequestHandler | None = None

    def add_routes(self, router: Router, path: str) -> None:
        """Add the endpoint's routes."""
        if self._options.playground:
            self._playground = playground(path, self._options.base_path)
            self._playground.add_routes(router)
        router.add("POST", path, self.post)
        router.add("GET", path, self.get)
        router.add("OPTIONS", path, self.options)
        for method in ("HEAD", "PUT", "PATCH", "DELETE"):
            router.add(method, path, self.refuse)

    async def make_schema(self) -> None:
        """Build the request handler and wait for it. Raises InvalidCode if a project's extension is invalid."""
        await self._answering()

    async def prepare(self) -> None:
        """Start to build the request handler, without waiting."""
        self._begin()

    @property
    def declared(self) -> frozenset[FieldKey]:
        """The root fields for which the project has set `auth`, `policies` or a resolver, once the schema exists."""
        return self._answers.declared if self._answers else frozenset()

    async def drain(self) -> None:
        """Wait until nothing is being built.

        A process that forks meanwhile would pass locked imports to its children.
        """
        if self._made is not None:
            await asyncio.wait([asyncio.wrap_future(self._made)])

    async def options(self, request: Request) -> Response:
        """Return an empty response. The dispatcher adds the headers."""
        return Response(204, b"", "")

    async def refuse(self, request: Request) -> Response:
        """Reject other methods, status 405."""
        if not self._options.json_errors:
            return Response(405, _ONLY.encode(), TEXT)
        return render_error(MethodNotAllowed(), ((b"allow", b"GET, POST, OPTIONS"),))

    async def get(self, request: Request) -> Response:
        """Run a query in the URL, or return the playground to browsers without a query."""
        if self._playground is not None and "text/html" in (request.header("accept") or ""):
            return self._playground.render()
        request.source = "graphql"
        response = await (self._answers or await self._answering()).get(request)
        if self._options.unkept and not any(name == _CONTROL for name, _ in response.headers):
            response.headers = (*response.headers, *NEVER_CACHED)
        return response

    def post(self, request: Request) -> Awaitable[Response]:
        """Run an operation or a batch."""
        request.source = "graphql"
        return self._post_later(request) if self._answers is None else self._answers.post(request)

    async def _post_later(self, request: Request) -> Response:
        return await (await self._answering()).post(request)

    async def _answering(self) -> "RequestHandler":
        try:
            self._answers = await asyncio.shield(asyncio.wrap_future(self._begin()))
            return self._answers
        except Exception:
            self._made = None  # the next request retries
            raise

    def _begin(self) -> "Future[RequestHandler]":
        """Build the request handler in a thread, once."""
        if self._made is None:
            thread = ThreadPoolExecutor(1, thread_name_prefix="graphql")
            self._made = thread.submit(self._make)
            thread.shutdown(wait=False)
        return self._made

    def _make(self) -> "RequestHandler":
        from octavo.api.graphql.transport.request_handler import open_answering

        return open_answering(self._content, self._parse_text, self._options)
