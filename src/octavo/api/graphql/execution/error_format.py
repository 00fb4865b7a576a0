"""Errors of the service as GraphQL tells them: code, name, message, details; never where in our code."""

from collections.abc import Iterable
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
"""The code of what has none of its own. Nothing need have gone wrong inside."""


class UnlistedComponent(OctavoError):
    """A dynamic zone holds a component that it does not list: its union has no type for it."""

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
)
_FORBIDDEN_MESSAGE: Final = "Forbidden access"


def render(error: OctavoError) -> dict[str, Any]:
    """An entry of `errors`. What is told as a failure of the service goes to the log too, with its reason."""
    if isinstance(error, ServiceUnavailable):
        report_outage(error)
    code = next((code for kind, code in _CODES if isinstance(error, kind)), BAD_INPUT)
    message = _FORBIDDEN_MESSAGE if type(error) is ForbiddenError else error.message
    told = {"name": error.name, "message": message, "details": dict(error.details or {})}
    return {"message": message, "extensions": {"error": told, "code": code}}


def render_refused(error: GraphQLError, code: str) -> dict[str, Any]:
    """An entry of `errors` about the document or its values: with its place, without ours."""
    rendered: dict[str, Any] = {"message": error.message}
    if error.locations:
        rendered["locations"] = [{"line": place.line, "column": place.column} for place in error.locations]
    if error.path:
        rendered["path"] = list(error.path)
    rendered["extensions"] = {"code": code}
    return rendered


def render_null(field: str, nodes: Iterable[Node]) -> dict[str, Any]:
    """An entry of `errors` for a field (`Article.title`) that is null and must not be, as graphql-core says it."""
    message = f"Cannot return null for non-nullable field {field}."
    return render_refused(GraphQLError(message, [*nodes]), UNEXPECTED)


FORBIDDEN: Final = render(ForbiddenError())
