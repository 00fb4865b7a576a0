"""Handle GraphQL requests: an operation, a batch, or a form with files, in the media type that the client accepts.

Imports graphql-core, so `endpoint` imports it late.
"""

from collections.abc import Awaitable, Coroutine, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeVar
from weakref import ref

import orjson
from graphql import GraphQLError, OperationType

from octavo.access.authorization.actor import Actor
from octavo.api.graphql.document.documents import VALIDATION_FAILED, Document, RefusedDocument
from octavo.api.graphql.document.literals import Literals, split_literals
from octavo.api.graphql.document.logins import Attempts, TooManyLogins
from octavo.api.graphql.document.persisted_queries import PersistedQueries, PersistedQueryRefused
from octavo.api.graphql.document.variables import RefusedVariables
from octavo.api.graphql.execution.engine import Engine, make_engine
from octavo.api.graphql.execution.error_format import (
    BAD_INPUT,
    UNEXPECTED,
    OperationUnavailable,
    render,
    render_refused,
)
from octavo.api.graphql.execution.prepared_operations import RequestedOperation
from octavo.api.graphql.options import GraphqlContent, GraphqlOptions, ParseText
from octavo.api.graphql.schema.exclusions import FieldKey
from octavo.api.graphql.tracing import EXECUTION, Trace
from octavo.api.http.body import FORM, FORM_DATA, read_body
from octavo.api.http.form_data import UploadedFile
from octavo.api.http.json_text import check_containers, parse_json
from octavo.api.http.request import MOST_PARSED_HERE, Request
from octavo.api.http.response import TEXT, Headers, Response
from octavo.core.cache import Cache, RecentKeys
from octavo.core.errors import BadRequestError, MalformedBody, OctavoError, ServiceUnavailable
from octavo.core.threads import compute
from octavo.core.values import dataclass

ResultT = TypeVar("ResultT")
_DEPTH: Final = 32
_VARIABLES: Final = "variables"


def read_operations(values: Mapping[str, Any], files: Iterable[UploadedFile]) -> Any:
    """Return the operation or the batch, with uploaded files inserted."""
    operations, places = _parsed(values, "operations"), _parsed(values, "map")
    if not isinstance(places, dict):
        raise BadRequestError("map must be an object of lists of places")
    by_name = {file.field: file for file in files}
    for name, paths in places.items():
        if name not in by_name:
            raise BadRequestError(f"map refers to the file {name!r}, which is missing")
        if not isinstance(paths, list):
            raise BadRequestError(f"map.{name} must be a list of places")
        for path in paths:
            _put(operations, str(path), by_name[name])
    return operations


def _parsed(values: Mapping[str, Any], name: str) -> Any:
    text = values.get(name)
    if not isinstance(text, str):
        raise BadRequestError(f"{name} must be given once, as JSON")
    return parse_json(text.encode("utf-8", "surrogatepass"), _DEPTH)


def _put(operations: Any, path: str, file: UploadedFile) -> None:
    """Put a file at a path such as `variables.files.0`.

    The specification requires a null there. Clients also send what `JSON.stringify` makes of a file, which is an empty
    object, or leave out the variable.
    """
    *steps, last = path.split(".")
    try:
        inside, in_variables = operations, False
        for step in steps:
            key = _key(inside, step)
            if step == _VARIABLES and not in_variables and isinstance(inside, dict):
                in_variables = True
                inside[step] = {} if inside.get(step) is None else inside[step]
            inside = inside[key]
        key = _key(inside, last)
        value = inside.get(key) if in_variables and isinstance(inside, dict) else inside[key]
        if value is not None and not (in_variables and value == {}):
            raise BadRequestError(f"{path} already has a value; send null instead of the file")
        inside[key] = file
    except (LookupError, TypeError, ValueError):
        raise BadRequestError(f"map refers to {path!r}, which is not in operations") from None


def _key(inside: Any, step: str) -> Any:
    """Return the name of a member or a non-negative list index."""
    if not isinstance(inside, list):
        return step
    if not (step.isascii() and step.isdecimal()):
        raise ValueError
    return int(step)


JSON: Final = "application/json"
_JSON: Final = JSON.encode()
GRAPHQL: Final = "application/graphql-response+json"
_SUBTYPE: Final = b"graphql-response"
GRAPHQL_UTF8: Final = "application/graphql-response+json; charset=utf-8"


