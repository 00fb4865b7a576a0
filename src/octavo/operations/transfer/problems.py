"""Errors of data transfers, with messages for display."""

from collections.abc import Sequence
from typing import Final

MOST_LISTED: Final = 20
"""Number of problems to list. Of others, only the number is shown."""


class TransferError(Exception):
    """The transfer failed and nothing was changed."""


class SeedError(Exception):
    """The seed could not be loaded and nothing was changed."""


class Problems:
    """Collects problems: the first ones are stored, all are counted."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[str] = []

    def add(self, problem: str) -> None:
        self.count += 1
        if len(self._kept) < MOST_LISTED:
            self._kept.append(problem)

    def summary(self) -> list[str]:
        """Return the first problems, and the number of others."""
        more = self.count - len(self._kept)
        return [*self._kept, *([f"{more} more"] if more else [])]

    def refuse(self, heading: str) -> None:
        """Raise TransferError if there are any problems."""
        if self.count:
            raise TransferError(listed(heading, self._kept, self.count))


def listed(heading: str, items: Sequence[str], count: int | None = None) -> str:
    """Format a heading with an item per line. `count` is the number of all items if these are only the first."""
    more = (count or len(items)) - len(items)
    return "\n".join((f"{heading}:", *(f"  {item}" for item in items), *((f"  and {more} more",) if more else ())))
