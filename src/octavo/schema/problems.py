"""Problems found in definitions: collected, never raised one by one, so that an author sees all of them at once."""

from collections.abc import Iterable
from typing import Literal

from octavo.core.plurals import counted
from octavo.core.text_limits import close_match
from octavo.core.values import dataclass

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class DefinitionProblem:
    """What is wrong in a definition: the file, the JSON path inside it, and what to do.

    With an `error` nothing starts; a `warning` tells of what is served otherwise than it was perhaps meant.
    """

    source: str
    path: str
    message: str
    severity: Severity = "error"

    def __str__(self) -> str:
        return f"{self.source}: {self.path or '(whole file)'}: {self.message}"


class InvalidDefinitions(Exception):
    """The definitions cannot be used. `problems` lists every reason."""

    def __init__(self, problems: Iterable[DefinitionProblem]) -> None:
        self.problems = tuple(problems)
        listed = "\n".join(f"  {problem}" for problem in self.problems)
        super().__init__(f"{counted(len(self.problems), 'problem')} in the content-type definitions:\n{listed}")


def warning(source: str, path: str, message: str) -> DefinitionProblem:
    """Something worth a look, and no reason to stop."""
    return DefinitionProblem(source, path, message, "warning")


def did_you_mean(name: str, known: Iterable[str], otherwise: str, likeness: float = 0.6) -> str:
    """The name that was probably meant, or what else to do."""
    near = close_match(name, known, likeness)
    return otherwise if near is None else f"did you mean {near!r}?"
