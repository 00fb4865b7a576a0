"""Build the whole document: paths from the operations of routes, and the components that they refer to."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from octavo.access.authorization.actions import ACCOUNTS
from octavo.api.http.router import Router
from octavo.api.rest.openapi.answers import ID, AnswerSchemas
from octavo.api.rest.openapi.components import Components, Json, pascal_case, reference
from octavo.api.rest.openapi.grammar import QueryParameters
from octavo.api.rest.openapi.inputs import InputSchemas
from octavo.api.rest.openapi.named import NamedSchemas
from octavo.api.rest.operations import EntryForm, RestOperation, refuse
from octavo.core.values import dataclass
from octavo.query.params import PageLimits
from octavo.schema.registry import Registry

ERROR: Final[Json] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "data": {"type": "null"},
        "error": {
            "anyOf": [
                {
                    "type": "object",
                    "required": ["status", "name", "message"],
                    "properties": {
                        "status": {"type": "integer"},
                        "name": {"type": "string"},
                        "message": {"type": "string"},
                        "details": {
                            "type": "object",
                            "properties": {
                                "errors": {"type": "array", "items": {"$ref": "#/components/schemas/Problem"}}
                            },
                        },
                    },
                },
                {"type": "string"},
            ]
        },
    },
}
PROBLEM: Final[Json] = {
    "type": "object",
    "required": ["path", "message", "name"],
    "properties": {
        "path": {"type": "array", "items": {"type": "string"}},
        "message": {"type": "string"},
        "name": {"type": "string"},
    },
}
_STATUSES: Final = {
    400: ("BadRequest", "The path, query or body is invalid; `details.errors` names the places"),
    401: ("Unauthorized", "The token is missing or invalid"),
    403: ("Forbidden", "The caller lacks the permission"),
    404: ("NotFound", "Not found"),
    413: ("PayloadTooLarge", "The body is too large"),
    414: ("UriTooLong", "The URL is too long"),
    415: ("UnsupportedMediaType", "The content encoding of the body is not supported"),
    429: ("TooManyRequests", "Too many attempts"),
    500: ("InternalServerError", "Internal error; see the log of the service"),
    503: (
        "ServiceUnavailable",
        "The service is temporarily unavailable; retry after the seconds in `Retry-After`",
    ),
}
_ALWAYS: Final = (400, 414, 500, 503)


def refusals(operation: RestOperation) -> Iterator[int]:
    """Yield the error statuses of an operation."""
    access = operation.admits
    statuses = {*operation.refuses, *_ALWAYS}
    if not access.public:
        statuses |= {401, 403} if access.scopes else {401}
    if operation.body:
        statuses |= {413, 415}
    yield from sorted(statuses)


def shared_responses() -> Json:
    """Return all error responses, by name."""
    content = {"application/json": {"schema": reference("Error")}}
    return {name: {"description": description, "content": content} for name, description in _STATUSES.values()}


def refer(status: int) -> Json:
    """Return a `$ref` to the response with a status."""
    return {"$ref": f"#/components/responses/{_STATUSES[status][0]}"}


VERSION: Final = "3.1.0"
_NAME: Final = re.compile(r":(\w+)")
_BEARER: Final = "bearerAuth"
_MULTIPART: Final = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class Described:
    """The input for a document. `url` is the service's URL."""

    router: Router
    registry: Registry
    limits: PageLimits
    title: str = "API"
    version: str = "1.0.0"
    url: str = ""
    wraps_morphs: bool = False


def make_document(described: Described, public: Collection[str] = ()) -> Json:
    """Return the document. `public` are the actions that need no token."""
    return _Writer(described, public).document()


