"""Log positions of a database, and the position that a reader has to see: a replica can be read once it has reached it.

A position is a number of bytes; as text it has PostgreSQL's format, `16/B374D848`.
"""

import re
from contextvars import ContextVar
from typing import Final, Protocol

UNKNOWN: Final = 2**63 - 1
"""Higher than all positions: only the primary can be read."""

_TEXT: Final = re.compile(r"([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})")


class Reader(Protocol):
    """The client that reads and writes during a request."""

    needed: int
    """The position that it has to see."""

    def may_lag(self) -> bool:
        """Return whether content may come from a replica that has reached that position."""

    def require_primary(self) -> None:
        """Read only from the primary from now on."""

    def wrote(self) -> None:
        """Record that something was committed."""


READER: Final[ContextVar[Reader | None]] = ContextVar("octavo_reader", default=None)
"""The current reader; None outside requests, where everything is read from the primary."""


def read_newest() -> None:
    """Read from the primary from now on, for the current reader."""
    reader = READER.get()
    if reader is not None:
        reader.require_primary()


def position_text(position: int) -> str:
    """Return a position in PostgreSQL's format."""
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"


def read_position(text: str) -> int | None:
    """Parse a position, or return None if it is invalid."""
    match = _TEXT.fullmatch(text)
    return None if match is None else min(int(match[1], 16) << 32 | int(match[2], 16), UNKNOWN)
