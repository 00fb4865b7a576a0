"""Problems found in definitions: collected, never raised one by one, so that an author sees all of them at once."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DefinitionProblem:
    """What is wrong in a definition: the file, the JSON path inside it, and what to do."""

    source: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.source}: {self.path or '(whole file)'}: {self.message}"


class InvalidDefinitions(Exception):
    """The definitions cannot be used. `problems` lists every reason."""

    def __init__(self, problems: Iterable[DefinitionProblem]) -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        listed = "\n".join(f"  {problem}" for problem in self.problems)
        super().__init__(f"{count} problem{'s' if count != 1 else ''} in the content-type definitions:\n{listed}")
