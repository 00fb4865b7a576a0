"""The GraphQL endpoint: POST and GET, batches, forms with files; in the media type that the client asks for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
from graphql import GraphQLError, OperationType

from octavo.access.actors import Actor
from octavo.access.authenticator import Authenticator
from octavo.errors import MalformedBody, OctavoError
from octavo.graphql.documents import RefusedDocument
from octavo.graphql.engine import Engine
from octavo.graphql.errors import BAD_INPUT, UNEXPECTED, render, render_refused
from octavo.graphql.media_types import GRAPHQL_UTF8, JSON, prefers_graphql
from octavo.graphql.multipart import read_operations
from octavo.graphql.persisted import PersistedQueries, PersistedQueryRefused
from octavo.graphql.playground import make_playground
from octavo.graphql.texts import CacheLimits
from octavo.graphql.tracing import EXECUTION, Trace, TraceClock, stage
from octavo.graphql.variables import RefusedVariables
from octavo.http.body import FORM_DATA, read_body
from octavo.http.request import Request
from octavo.http.response import TEXT, Response
from octavo.http.router import Router

_NO_BODY: Final = "POST body missing, invalid Content-Type, or JSON object has no keys."
_NO_QUERY: Final = "GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension."
_ONLY: Final = "Apollo Server supports only GET/POST requests."
_UNASKED: Final = ("apollo-require-preflight", "x-apollo-operation-name", "graphql-require-preflight", "authorization")
"""Headers that browsers let no page of another site send without asking first."""
_SIMPLE_FORM: Final = (
    "A form needs one of the headers Apollo-Require-Preflight, X-Apollo-Operation-Name, GraphQL-Require-Preflight or "
    "Authorization, so that pages of other sites cannot send it."
)
ParseText = Callable[[str], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointOptions:
    """What the settings say of the endpoint. `persisted` bounds persisted queries; without it there are none."""

    playground: bool = False
    persisted: CacheLimits | None = None
    batch: int = 10
    simple_forms: bool = True
    trace_clock: TraceClock | None = None


class _BadRequest(Exception):
    """A request that is no operation."""


@dataclass(frozen=True, slots=True)
class _Caller:
    """Who asks, from where, and in which media type they want to be answered."""

    actor: Actor
    client: str
    answers: "_Answers"


@dataclass(frozen=True, slots=True)
class _Answers:
    """Answers in one media type: the specification's tells everything as JSON, the older one some things as text."""

    graphql: bool

    def json(self, status: int, body: bytes) -> Response:
        return Response(status, body, GRAPHQL_UTF8 if self.graphql else JSON)

    def errors(self, status: int, errors: list[dict[str, Any]]) -> Response:
        return self.json(status, orjson.dumps({"errors": errors}))

    def failed(self, status: int, message: str, code: str = UNEXPECTED) -> Response:
        return self.errors(status, [{"message": message, "extensions": {"code": code}}])

    def text(self, message: str) -> Response:
        return self.failed(400, message, BAD_INPUT) if self.graphql else Response(400, message.encode(), TEXT)


class GraphqlEndpoint:
    """Answers at one path. `make_engine` builds the schema."""

    def __init__(
        self,
        make_engine: Callable[[], Engine],
        authenticator: Authenticator,
        parse_text: ParseText,
        options: EndpointOptions,
    ) -> None:
        self._make_engine = make_engine
        self._authenticator = authenticator
        self._parse_text = parse_text
        self._options = options
        self._playground = make_playground() if options.playground else None
        self._persisted = PersistedQueries(options.persisted)
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
        accept = request.header("accept") or ""
        if self._playground is not None and "text/html" in accept:
            return self._playground
        answers = _Answers(prefers_graphql(accept))
        params = self._parse_text(request.query)
        if not params.keys() & {"query", "extensions"}:
            return answers.text("GET query missing.")
        try:
            return await self._one(params, _Caller(actor, request.client, answers), from_address=True)
        except _BadRequest as error:
            return answers.text(str(error))

    async def post(self, request: Request) -> Response:
        """An operation, or a batch of them."""
        answers = _Answers(prefers_graphql(request.header("accept") or ""))
        try:
            return await self._post(request, answers)
        except _BadRequest as error:
            return answers.text(str(error))
        except OctavoError as error:
            if not answers.graphql or error.status >= 500:
                raise
            return answers.errors(error.status, [render(error)])

    async def _post(self, request: Request, answers: _Answers) -> Response:
        actor = await self._authenticator.authenticate(request.header("authorization"))
        caller = _Caller(actor, request.client, answers)
        value = await self._read(request)
        if isinstance(value, list) and value:
            return await self._batch(value, caller)
        if not isinstance(value, Mapping) or not value:
            raise _BadRequest(_NO_BODY)
        return await self._one(value, caller, from_address=False)

    async def _read(self, request: Request) -> Any:
        if (
            request.content_type == FORM_DATA
            and not self._options.simple_forms
            and not any(map(request.header, _UNASKED))
        ):
            raise _BadRequest(_SIMPLE_FORM)
        try:
            body = await read_body(request, self._parse_form)
        except MalformedBody as error:  # the reference reads these bodies elsewhere, and names its errors so
            raise MalformedBody(error.message) from None
        return read_operations(body.value, body.files) if body.is_form_data else body.value

    def _parse_form(self, text: str) -> dict[str, Any]:
        return dict(self._parse_text(text))

    async def _batch(self, operations: list[Any], caller: _Caller) -> Response:
        if len(operations) > self._options.batch:
            raise _BadRequest(f"A batch holds at most {self._options.batch} operations.")
        if not all(isinstance(operation, Mapping) for operation in operations):
            raise _BadRequest(_NO_BODY)
        answers = [(await self._one(operation, caller, from_address=False)).body for operation in operations]
        return caller.answers.json(200, b"[%b]" % b",".join(answers))

    async def _one(self, given: Mapping[str, Any], caller: _Caller, *, from_address: bool) -> Response:
        text, variables, answers = _read_text(given), _read_object(given, "variables"), caller.answers
        trace = Trace(self._options.trace_clock) if self._options.trace_clock else None
        try:
            text = self._persisted.resolve(text, _read_object(given, "extensions"))
            if not text:
                return answers.failed(400, _NO_QUERY)
            document = self.engine.documents.read(text, trace)
            name = given.get("operationName")
            operation = document.operation(None if name is None else str(name))
        except RefusedDocument as error:
            return answers.errors(400, [render_refused(one, error.code) for one in error.errors])
        except PersistedQueryRefused as error:
            return answers.failed(200, str(error), error.code)
        except GraphQLError as error:
            return answers.errors(400, [render_refused(error, UNEXPECTED)])
        if from_address and operation.operation is not OperationType.QUERY:
            return answers.failed(405, "GET supports only query operation")
        try:
            with stage(trace, EXECUTION):
                answer = await self.engine.executor.run(document, operation, variables, caller.actor, caller.client)
        except RefusedVariables as error:
            return answers.errors(400, [render_refused(one, BAD_INPUT) for one in error.errors])
        return answers.json(200, answer if trace is None else trace.add_to(answer))


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
