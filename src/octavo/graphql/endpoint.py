"""The GraphQL endpoint: POST and GET, batches."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson
from graphql import GraphQLError, OperationType

from octavo.access.actors import Actor
from octavo.access.authenticator import Authenticator
from octavo.errors import MalformedBody
from octavo.graphql.documents import RefusedDocument
from octavo.graphql.engine import Engine
from octavo.graphql.errors import BAD_INPUT, UNEXPECTED, render_refused
from octavo.graphql.multipart import read_operations
from octavo.graphql.persisted import NOT_FOUND, NOT_FOUND_CODE, PersistedQueries, PersistedQueryNotFound
from octavo.graphql.playground import make_playground
from octavo.graphql.variables import RefusedVariables
from octavo.http.body import read_body
from octavo.http.request import Request
from octavo.http.response import TEXT, Response
from octavo.http.router import Router

JSON: Final = "application/json"
MOST_IN_BATCH: Final = 10
_NO_BODY: Final = "POST body missing, invalid Content-Type, or JSON object has no keys."
_NO_QUERY: Final = "GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension."
_ONLY: Final = "Apollo Server supports only GET/POST requests."
ParseText = Callable[[str], Mapping[str, Any]]


class _BadRequest(Exception):
    """A request that is no operation; told as plain text."""


class GraphqlEndpoint:
    """Answers at one path. `make_engine` builds the schema."""

    def __init__(
        self,
        make_engine: Callable[[], Engine],
        authenticator: Authenticator,
        parse_text: ParseText,
        *,
        playground: bool = False,
    ) -> None:
        self._make_engine = make_engine
        self._authenticator = authenticator
        self._parse_text = parse_text
        self._playground = make_playground() if playground else None
        self._persisted = PersistedQueries()
        self._made: Engine | None = None

    def add_routes(self, router: Router, path: str) -> None:
        """Declare the endpoint."""
        router.add("POST", path, self.post)
        router.add("GET", path, self.get)
        router.add("OPTIONS", path, self.options)
        for method in ("HEAD", "PUT", "PATCH", "DELETE"):
            router.add(method, path, self.refuse)

    @property
    def engine(self) -> Engine:
        """The schema and all that goes with it."""
        if self._made is None:
            self._made = self._make_engine()
        return self._made

    def make_schema(self) -> None:
        """Make the engine now. Raises InvalidCode when a project's extension is unsound."""
        self.engine  # noqa: B018 - made when asked for

    async def options(self, request: Request) -> Response:
        """Nothing to say beyond the headers."""
        return Response(204, b"", "")

    async def refuse(self, request: Request) -> Response:
        """A method that carries no operation."""
        return Response(405, _ONLY.encode(), TEXT)

    async def get(self, request: Request) -> Response:
        """A query in the address; to a browser that brings none, the playground."""
        actor = await self._authenticator.authenticate(request.header("authorization"))
        if self._playground is not None and "text/html" in (request.header("accept") or ""):
            return self._playground
        params = self._parse_text(request.query)
        if not params.keys() & {"query", "extensions"}:
            return _text("GET query missing.")
        try:
            return await self._one(params, actor, request.client, from_address=True)
        except _BadRequest as error:
            return _text(str(error))

    async def post(self, request: Request) -> Response:
        """An operation, or a batch of them."""
        actor = await self._authenticator.authenticate(request.header("authorization"))
        value = await self._read(request)
        try:
            if isinstance(value, list) and value:
                return await self._batch(value, actor, request.client)
            if not isinstance(value, Mapping) or not value:
                raise _BadRequest(_NO_BODY)
            return await self._one(value, actor, request.client, from_address=False)
        except _BadRequest as error:
            return _text(str(error))

    async def _read(self, request: Request) -> Any:
        try:
            body = await read_body(request, self._parse_form)
        except MalformedBody as error:  # the reference reads these bodies elsewhere, and names its errors so
            raise MalformedBody(error.message) from None
        return read_operations(body.value, body.files) if body.is_form_data else body.value

    def _parse_form(self, text: str) -> dict[str, Any]:
        return dict(self._parse_text(text))

    async def _batch(self, operations: list[Any], actor: Actor, client: str) -> Response:
        if len(operations) > MOST_IN_BATCH:
            raise _BadRequest(f"A batch holds at most {MOST_IN_BATCH} operations.")
        if not all(isinstance(operation, Mapping) for operation in operations):
            raise _BadRequest(_NO_BODY)
        answers = [(await self._one(operation, actor, client, from_address=False)).body for operation in operations]
        return Response(200, b"[%b]" % b",".join(answers), JSON)

    async def _one(self, given: Mapping[str, Any], actor: Actor, client: str, *, from_address: bool) -> Response:
        text, variables = _read_text(given), _read_object(given, "variables")
        try:
            text = self._persisted.resolve(text, _read_object(given, "extensions"))
            if not text:
                return _failed(400, _NO_QUERY)
            document = self.engine.documents.read(text)
            name = given.get("operationName")
            operation = document.operation(None if name is None else str(name))
        except RefusedDocument as error:
            return _refused([render_refused(one, error.code) for one in error.errors])
        except PersistedQueryNotFound:
            return _failed(200, NOT_FOUND, NOT_FOUND_CODE)
        except GraphQLError as error:
            return _refused([render_refused(error, UNEXPECTED)])
        if from_address and operation.operation is not OperationType.QUERY:
            return _failed(405, "GET supports only query operation")
        try:
            answer = await self.engine.executor.run(document, operation, variables, actor, client)
            return Response(200, answer, JSON)
        except RefusedVariables as error:
            return _refused([render_refused(one, BAD_INPUT) for one in error.errors])


def _read_text(given: Mapping[str, Any]) -> str:
    text = given.get("query")
    if text is None:
        return ""
    if not isinstance(text, str):
        raise _BadRequest("GraphQL queries must be strings.")
    return text


def _read_object(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object, or the JSON of one, as addresses and forms have it."""
    value = given.get(name)
    if isinstance(value, str) and value:
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            raise _BadRequest(f"{name.capitalize()} are invalid JSON.") from None
    return dict(value) if isinstance(value, Mapping) else {}


def _text(message: str) -> Response:
    return Response(400, message.encode(), TEXT)


def _failed(status: int, message: str, code: str = UNEXPECTED) -> Response:
    error = {"message": message, "extensions": {"code": code}}
    return Response(status, orjson.dumps({"errors": [error]}), JSON)


def _refused(errors: list[dict[str, Any]]) -> Response:
    return Response(400, orjson.dumps({"errors": errors}), JSON)
