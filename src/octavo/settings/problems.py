"""SettingsError: all problems of the settings, each with its source, key and expected value."""

from collections.abc import Iterable

from octavo.core.text_limits import close_match
from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """One problem.

    `source` is a file (`config/api.toml`), a variable (`PORT`) or a variable of the project's `.env` (`.env: PORT`).
    `key` is dotted, starts with the file's name if the source does not contain it, and is empty if the file itself is
    invalid.
    """

    source: str
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.source}: {self.key}: {self.message}" if self.key else f"{self.source}: {self.message}"


class SettingsError(Exception):
    """The settings cannot be used. The message lists every problem, one per line."""

    def __init__(self, problems: Iterable[SettingsProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def unknown(what: str, name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return the message for an unknown name, with the most similar known one, if there is one."""
    names = list(known)
    near = close_match(name, names, likeness)
    if near is not None:
        return f"unknown {what}; did you mean {near}?"
    return f"unknown {what}; expected one of {', '.join(sorted(names))}"