class _Writer:
    def __init__(self, described: Described, public: Collection[str]) -> None:
        registry = described.registry
        self._described = described
        self._public = public
        self._types = registry.content_types
        self._components = Components()
        self._components.refer("Error", "Error", lambda: ERROR)
        self._components.refer("Problem", "Problem", lambda: PROBLEM)
        self._answers = AnswerSchemas(registry, self._components, wraps_morphs=described.wraps_morphs)
        self._inputs = InputSchemas(registry, self._components)
        self._named = NamedSchemas(registry, self._components, self._answers, self._inputs)
        self._parameters = QueryParameters(registry, self._components, described.limits)
        self._ids: set[str] = set()

    def document(self) -> Json:
        paths: dict[str, Json] = {}
        tags: dict[str, None] = {}
        for route in self._described.router.declared():
            operation = route.operation
            if isinstance(operation, RestOperation) and route.handler is not refuse:
                path = _NAME.sub(r"{\1}", route.template)
                paths.setdefault(path, {})[route.method.lower()] = self._operation(operation)
                tags[operation.tag] = None
        return {
            "openapi": VERSION,
            "info": {"title": self._described.title, "version": self._described.version},
            "servers": [{"url": self._described.url or "/"}],
            "tags": [{"name": tag} for tag in tags],
            "paths": paths,
            "components": {
                "schemas": self._components.complete(),
                "responses": shared_responses(),
                "securitySchemes": {_BEARER: _SCHEME},
            },
        }

    def _operation(self, operation: RestOperation) -> Json:
        written: Json = {
            "operationId": self._operation_id(operation),
            "summary": operation.summary,
            "tags": [operation.tag],
            "security": self._security(operation),
            "parameters": [*_path_parameters(operation), *self._parameters.of(operation)],
            "responses": self._responses(operation),
        }
        if operation.body is not None:
            written["requestBody"] = {"required": True, "content": self._body(operation)}
        return {**written, "x-action": operation.action}

    def _operation_id(self, operation: RestOperation) -> str:
        """Return the operation id, derived from the action to be independent of paths."""
        if not operation.action:
            return self._free(pascal_case(f"{operation.method.lower()} {operation.path}"))
        controller, _, action = operation.action.rpartition(".")
        kind, _, name = controller.partition("::")
        owner, _, controller = name.rpartition(".")
        parts = (controller, action) if kind == "api" else (owner, controller, action)
        return self._free("".join(pascal_case(part) for part in parts))

    def _free(self, name: str) -> str:
        chosen = made = name[:1].lower() + name[1:]
        number = 1
        while chosen in self._ids:
            number += 1
            chosen = f"{made}{number}"
        self._ids.add(chosen)
        return chosen

    def _security(self, operation: RestOperation) -> list[Json]:
        access = operation.admits
        if access.public:
            return []
        open_to_all = bool(access.scopes) and all(action in self._public for action in access.scopes)
        return [*([{}] if open_to_all else []), {_BEARER: []}]

    def _responses(self, operation: RestOperation) -> Json:
        responses: dict[str, Json] = {}
        answered: Json = {"description": "Found" if operation.status == 302 else "Done"}
        if operation.answer is not None:
            answered["content"] = {"application/json": {"schema": self._answer(operation, operation.answer)}}
        if operation.status == 302:
            answered["headers"] = {"Location": {"schema": {"type": "string"}}}
        responses[str(operation.status)] = answered
        if operation.is_own:
            responses["default"] = {"description": "Other responses of the project's code"}
        if operation.may_be_empty:
            responses["204"] = {"description": "There is none"}
        statuses = (*refusals(operation), *((429,) if operation.action.startswith(ACCOUNTS) else ()))
        return {**responses, **{str(status): refer(status) for status in sorted(statuses)}}

    def _answer(self, operation: RestOperation, form: EntryForm | str) -> Json:
        if isinstance(form, str):
            return self._named.refer(form)
        content_type = self._types[operation.uid]
        match form:
            case EntryForm.ENTRY:
                return self._answers.entry_answer(content_type)
            case EntryForm.ENTRIES:
                return self._answers.list_answer(content_type)
            case EntryForm.FLAT:
                return self._answers.flat(content_type)
            case EntryForm.FLAT_LIST:
                return {"type": "array", "items": self._answers.flat(content_type)}

    def _body(self, operation: RestOperation) -> Json:
        assert operation.body is not None, "asked only where there is one"
        if operation.body == "Upload":
            encoding = {"fileInfo": {"contentType": "application/json"}}
            return {_MULTIPART: {"schema": self._named.refer("Upload"), "encoding": encoding}}
        if isinstance(operation.body, str):
            return {"application/json": {"schema": self._named.refer(operation.body)}}
        content_type = self._types[operation.uid]
        creating = operation.method == "POST"
        if operation.body is EntryForm.FLAT:
            return {"application/json": {"schema": self._inputs.localization(content_type)}}
        body = {"application/json": {"schema": self._inputs.body(content_type, creating=creating)}}
        form = self._inputs.form(content_type, creating=creating)
        if form is not None:
            body[_MULTIPART] = {"schema": form, "encoding": {"data": {"contentType": "application/json"}}}
        return body


_SCHEME: Final[Json] = {
    "type": "http",
    "scheme": "bearer",
    "description": "An API token, or the `jwt` of a signed-in user",
}


def _path_parameters(operation: RestOperation) -> Iterable[Json]:
    for name in _NAME.findall(operation.path):
        schema: dict[str, Any] = ID if name == "id" else {"type": "string"}
        yield {"name": name, "in": "path", "required": True, "schema": schema}
