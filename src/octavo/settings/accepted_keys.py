"""Further accepted keys besides the current one, for key rotation without downtime.

Each is a text with options after a semicolon: `...;until=2026-12-31` sets an expiry date, `...;next` marks the next
key, which is not in use yet. v4's keys contain no semicolon.
"""

import re
from collections.abc import Iterable
from dataclasses import field
from datetime import UTC, datetime
from math import inf
from typing import Any, Final

from octavo.core.values import dataclass
from octavo.settings.values import TEXTS, Kind

_FORM: Final = re.compile(r"([^;]+)(?:;(?:until=([0-9T:.Z+-]+)|(next)))?")


@dataclass(frozen=True, slots=True)
class AcceptedKey:
    """A key that is valid until a time, in seconds since 1970. `is_next`: it will be the current one."""

    text: str = field(repr=False)
    until: float = inf
    is_next: bool = False

    def __str__(self) -> str:
        """Return the key in the format of the settings."""
        if self.is_next:
            return f"{self.text};next"
        return self.text if self.until == inf else f"{self.text};until={moment_text(self.until)}"


def moment_text(seconds: float) -> str:
    """Format a time, to the second."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read(texts: Iterable[str]) -> tuple[AcceptedKey, ...]:
    return tuple(map(_read_one, texts))


def _read_one(text: str) -> AcceptedKey:
    match = _FORM.fullmatch(text)
    if match is None or not match[1].strip():
        raise ValueError
    return AcceptedKey(match[1], _seconds(match[2]) if match[2] else inf, bool(match[3]))


def _seconds(text: str) -> float:
    """Parse a date, meaning its start, or a time; in UTC by default."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _from(read: Any) -> Any:
    return lambda value: _read(read(value))


ACCEPTED_KEYS: Final = Kind(
    'a list of keys, each optionally with ";until=2026-12-31" or ";next"',
    _from(TEXTS.from_text),
    _from(TEXTS.from_toml),
)
