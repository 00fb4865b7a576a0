"""Problems of a project's code, collected with their locations and reported together."""

from collections.abc import Iterable

from octavo.core.plurals import counted
from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class CodeProblem:
    """One problem. `place` is a file, with a line or a function if known."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class InvalidCode(Exception):
    """A project's code cannot be used. The service does not start."""

    def __init__(self, problems: Iterable[CodeProblem]) -> None:
        self.problems = tuple(problems)
        heading = f"{counted(len(self.problems), 'problem')} in the project's code:"
        super().__init__("\n".join([heading, *(f"  {problem}" for problem in self.problems)]))
