"""What operations refuse with: the one envelope of errors, and when each status is met."""

from collections.abc import Iterator
from typing import Final

from octavo.api.rest.openapi.components import Json, reference
from octavo.api.rest.operations import Operation

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
    400: ("BadRequest", "The address, the query or the body is not acceptable; `details.errors` says where"),
    401: ("Unauthorized", "The token is missing or not valid"),
    403: ("Forbidden", "The caller may not do this"),
    404: ("NotFound", "There is no such thing"),
    413: ("PayloadTooLarge", "The body is too large"),
    414: ("UriTooLong", "The address is too long"),
    415: ("UnsupportedMediaType", "The body is encoded in a way that is not understood"),
    429: ("TooManyRequests", "Too many attempts"),
    500: ("InternalServerError", "Something went wrong; the log of the service tells what"),
    503: (
        "ServiceUnavailable",
        "Something that is needed cannot be reached right now; `Retry-After` says when to come again",
    ),
}
_ALWAYS: Final = (400, 414, 500, 503)


def refusals(operation: Operation) -> Iterator[int]:
    """The statuses of an operation that are no success."""
    access = operation.admits
    found = {*operation.refuses, *_ALWAYS}
    if not access.public:
        found |= {401, 403} if access.scopes else {401}
    if operation.body:
        found |= {413, 415}
    yield from sorted(found)


def shared_responses() -> Json:
    """All of them, by name."""
    content = {"application/json": {"schema": reference("Error")}}
    return {name: {"description": description, "content": content} for name, description in _STATUSES.values()}


def refer(status: int) -> Json:
    """A `$ref` to the answer with a status."""
    return {"$ref": f"#/components/responses/{_STATUSES[status][0]}"}
