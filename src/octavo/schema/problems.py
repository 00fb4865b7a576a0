"""Problems in definitions. They are collected instead of raised one by one, so that an author sees all at once."""

from collections.abc import Iterable
from typing import Literal

from octavo.core.plurals import counted
from octavo.core.text_limits import close_match
from octavo.core.values import dataclass

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class DefinitionProblem:
    """A problem in a definition: the file, the JSON path in it, and what to do.

    An `error` prevents the start; a `warning` reports behavior that may not be intended. `unserved`: v4 serves
    something that Octavo does not.
    """

    source: str
    path: str
    message: str
    severity: Severity = "error"
    unserved: bool = False

    def __str__(self) -> str:
        return f"{self.source}: {self.path or '(whole file)'}: {self.message}"


class InvalidDefinitions(Exception):
    """The definitions cannot be used. `problems` lists every reason."""

    def __init__(self, problems: Iterable[DefinitionProblem]) -> None:
        self.problems = tuple(problems)
        listed = "\n".join(f"  {problem}" for problem in self.problems)
        super().__init__(f"{counted(len(self.problems), 'problem')} in the content type definitions:\n{listed}")


def warning(source: str, path: str, message: str) -> DefinitionProblem:
    """Return a problem that does not prevent the start."""
    return DefinitionProblem(source, path, message, "warning")


def unserved(source: str, path: str, message: str) -> DefinitionProblem:
    """Return a warning about something that v4 serves and Octavo does not."""
    return DefinitionProblem(source, path, message, "warning", unserved=True)


def did_you_mean(name: str, known: Iterable[str], otherwise: str, likeness: float = 0.6) -> str:
    """Suggest the most similar known name, or `otherwise`."""
    near = close_match(name, known, likeness)
    return otherwise if near is None else f"did you mean {near!r}?"
