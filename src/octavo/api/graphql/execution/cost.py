"""What an answer may cost: the values it would have if every list were as long as it may be.

Depth and size of a document do not bound it: lists within lists multiply, and variables bring filters of any size.
Counted while the selection set is translated, before anything is asked of the database.
"""

from octavo.core.errors import ValidationError
from octavo.query.ast import And, At, Compare, Filter, Not, Or, Query
from octavo.query.read_cost import MOST_COST, filter_size, sort_size, too_costly

REPEATED = 10
"""How many components are supposed where nobody says how many: a list without arguments."""


MOST_CONDITIONS = 800
"""Attributes and conditions of one argument `filters`: SQLite takes expressions of at most 1000 levels, and so many
`or` are as many levels."""
MOST_OPERANDS = 10_000
"""What all filters of an operation compare with. Both databases take at most 32766 in one statement."""
MOST_SORTED = 50
"""Entries of one argument `sort`."""


class Cost:
    """The values of one operation so far, the steps of its filters and sorts, and what its filters compare with."""

    def __init__(self, most: int, most_steps: int = MOST_COST) -> None:
        self._most = most
        self._most_steps = most_steps
        self._steps = 0
        self._values = 0
        self._operands = 0

    def add_query(self, query: Query, path: str) -> None:
        """Count the arguments of a field in. Raises ValidationError when they are too many."""
        if len(query.sort) > MOST_SORTED:
            raise ValidationError(f"{path}.sort has more than {MOST_SORTED} entries")
        self._steps += sort_size(query.sort) + (0 if query.filters is None else filter_size(query.filters))
        if self._steps > self._most_steps:
            raise too_costly(self._steps, self._most_steps, (path,))
        if query.filters is None:
            return
        conditions, operands = _size_of(query.filters)
        if conditions > MOST_CONDITIONS:
            raise ValidationError(f"{path}.filters has more than {MOST_CONDITIONS} attributes and conditions")
        self._operands += operands
        if self._operands > MOST_OPERANDS:
            raise ValidationError(f"The filters compare with more than {MOST_OPERANDS} values, in {path}.filters")

    def add(self, values: int) -> None:
        """Count values in. Raises ValidationError when they are too many."""
        self._values += values
        if self._values > self._most:
            message = f"The answer could have more than {self._most} values; ask for fewer entries or fields"
            raise ValidationError(message)


def _size_of(filters: Filter) -> tuple[int, int]:
    """The attributes and conditions of a filter, and the values that it compares with."""
    conditions = operands = 0
    waiting = [filters]
    while waiting:
        match waiting.pop():
            case And(items=items) | Or(items=items):
                waiting += items
            case Not(item=item) | At(filter=item):
                conditions += 1
                waiting.append(item)
            case Compare(values=values):
                conditions += 1
                operands += len(values)
    return conditions, operands
