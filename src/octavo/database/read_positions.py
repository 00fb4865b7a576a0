"""Positions in the log of a database, and what a reader has to see: a replica will do once it has come so far.

A position is a number of bytes; as text it is PostgreSQL's `16/B374D848`.
"""

import re
from contextvars import ContextVar
from typing import Final, Protocol

UNKNOWN: Final = 2**63 - 1
"""Behind everything: only the primary will do."""

_TEXT: Final = re.compile(r"([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})")


class Reader(Protocol):
    """Who reads and writes here, for as long as a request takes."""

    needed: int
    """The position that has to be seen."""

    def may_lag(self) -> bool:
        """Whether content may come from a replica that has come to that position."""

    def insist(self) -> None:
        """From now on only the primary will do."""

    def wrote(self) -> None:
        """Something was committed."""


READER: Final[ContextVar[Reader | None]] = ContextVar("octavo_reader", default=None)
"""Who reads; None for work that is nobody's, which reads from the primary."""


def read_newest() -> None:
    """From now on whoever reads here reads from the primary."""
    reader = READER.get()
    if reader is not None:
        reader.insist()


def position_text(position: int) -> str:
    """A position as PostgreSQL writes it."""
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"


def read_position(text: str) -> int | None:
    """The position of a text; None where it is none."""
    found = _TEXT.fullmatch(text)
    return None if found is None else min(int(found[1], 16) << 32 | int(found[2], 16), UNKNOWN)
