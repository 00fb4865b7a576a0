"""Errors of the builder. The admin panel expects the bodies of Strapi v4: `{"error": ...}`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from octavo.core.errors import OctavoError, Problem

UNREADABLE: Final = "The form is invalid"


class BuilderError(OctavoError):
    """A rejected change. `body` is the complete response body."""

    status = 400
    name = "ValidationError"

    def __init__(self, message: str, error: Any, status: int = 400) -> None:
        super().__init__(message)
        self.status = status
        self.body: Mapping[str, Any] = {"error": error}


def refused(problems: Sequence[Problem]) -> BuilderError:
    """Return the error for a form with problems."""
    message = problems[0].message if len(problems) == 1 else f"{len(problems)} errors occurred"
    errors = {"errors": [problem.as_json() for problem in problems]}
    return BuilderError(message, {"name": "ValidationError", "details": errors, "message": message})


def said(message: str, status: int = 400) -> BuilderError:
    """Return the error with a short message."""
    return BuilderError(message, message, status)


def unreadable() -> BuilderError:
    """Return the error for a form without its main part, for which Strapi v4 has no message."""
    return BuilderError(UNREADABLE, {})


CONTENT_TYPE_NOT_FOUND: Final = "contentType.notFound"
COMPONENT_NOT_FOUND: Final = "component.notFound"
COMPONENT_EXISTS: Final = "component.alreadyExists"