def prefers_graphql(accept: str) -> bool:
    """Return whether a client accepts GraphQL's media type and does not prefer plain JSON.

    >>> [prefers_graphql(text) for text in ("*/*", "application/json", "application/graphql-response+json;q=0")]
    [False, False, False]
    >>> prefers_graphql("application/graphql-response+json, application/json;q=0.9, */*;q=0.1")
    True
    >>> prefers_graphql("application/json, application/graphql-response+json;q=0.5")
    False
    """
    if GRAPHQL not in accept.lower():
        return False
    weights = dict(map(_weighed, accept.lower().split(",")))
    return 0 < weights.get(GRAPHQL, 0) >= weights.get(JSON, 0)


def _weighed(item: str) -> tuple[str, float]:
    kind, *parameters = (part.strip() for part in item.split(";"))
    text = next((part[2:] for part in parameters if part.startswith("q=")), "1")
    try:
        return kind, float(text)
    except ValueError:
        return kind, 1.0


_NO_BODY: Final = "POST body missing, invalid Content-Type, or JSON object has no keys."
_LARGEST_KEPT: Final = 32 * 1024
"""Maximum bytes of a body whose operation is cached, and of an invalid document with its errors. Larger ones are rare,
and few of them would fill the cache."""
_PARSED_FACTOR: Final = 12
"""Maximum memory per byte of a body, with the parsed operation, which has its variables twice."""
_SHARED_BYTES: Final = 2_000
"""Bytes that a cached operation takes at most besides its variables and literals, if it shares its document."""
_NO_QUERY: Final = "GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension."
_NO_VARIABLES: Final = (
    "Variables must be provided as an Object where each property is a variable value. Perhaps look to see if an "
    "unparsed JSON string was provided."
)
_UNASKED: Final = ("apollo-require-preflight", "x-apollo-operation-name", "graphql-require-preflight", "authorization")
"""Headers that browsers send for pages of another site only after a preflight."""
_SIMPLE_FORM: Final = (
    "A form needs one of the headers Apollo-Require-Preflight, X-Apollo-Operation-Name, GraphQL-Require-Preflight or "
    "Authorization, so that pages of other sites cannot send it."
)

_URL_ENCODED: Final = "Operations are not taken from url-encoded forms: send JSON."


async def _traced(running: Awaitable[bytes], trace: Trace) -> bytes:
    with trace.stage(EXECUTION):
        return await running


class _BadRequest(Exception):
    """A request without a valid operation."""


async def _with_default_error_name(reading: Awaitable[ResultT]) -> ResultT:
    """Return what was read. The reference uses another parser here, with another error name."""
    try:
        return await reading
    except MalformedBody as error:
        raise MalformedBody(error.message) from None


class _SharedOperation:
    """An operation whose document is shared, and stays in memory only as long as it is cached itself."""

    __slots__ = ("_name", "_size", "_template", "_variables", "_written")

    def __init__(self, asked: RequestedOperation, literals: Literals) -> None:
        self._template = ref(literals.template)
        self._written = literals.written
        self._name = asked.operation.name.value if asked.operation.name else None
        self._variables = asked.variables
        self._size = asked.size

    def restore(self) -> RequestedOperation | None:
        """Return the operation, or None if its document is no longer cached."""
        template = self._template()
        literals = None if template is None else template.fill(self._written)
        if template is None or literals is None:
            return None
        operation = template.document.operation(self._name)
        return RequestedOperation(template.document, operation, self._variables, self._size, literals)


class _InvalidDocument(Exception):
    """A document that cannot be parsed, does not match the schema, or signs in too often, with its response's body."""

    def __init__(self, response: bytes) -> None:
        self.response = response


@dataclass(frozen=True, slots=True)
class _Answers:
    """Responses in one media type. The specification's has all errors as JSON, the older one has some as plain text.

    With `all_json`, both use JSON.
    """

    graphql: bool
    all_json: bool = False
    media_type: str = JSON

    def json(self, status: int, body: bytes, headers: Headers = ()) -> Response:
        return Response(status, body, self.media_type, headers)

    def unavailable(self, body: bytes) -> Response:
        """Return the response for an outage."""
        return self.json(503, body, ((b"retry-after", b"%d" % ServiceUnavailable.retry_after),))

    def outage(self, error: ServiceUnavailable) -> Response:
        """Return the response for an outage before the operation runs."""
        return self.unavailable(orjson.dumps({"errors": [render(error)]}))

    def errors(self, status: int, errors: list[dict[str, Any]]) -> Response:
        return self.json(status, orjson.dumps({"errors": errors}))

    def failed(self, status: int, message: str, code: str = UNEXPECTED) -> Response:
        return self.errors(status, [{"message": message, "extensions": {"code": code}}])

    def invalid_variables(self, error: RefusedVariables, asked: RequestedOperation) -> Response:
        """Return the response to an operation with invalid variables."""
        return self.errors(400, asked.place([render_refused(one, BAD_INPUT) for one in error.errors]))

    def text(self, message: str) -> Response:
        if self.graphql or self.all_json:
            return self.failed(400, message, BAD_INPUT)
        return Response(400, message.encode(), TEXT)


