"""Limit the cost of an operation: the number of values if every list has its maximum length.

Limits on depth and size of a document are not enough: nested lists multiply, and variables can have filters of any
size. The cost is computed while the selection is compiled, before any database access.
"""

from octavo.core.errors import ValidationError
from octavo.query.ast import And, At, Compare, Filter, Not, Or, Query
from octavo.query.read_cost import MOST_COST, filter_size, sort_size, too_costly

REPEATED = 10
"""Assumed number of components in a list without arguments."""


MOST_CONDITIONS = 800
"""Maximum number of attributes and conditions of a `filters` argument.

SQLite limits expressions to 1000 levels, and each `or` is a level.
"""
MOST_OPERANDS = 10_000
"""Maximum number of values in all filters of an operation. Both databases accept at most 32766 in a statement."""
MOST_SORTED = 50
"""Maximum number of items of a `sort` argument."""


class Cost:
    """The cost of one operation so far: values, steps of filters and sorts, and filter values."""

    def __init__(self, most: int, most_steps: int = MOST_COST) -> None:
        self._most = most
        self._most_steps = most_steps
        self._steps = 0
        self._values = 0
        self._operands = 0

    def add_query(self, query: Query, path: str) -> None:
        """Add the arguments of a field. Raises ValidationError if a limit is exceeded."""
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
        """Add values. Raises ValidationError if the limit is exceeded."""
        self._values += values
        if self._values > self._most:
            message = f"The response could have more than {self._most} values; request fewer entries or fields"
            raise ValidationError(message)


def _size_of(filters: Filter) -> tuple[int, int]:
    """Return the number of attributes and conditions of a filter, and of its values."""
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
