"""What can go wrong when data moves: one error, whose text is meant for people."""

from collections.abc import Sequence
from typing import Final

MOST_TOLD: Final = 20
"""Problems that are told one by one; of more there is only the number."""


class TransferError(Exception):
    """Data cannot be moved; nothing was changed."""


class SeedError(Exception):
    """The seed cannot be loaded; nothing was."""


class Problems:
    """What is found wrong on the way. The first ones are kept, the others counted."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[str] = []

    def add(self, problem: str) -> None:
        self.count += 1
        if len(self._kept) < MOST_TOLD:
            self._kept.append(problem)

    def told(self) -> list[str]:
        """The first ones, and how many more there are."""
        more = self.count - len(self._kept)
        return [*self._kept, *([f"{more} more"] if more else [])]

    def refuse(self, heading: str) -> None:
        """Raise TransferError if there are any."""
        if self.count:
            raise TransferError(listed(heading, self._kept, self.count))


def listed(heading: str, items: Sequence[str], count: int | None = None) -> str:
    """A heading and what is below it, a line each; `count` is how many there are of which these are the first."""
    more = (count or len(items)) - len(items)
    return "\n".join((f"{heading}:", *(f"  {item}" for item in items), *((f"  and {more} more",) if more else ())))
