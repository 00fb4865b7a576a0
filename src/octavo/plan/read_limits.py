"""What a read may cost, whatever it asks. The joins are counted by `planning`, the bytes when it is compiled."""

from typing import Final

from octavo.values import dataclass

MOST_JOINS: Final = 1_000
LARGEST_STATEMENT: Final = 512 * 1024
LEAST_BYTES: Final = 16
"""What an empty list with its name adds to an answer."""


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What a read may cost, whatever it asks: tables that its statement looks into, and bytes of its text."""

    joins: int = MOST_JOINS
    statement: int = LARGEST_STATEMENT
