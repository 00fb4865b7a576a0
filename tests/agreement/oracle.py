"""Filters evaluated in plain Python: for each joined row, in SQL's three-valued logic.

Every relation in a filter is a separate left join. An entry matches if any of its joined rows satisfies the whole
filter. `outcomes` returns the filter's values for all those rows.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from octavo.query.ast import And, At, Compare, Filter, Not, Or

Truth = bool | None


@dataclass(frozen=True)
class Thing:
    """An entry: its scalars, and the targets of its relations."""

    values: Mapping[str, Any]
    related: dict[str, "list[Thing]"] = field(default_factory=dict)


NULLS = Thing({})


def found(asked: Filter, things: Iterable[Thing]) -> list[int]:
    """Return the ids of the matching things."""
    return [thing.values["id"] for thing in things if True in outcomes(asked, thing)]


def outcomes(asked: Filter, thing: Thing, value: Any = None) -> set[Truth]:
    """Return the possible values of a filter for a thing. `value` is the scalar to compare."""
    match asked:
        case And(items=items):
            return {_every(row) for row in product(*(outcomes(item, thing, value) for item in items))}
        case Or(items=items):
            return {_some(row) for row in product(*(outcomes(item, thing, value) for item in items))}
        case Not(item=item):
            return {None if truth is None else not truth for truth in outcomes(item, thing, value)}
        case At(attribute=name, filter=inner) if name in RELATIONS:
            targets = thing.related.get(name) or [NULLS]
            return {truth for target in targets for truth in outcomes(inner, target, target.values.get("id"))}
        case At(attribute=name, filter=inner):
            return outcomes(inner, thing, thing.values.get(name))
        case Compare():
            return {_compare(asked, value)}
        case _:
            raise TypeError(asked)


RELATIONS = frozenset({"author", "books", "genres", "shelf", "parent", "children", "chapters", "footnote", "similar"})


def _every(row: tuple[Truth, ...]) -> Truth:
    return False if False in row else None if None in row else True


def _some(row: tuple[Truth, ...]) -> Truth:
    return True if True in row else None if None in row else False


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": eq,
    "$ne": ne,
    "$lt": lt,
    "$lte": le,
    "$gt": gt,
    "$gte": ge,
    "$contains": lambda value, part: part in value,
    "$notContains": lambda value, part: part not in value,
}


def _compare(asked: Compare, value: Any) -> Truth:
    name = asked.operator.name
    if name in ("$null", "$notNull"):
        return (value is None) == ((name == "$null") == asked.values[0])
    if value is None:
        return None
    operands: list[Any] = [float(str(item)) if isinstance(value, int) else str(item) for item in asked.values]
    if name in ("$in", "$notIn"):
        return (value in operands) == (name == "$in")
    return _TESTS[name](value, operands[0])
