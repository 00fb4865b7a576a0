"""Findings: the outcome for each key of a v4 project's configuration, for `octavo config check` and other reports.

Secrets in values are hidden.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from octavo.core.values import dataclass
from octavo.settings.keys import Key

HIDDEN = "***"

_QUERY = re.compile(r"(?<=\?).+")
_SECRET_NAME = re.compile("secret|password|token|salt|key|credential", re.IGNORECASE)


def hidden(key: Key, value: Any) -> Any:
    """Return the value of a key with secrets hidden."""
    if key.row.shows == "all":
        return value
    return HIDDEN if key.row.secret and value and key.row.shows is None else _shown(value)


def _shown(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: HIDDEN if _hides(name, item) else _shown(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(item) for item in value]
    return _QUERY.sub(HIDDEN, value) if isinstance(value, str) and "://" in value else value


def _hides(name: str, value: Any) -> bool:
    """Return whether to hide a value of an unknown plugin: if its name looks like that of a secret."""
    return bool(value) and not isinstance(value, Mapping) and bool(_SECRET_NAME.search(name))


class Outcome(StrEnum):
    """The outcome for a key."""

    TAKEN = "taken"  # in effect, unless a later source overrides it
    CLOSED = "closed"  # not understood; the safest value applies unless another source sets it
    OPEN = "open"  # not understood, and without effect
    IDLE = "idle"  # has no meaning in Octavo


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One key of the configuration. `value` can be written as JSON; secrets are hidden."""

    outcome: Outcome
    file: str
    line: int
    key: str
    setting: str = ""
    value: Any = None
    message: str = ""

    @property
    def place(self) -> str:
        """The file and line; for a variable, its name."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.key, self.message) if part)


def advice(key: Key) -> str:
    """Return where to set it instead."""
    if key.file == "secrets" or (key.row.secret and key.row.variable):
        return f"set {key.row.variable} in .env"
    table = ".".join((*key.path[:-1],))
    within = f" under [{table}]" if table else ""
    return f"set {key.name} = ...{within} in config/{key.file}.toml"


def redacted_value(key: Key, value: Any) -> Any:
    """Return a value for reports."""
    return hidden(key, value)
