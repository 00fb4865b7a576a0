"""SettingsError: everything that is wrong with the settings, each with its source, its key and what was expected."""

from collections.abc import Iterable

from octavo.core.text_limits import close_match
from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class SettingsProblem:
    """One thing that is wrong.

    `source` is a file (`config/api.toml`), a variable (`PORT`) or a variable of the project's `.env` (`.env: PORT`);
    `key` is dotted, with the file's name in front where the source does not say it, and empty if the file itself is
    at fault.
    """

    source: str
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.source}: {self.key}: {self.message}" if self.key else f"{self.source}: {self.message}"


class SettingsError(Exception):
    """The settings cannot be used. The text lists every problem, one per line."""

    def __init__(self, problems: Iterable[SettingsProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def unknown(what: str, name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The message for a name that does not exist, with the nearest one that does, if it is like enough."""
    names = list(known)
    near = close_match(name, names, likeness)
    if near is not None:
        return f"unknown {what}; did you mean {near}?"
    return f"unknown {what}; expected one of {', '.join(sorted(names))}"