MOST_READ_HERE: Final = 1024
"""Maximum characters of a document to parse and validate in the event loop, which takes a few milliseconds."""

_AS_GRAPHQL: Final = _Answers(graphql=True, media_type=GRAPHQL_UTF8)


class _Caller(NamedTuple):
    """The caller, the request, the format of responses, the body's size in bytes, and a batch's sign-in attempts."""

    actor: Actor
    request: Request
    answers: _Answers
    size: int = 0
    attempts: Attempts | None = None


def open_answering(content: GraphqlContent, parse_text: ParseText, options: GraphqlOptions) -> "RequestHandler":
    """Return the request handler. Raises InvalidCode if a project's extension is invalid."""
    return RequestHandler(make_engine(content, options), content, parse_text, options)


class RequestHandler:
    """Handles requests with an engine."""

    def __init__(self, engine: Engine, content: GraphqlContent, parse_text: ParseText, options: GraphqlOptions) -> None:
        self._documents = engine.documents
        self._templates = engine.templates
        self._executor = engine.executor
        self._authenticator = content.authenticator
        self._parse_text = parse_text
        self._options = options
        self._as_ever = _Answers(graphql=False, all_json=options.json_errors)
        caches = content.caches
        self._persisted = PersistedQueries(caches.cache("GraphQL persisted queries") if options.persisted else None)
        self._operations: Cache[bytes, RequestedOperation | _SharedOperation] = caches.cache("GraphQL bodies")
        self._recent = RecentKeys()
        self._is_traced = options.trace_clock is not None
        self._refusals: Cache[str, bytes] = caches.cache("GraphQL invalid documents")

    @property
    def declared(self) -> frozenset[FieldKey]:
        """The root fields for which the project has set `auth`, `policies` or a resolver."""
        code = self._executor.code
        return code.customization.declared if code else frozenset()

    async def get(self, request: Request) -> Response:
        """Run a query in the URL."""
        answers = self._answers_for(request)
        try:
            actor = request.actor = await self._authenticate(request)
            return await self._get(request, actor, answers)
        except ServiceUnavailable as error:
            return answers.outage(error)

    async def _get(self, request: Request, actor: Actor, answers: _Answers) -> Response:
        changed = None if request.overlay is None else request.overlay.values
        params = self._parse_text(request.query) if changed is None else changed()
        if not params.keys() & {"query", "extensions"}:
            return answers.text("GET query missing.")
        try:
            return await self._one(params, _Caller(actor, request, answers), from_address=True)
        except _BadRequest as error:
            return answers.text(str(error))

    async def post(self, request: Request) -> Response:
        """Run an operation or a batch."""
        accept = request.headers.get(b"accept")
        answers = self._as_ever if accept is None or _SUBTYPE not in accept.lower() else self._answers_for(request)
        try:
            at_once = None if request.is_followed else self._authenticator.at_once(request.header("authorization"))
            actor = request.actor = at_once or await self._authenticate(request)
            is_json = request.headers.get(b"content-type") == _JSON or request.content_type == JSON
            body = await request.body() if is_json else b""
            known = self._operations.get(body)
            asked = known.restore() if isinstance(known, _SharedOperation) else known
            if asked is None:
                value = self._parse_here(request, body)
                asked = self._known_operation(value, len(body)) if value.__class__ is dict else None
                if asked is None or not asked.is_query_with_values or self._is_traced or self._recent.repeats(body):
                    return await self._post(value, _Caller(actor, request, answers, len(body)), body, asked)
                asked.is_new = True
            request.is_read = True
            try:
                return Response(200, await self._executor.run(asked, actor, request), answers.media_type)
            except RefusedVariables as error:
                return answers.invalid_variables(error, asked)
        except OperationUnavailable as error:
            return answers.unavailable(error.body)
        except ServiceUnavailable as error:
            return answers.outage(error)
        except _BadRequest as error:
            return answers.text(str(error))
        except OctavoError as error:
            if not answers.graphql or error.status >= 500:
                raise
            return answers.errors(error.status, [render(error)])

    def _authenticate(self, request: Request) -> Awaitable[Actor]:
        return self._authenticator.authenticate(request.header("authorization"))

    def _parse_here(self, request: Request, body: bytes) -> Any:
        """Return the value of a body, or None for those that are not parsed in the event loop."""
        if not body or request.overlay is not None or len(body) > MOST_PARSED_HERE:
            return None
        try:
            return parse_json(body, request.options.body.json_depth)
        except MalformedBody as error:
            raise MalformedBody(error.message) from None

    def _post(
        self, value: Any, caller: _Caller, body: bytes, known: RequestedOperation | None
    ) -> Coroutine[Any, Any, Response]:
        """Return the coroutine that handles a body, whose value is None if it is not parsed yet."""
        if known is not None:
            return self._one(value, caller, body=body, known=known)
        return self._post_other(caller, body) if value is None else self._answer(value, caller, body)

    async def _post_other(self, caller: _Caller, body: bytes) -> Response:
        value, size = await self._read(caller.request, body)
        return await self._answer(value, caller._replace(size=size), body)

    def _answer(self, value: Any, caller: _Caller, body: bytes) -> Coroutine[Any, Any, Response]:
        """Return the coroutine that runs the operation or the batch of a parsed body. Raises _BadRequest."""
        if isinstance(value, list) and value:
            return self._batch(value, caller._replace(attempts=Attempts(self._options.logins)))
        if not value or not isinstance(value, Mapping):
            raise _BadRequest(_NO_BODY)
        return self._one(value, caller, body=body)

    async def _read(self, request: Request, body: bytes) -> tuple[Any, int]:
        """Return the parsed body, and its size in bytes. `body` is empty unless it is JSON."""
        if body and request.overlay is None:
            return await _with_default_error_name(request.json()), len(body)
        if (
            request.content_type == FORM_DATA
            and not self._options.simple_forms
            and not any(map(request.header, _UNASKED))
        ):
            raise _BadRequest(_SIMPLE_FORM)
        if request.content_type == FORM and not self._options.url_encoded:
            raise _BadRequest(_URL_ENCODED)
        form = await _with_default_error_name(read_body(request, self._parse_form))
        return (read_operations(form.value, form.files) if form.is_form_data else form.value), form.size

    def _answers_for(self, request: Request) -> _Answers:
        accept = request.headers.get(b"accept", b"")
        if _SUBTYPE not in accept.lower() or not prefers_graphql(accept.decode("latin-1")):
            return self._as_ever
        return _AS_GRAPHQL

    def _parse_form(self, text: str) -> dict[str, Any]:
        return dict(self._parse_text(text))

    async def _batch(self, operations: list[Any], caller: _Caller) -> Response:
        if len(operations) > self._options.batch:
            raise _BadRequest(f"A batch can have at most {self._options.batch} operations.")
        if not all(isinstance(operation, Mapping) for operation in operations):
            raise _BadRequest(_NO_BODY)
        answers = [await self._one(operation, caller) for operation in operations]
        body = b"[%b]" % b",".join(answer.body for answer in answers)
        if all(answer.status == 503 for answer in answers):
            return caller.answers.unavailable(body)
        return caller.answers.json(200, body)

    async def _one(
        self,
        given: Mapping[str, Any],
        caller: _Caller,
        *,
        from_address: bool = False,
        body: bytes = b"",
        known: RequestedOperation | None = None,
    ) -> Response:
        answers = caller.answers
        trace = Trace(self._options.trace_clock) if self._options.trace_clock else None
        try:
            asked = known or self._known_operation(given, caller.size)
            asked = asked or await self._read_operation(given, trace, caller.size)
            if asked is not None and asked.is_mutation and not from_address:
                self._count_logins(asked, caller)
        except _InvalidDocument as error:
            return answers.json(400, error.response)
        except PersistedQueryRefused as error:
            return answers.failed(200, str(error), error.code)
        except GraphQLError as error:
            return answers.errors(400, [render_refused(error, UNEXPECTED)])
        if asked is None:
            return answers.failed(400, _NO_QUERY)
        is_query = asked.operation.operation is OperationType.QUERY
        if from_address and not is_query:
            return answers.failed(405, "GET supports only query operation")
        caller.request.is_read = is_query and bool(body)
        asked.is_new = bool(body) and asked.is_query_with_values and not self._recent.repeats(body)
        try:
            running = self._executor.run(asked, caller.actor, caller.request)
            answer = await (running if trace is None else _traced(running, trace))
        except OperationUnavailable as error:
            return answers.unavailable(error.body)
        except RefusedVariables as error:
            return answers.invalid_variables(error, asked)
        is_kept = is_query and not asked.is_new and 0 < len(body) <= _LARGEST_KEPT
        if is_kept and trace is None and "extensions" not in given:
            self._keep(body, asked)
        return answers.json(200, answer if trace is None else trace.add_to(answer))

    def _keep(self, body: bytes, asked: RequestedOperation) -> None:
        """Cache the operation of a body."""
        size = _PARSED_FACTOR * len(body)
        if asked.literals is None:
            self._operations.put(body, asked, size + asked.document.size)
        else:
            self._operations.put(body, _SharedOperation(asked, asked.literals), size + _SHARED_BYTES)

    def _count_logins(self, asked: RequestedOperation, caller: _Caller) -> None:
        """Count the sign-in attempts of a mutation. Raises _InvalidDocument if there are too many."""
        attempts = caller.attempts or Attempts(self._options.logins)
        try:
            attempts.add(asked.operation, asked.document.fragments)
        except TooManyLogins as error:
            rendered = {"message": str(error), "extensions": {"code": VALIDATION_FAILED}}
            raise _InvalidDocument(orjson.dumps({"errors": [rendered]})) from None

    def _known_operation(self, given: Mapping[str, Any], size: int) -> RequestedOperation | None:
        """Return the operation of a document that is cached and has only one; None if that needs more than a lookup."""
        text, variables, name = given.get("query"), given.get("variables"), given.get("operationName")
        if text.__class__ is not str or variables.__class__ is not dict or "extensions" in given:
            return None
        document = self._documents.known(text)
        operation = None if document is None else document.only
        if document is None or operation is None:
            return None
        if name is not None and (operation.name is None or operation.name.value != name):
            return None
        return RequestedOperation(document, operation, variables, size)

    async def _read_operation(
        self, given: Mapping[str, Any], trace: Trace | None, size: int
    ) -> RequestedOperation | None:
        """Return the operation to run, or None without a query. Raises the errors of invalid documents."""
        text, variables = given.get("query"), given.get("variables")
        if text.__class__ is not str:
            text = _read_text(given)
        if variables.__class__ is not dict:
            variables = _read_json(given, "variables")
        if "extensions" in given:
            text = self._persisted.resolve(text, _object(_read_json(given, "extensions")))
        if not text:
            return None
        document, literals = self._documents.known(text), None
        if document is None:
            document, literals = await self._read_document(text, trace)
        name = given.get("operationName")
        operation = document.operation(None if name is None else str(name))
        if variables.__class__ is not dict:
            if not isinstance(variables, Mapping | list | None):
                raise GraphQLError(_NO_VARIABLES)
            variables = _object(variables)
        return RequestedOperation(document, operation, variables, size, literals)

    async def _read_document(self, text: str, trace: Trace | None) -> tuple[Document, Literals | None]:
        """Return the document of a text that is not cached, and the text's literals if others share the document.

        Raises _InvalidDocument, at once for a text seen before.
        """
        response = self._refusals.get(text)
        if response is not None:
            raise _InvalidDocument(response)
        split = split_literals(text)
        literals = None if split is None else self._templates.find(split)
        if literals is not None:
            return literals.template.document, literals

        def read() -> Document:
            document = self._documents.read(text, trace)
            if split is not None:
                self._templates.learn(split)
            return document

        try:
            return self._documents.keep(await compute(read, len(text), MOST_READ_HERE)), None
        except RefusedDocument as error:
            response = orjson.dumps({"errors": [render_refused(one, error.code) for one in error.errors]})
            if len(text) + len(response) <= _LARGEST_KEPT:
                self._refusals.put(text, response)
            raise _InvalidDocument(response) from None


def _read_text(given: Mapping[str, Any]) -> str:
    text = given.get("query")
    if text is None:
        return ""
    if not isinstance(text, str):
        raise _BadRequest("GraphQL queries must be strings.")
    return text


def _read_json(given: Mapping[str, Any], name: str) -> Any:
    """Return a value, parsed if it is JSON text, as in URLs and forms."""
    value = given.get(name)
    if isinstance(value, str) and value:
        try:
            text = value.encode()
            check_containers(text)
            return orjson.loads(text)
        except (ValueError, MalformedBody):
            raise _BadRequest(f"{name.capitalize()} are invalid JSON.") from None
    return None if value == "" else value


def _object(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
