"""What the builder refuses with. Its pages know these by their bodies, which are the reference's: `{"error": ...}`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from octavo.core.errors import OctavoError, Problem

UNREADABLE: Final = "The form cannot be read"


class BuilderError(OctavoError):
    """A change that is not made. `body` is the whole answer."""

    status = 400
    name = "ValidationError"

    def __init__(self, message: str, error: Any, status: int = 400) -> None:
        super().__init__(message)
        self.status = status
        self.body: Mapping[str, Any] = {"error": error}


def refused(problems: Sequence[Problem]) -> BuilderError:
    """For a form with problems: all of them."""
    message = problems[0].message if len(problems) == 1 else f"{len(problems)} errors occurred"
    errors = {"errors": [problem.as_json() for problem in problems]}
    return BuilderError(message, {"name": "ValidationError", "details": errors, "message": message})


def said(message: str, status: int = 400) -> BuilderError:
    """For what is told in a few words."""
    return BuilderError(message, message, status)


def unreadable() -> BuilderError:
    """For a form in which what everything else hangs on is missing: the reference has no word for it."""
    return BuilderError(UNREADABLE, {})


CONTENT_TYPE_NOT_FOUND: Final = "contentType.notFound"
COMPONENT_NOT_FOUND: Final = "component.notFound"
COMPONENT_EXISTS: Final = "component.alreadyExists"
