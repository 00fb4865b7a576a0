"""Limits of a read. `query.read_cost` computes its cost before planning, `planning` counts the joins, the bytes are
counted when it is compiled, and `content.reader` ends what the database has worked on for too long."""

from typing import Final

from octavo.core.values import dataclass
from octavo.query.read_cost import MOST_COST

MOST_JOINS: Final = 1_000
LARGEST_STATEMENT: Final = 512 * 1024
LONGEST_WORK: Final = 5.0
LEAST_BYTES: Final = 16
"""What an empty list with its name adds to an answer."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Limits of a read: tables that its statement looks into, bytes of its text, its cost, and how many seconds the
    database works for one whose size or text the caller chooses."""

    joins: int = MOST_JOINS
    statement: int = LARGEST_STATEMENT
    cost: int = MOST_COST
    seconds: float = LONGEST_WORK
