"""A page and its total as two statements, so that who counts the same may wait for one of them together."""

import re
from collections.abc import Callable
from typing import Final

from octavo.query.plan.nodes import LiteralShape, ReadPlan

_PARAMETER: Final = re.compile(r"[$?](\d+)")

Texts = tuple[str, str, int]


class PageApart:
    """Compiled when it is asked for first: where nobody counts beside others it costs nothing."""

    __slots__ = ("_make", "_texts", "shared")

    def __init__(self, shared: int, make: Callable[[], Texts | None]) -> None:
        self.shared = shared
        self._make: Callable[[], Texts | None] | None = make
        self._texts: Texts | None = None

    def texts(self) -> Texts | None:
        """The page's text, the total's and how many values that takes; None where both are looked for at once."""
        if self._make is not None:
            self._texts, self._make = self._make(), None
        return self._texts


def shared_values(plan: ReadPlan) -> int | None:
    """How many values, the first ones, pages of one list have in common; None where there is one page, or no total."""
    limit = plan.selection.limit
    is_page = plan.with_count and not plan.with_keys and plan.most_counted is None
    return limit.index if is_page and limit is not None and not isinstance(plan.shape, LiteralShape) else None


def values_taken(text: str) -> int | None:
    """How many values a statement takes; None where it does not take all of the first ones."""
    taken = {int(number) for number in _PARAMETER.findall(text)}
    return len(taken) if taken == set(range(1, len(taken) + 1)) else None
