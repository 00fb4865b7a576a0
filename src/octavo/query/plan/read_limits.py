"""Limits of a read. `query.read_cost` computes its cost before planning, `planning` counts the joins, the compiler
counts the bytes of the statement, and `content.reader` cancels statements that run too long."""

from typing import Final

from octavo.core.values import dataclass
from octavo.query.read_cost import MOST_COST

MOST_JOINS: Final = 1_000
LARGEST_STATEMENT: Final = 512 * 1024
_LEAST_STATEMENT: Final = 16 * 1024
_MOST_STATEMENT: Final = 64 * 1024**2
LONGEST_WORK: Final = 5.0
LEAST_BYTES: Final = 16
"""Minimum bytes that an empty list adds to a response, with its name."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Limits of a read: joined tables, bytes of the statement, cost, and a timeout in seconds for reads whose size or
    text the caller chooses."""

    joins: int = MOST_JOINS
    statement: int = LARGEST_STATEMENT
    cost: int = MOST_COST
    seconds: float = LONGEST_WORK


def limits_by_cost(cost: int, seconds: float = LONGEST_WORK) -> ReadLimits:
    """Return limits in proportion to the maximum cost."""
    return ReadLimits(
        joins=max(1, MOST_JOINS * cost // MOST_COST),
        statement=min(max(_LEAST_STATEMENT, LARGEST_STATEMENT * cost // MOST_COST), _MOST_STATEMENT),
        cost=cost,
        seconds=seconds,
    )
