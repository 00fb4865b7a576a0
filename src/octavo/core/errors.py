"""Errors that clients receive: name, status, message, details. The APIs render them as response bodies.

Errors of a single module are defined there, as subclasses of these.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from octavo.core.values import dataclass


class MissingExtra(ValueError):
    """The parsers of JavaScript, which the extra `v4` installs, are missing."""

    def __init__(self) -> None:
        super().__init__("Strapi v4 projects require the extra `v4`: pip install 'octavo[v4]'")


def is_missing_parser(error: ModuleNotFoundError) -> bool:
    """Return whether an import failed because the extra `v4` is not installed."""
    return (error.name or "").startswith("tree_sitter")


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: its path, its message, and the name of its error class."""

    path: tuple[str, ...]
    message: str
    name: str = "ValidationError"

    def as_json(self) -> dict[str, Any]:
        return {"path": list(self.path), "message": self.message, "name": self.name}


class OctavoError(Exception):
    """Base class of errors that callers can see.

    `message` is the text of the response, and `details` its JSON object `error.details`.
    """

    status = 500
    name = "InternalServerError"
    message = "Internal Server Error"
    bare = False
    """Whether Strapi v4 returns only the message over REST."""

    def __init__(self, message: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        self.message = message if message is not None else type(self).message
        self.details: Mapping[str, Any] | None = {} if details is None else details
        super().__init__(self.message)


class LoggedError(OctavoError):
    """An unexpected error that has been logged. Clients receive no details."""

    def __init__(self) -> None:
        super().__init__()
        self.details = None


class ValidationError(OctavoError):
    """The data or parameters are invalid."""

    status = 400
    name = "ValidationError"
    message = "Invalid data"

    @classmethod
    def from_problems(cls, problems: Iterable[Problem]) -> "ValidationError":
        """Return an error for problems. It has the message of a single one, or the number of several."""
        listed = list(problems)
        message = listed[0].message if len(listed) == 1 else f"{len(listed)} errors occurred"
        return cls(message, {"errors": [problem.as_json() for problem in listed]})


def problems_of(error: OctavoError) -> list[Problem]:
    """Return the problems in an error, or the error itself as one."""
    listed = (error.details or {}).get("errors")
    if not listed:
        return [Problem((), error.message, error.name)]
    return [Problem(tuple(one["path"]), one["message"], one["name"]) for one in listed]


class InvalidParameter(ValidationError):
    """A query parameter refers to something that does not exist or is not allowed; `path` is its position."""

    def __init__(self, parameter: str, path: Iterable[str] = ()) -> None:
        super().__init__(f"Invalid parameter {parameter}")
        self.path = tuple(path)


class PaginationError(OctavoError):
    """The pagination parameters are contradictory. The name is Strapi v4's; each API uses v4's messages."""

    status = 400
    name = "PaginationError"


class ApplicationError(OctavoError):
    """A rule of the application forbids the request."""

    status = 400
    name = "ApplicationError"
    message = "An application error occurred"


class BadRequestError(OctavoError):
    """The request is malformed."""

    status = 400
    name = "BadRequestError"
    message = "Bad Request"


class MaliciousPath(BadRequestError):
    """The path starts with two slashes, which some clients and proxies take as a host name. Rendered without
    details."""

    message = "Malicious Path"

    def __init__(self) -> None:
        super().__init__()
        self.details = None


class MalformedBody(OctavoError):
    """The body cannot be parsed. The error names are those of Strapi v4's body parser, without details."""

    status = 400
    name = "SyntaxError"
    message = "Malformed body"

    def __init__(self, message: str, name: str = "SyntaxError") -> None:
        super().__init__(message)
        self.name = name
        self.details = None


class UnauthorizedError(OctavoError):
    """The credentials are missing or invalid."""

    status = 401
    name = "UnauthorizedError"
    message = "Unauthorized"


class ForbiddenError(OctavoError):
    """The caller does not have the permission."""

    status = 403
    name = "ForbiddenError"
    message = "Forbidden"


class PolicyError(ForbiddenError):
    """A policy rejected the request."""

    name = "PolicyError"
    message = "Policy Failed"


class ClosedError(ForbiddenError):
    """The project has v4 code that guards this operation, and that code does not run in Octavo."""

    message = "Closed: the code that guards this route is not running"


class NotPortedError(OctavoError):
    """The route has a v4 handler of the project, which does not run in Octavo."""

    status = 501
    name = "NotImplementedError"
    message = "Not Implemented"


class NotFoundError(OctavoError):
    """The entry or route does not exist."""

    status = 404
    name = "NotFoundError"
    message = "Not Found"


class UnknownDefinition(NotFoundError):
    """Unknown content type or component. `what` is Strapi v4's term for it."""

    bare = True

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}.notFound")


class MethodNotAllowed(OctavoError):
    """The path exists, the method does not."""

    status = 405
    name = "MethodNotAllowedError"
    message = "Method Not Allowed"


class RequestTimeoutError(OctavoError):
    """The body did not arrive in time."""

    status = 408
    name = "RequestTimeoutError"
    message = "The request body did not arrive in time"


class PayloadTooLargeError(OctavoError):
    """The body is larger than the configured limit."""

    status = 413
    name = "PayloadTooLargeError"
    message = "Entity too large"


class UriTooLongError(OctavoError):
    """The path and the query string are longer than the configured limit."""

    status = 414
    name = "UriTooLongError"
    message = "The URL is too long"


class UnsupportedMediaTypeError(OctavoError):
    """The body's encoding is not supported."""

    status = 415
    name = "UnsupportedMediaTypeError"
    message = "Unsupported content encoding"


class HeadersTooLargeError(OctavoError):
    """There are more headers than the configured limit."""

    status = 431
    name = "RequestHeaderFieldsTooLargeError"
    message = "Too many headers"


class RateLimitError(OctavoError):
    """The caller sent too many requests."""

    status = 429
    name = "RateLimitError"
    message = "Too many requests, please try again later."


class TablesChanged(Exception):
    """A statement uses a table or column that does not exist or has a different type: another process has applied newer
    definitions.

    Nothing was changed. The message is the database's; clients receive ServiceUnavailable.
    """


class ServiceUnavailable(OctavoError):
    """A required service is not available now.

    `retry_after` is in seconds. `reason` appears only in the log.
    """

    status = 503
    name = "ServiceUnavailableError"
    message = "Service Unavailable"
    retry_after = 5
    is_outage = True
    """Whether it is logged as an outage."""

    def __init__(self, message: str | None = None, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason
