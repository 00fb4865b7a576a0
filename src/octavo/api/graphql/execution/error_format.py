"""Format errors for GraphQL: code, name, message and details, without stack traces."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from graphql import GraphQLError, Node

from octavo.core.errors import (
    ApplicationError,
    ForbiddenError,
    LoggedError,
    NotFoundError,
    OctavoError,
    PaginationError,
    ServiceUnavailable,
)
from octavo.core.outage_log import report_outage

BAD_INPUT: Final = "BAD_USER_INPUT"
UNEXPECTED: Final = "INTERNAL_SERVER_ERROR"
"""The code of errors that have no other code, even if they are not internal errors."""


UNAVAILABLE: Final = "SERVICE_UNAVAILABLE"


class OperationUnavailable(Exception):
    """An outage left all root fields of an operation without a value. `body` is the JSON response."""

    def __init__(self, body: bytes) -> None:
        super().__init__(UNAVAILABLE)
        self.body = body


class UnlistedComponent(OctavoError):
    """A dynamic zone contains a component that its definition does not list, so the union has no type for it."""

    status = 400
    name = "UnlistedComponentError"

    def __init__(self, union: str) -> None:
        super().__init__(f'A component that is stored is not a possible type for "{union}".')


_CODES: Final[tuple[tuple[type[OctavoError], str], ...]] = (
    (ForbiddenError, "FORBIDDEN"),
    (NotFoundError, "STRAPI_NOT_FOUND_ERROR"),
    (ApplicationError, "STRAPI_APPLICATION_ERROR"),
    (PaginationError, "STRAPI_PAGINATION_ERROR"),
    (UnlistedComponent, UNEXPECTED),
    (LoggedError, UNEXPECTED),
    (ServiceUnavailable, UNAVAILABLE),
)
_FORBIDDEN_MESSAGE: Final = "Forbidden access"


def render(error: OctavoError) -> dict[str, Any]:
    """Return an item of `errors`. Outages are also logged, with their reason."""
    if isinstance(error, ServiceUnavailable):
        report_outage(error)
    code = next((code for kind, code in _CODES if isinstance(error, kind)), BAD_INPUT)
    message = _FORBIDDEN_MESSAGE if type(error) is ForbiddenError else error.message
    body = {"name": error.name, "message": message, "details": dict(error.details or {})}
    return {"message": message, "extensions": {"error": body, "code": code}}


def is_outage(errors: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether one of the items of `errors` is an outage."""
    return any(error["extensions"]["code"] == UNAVAILABLE for error in errors)


def render_refused(error: GraphQLError, code: str) -> dict[str, Any]:
    """Return an item of `errors` about the document or its variables, with its location in the document."""
    rendered: dict[str, Any] = {"message": error.message}
    if error.locations:
        rendered["locations"] = [{"line": place.line, "column": place.column} for place in error.locations]
    if error.path:
        rendered["path"] = list(error.path)
    rendered["extensions"] = {"code": code}
    return rendered


def render_null(field: str, nodes: Iterable[Node]) -> dict[str, Any]:
    """Return an item of `errors` for a required field (`Article.title`) that is null, with graphql-core's message."""
    message = f"Cannot return null for non-nullable field {field}."
    return render_refused(GraphQLError(message, [*nodes]), UNEXPECTED)


FORBIDDEN: Final = render(ForbiddenError())
