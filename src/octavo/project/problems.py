"""What is wrong with a project's code: all of it at once, each with its place."""

from collections.abc import Iterable

from octavo.core.plurals import counted
from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class CodeProblem:
    """One thing that is wrong; `place` is a file, with a line or a function where there is one."""

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
