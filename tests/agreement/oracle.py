"""Filters answered in plain Python: joined row by joined row, in SQL's three-valued logic.

Every relation in a filter is a left join of its own; an entry is found when some row of the joined tables meets the
whole filter. `outcomes` are the values that the filter takes over all those rows.
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
    """An entry: its scalars, and what its relations point to."""

    values: Mapping[str, Any]
    related: dict[str, "list[Thing]"] = field(default_factory=dict)


NULLS = Thing({})


def found(asked: Filter, things: Iterable[Thing]) -> list[int]:
    """The ids of the things that the filter finds."""
    return [thing.values["id"] for thing in things if True in outcomes(asked, thing)]


def outcomes(asked: Filter, thing: Thing, value: Any = None) -> set[Truth]:
    """What a filter can be for a thing. `value` is the scalar that comparisons speak of."""
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
