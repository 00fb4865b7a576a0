"""Strictness: which query parameters are refused and which are left out, and how to remove them from a level.

The same checks decide both cases: `QuerySanitizer` tests each part and drops those it would refuse, so nothing
refused can pass where parameters are left out.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from octavo.core.errors import InvalidParameter
from octavo.core.values import dataclass
from octavo.query.ast import And, At, Filter, Not, Or, Path, Query, Sort

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Strictness:
    """How unknown names are handled, from the compatibility rules.

    `refuse_operators` and `refuse_populate` are `unknownOperators` and `unknownPopulate`. `drop_below`
    (`populateParameters`) and `drop_top` (`unknownParameters`) leave out what would be refused, below `populate` and at
    the top level, for requests whose parameters are known.
    """

    refuse_operators: bool = False
    refuse_populate: bool = False
    drop_below: bool = False
    drop_top: bool = False


@dataclass(frozen=True, slots=True)
class Checks:
    """Checks for the parts of a level; each raises InvalidParameter."""

    fields: Callable[[Iterable[str]], None]
    sorts: Callable[[Iterable[Sort]], None]
    filters: Callable[[Filter], None]


def without_refused(asked: Query, checks: Checks, *, fields_are_text: bool) -> Query:
    """Return the level without the parts that would be refused.

    `fields_are_text`: the request gives `fields` as text, not as a list. A refused text selects all fields; a list with
    no valid names selects none (observed).
    """
    kept = asked.fields and tuple(name for name in asked.fields if _passes(checks.fields, (name,)))
    filters = asked.filters and _kept(asked.filters, lambda item: _passes(checks.filters, item))
    sort = tuple(item for item in asked.sort if _passes(checks.sorts, (item,)))
    return replace(asked, fields=None if kept == () and fields_are_text else kept, sort=sort, filters=filters)


def _passes(check: Callable[[T], None], asked: T) -> bool:
    try:
        check(asked)
    except InvalidParameter:
        return False
    return True


def _kept(asked: Filter, passes: Callable[[Filter], bool]) -> Filter | None:
    """Return the valid part of a filter. If the whole filter of a relation is refused, the relation is dropped."""
    if passes(asked):
        return asked
    match asked:
        case And(items=items) | Or(items=items):
            left = tuple(item for one in items if (item := _kept(one, passes)) is not None)
            return replace(asked, items=left) if left else None
        case Not(item=item):
            inner = _kept(item, lambda one: passes(Not(item=one)))
            return Not(item=inner) if inner is not None else None
        case At(filter=item):
            inner = _kept(item, lambda one: passes(replace(asked, filter=one)))
            return replace(asked, filter=inner) if inner is not None else None
        case _:
            return None


def given_at(given: Any, path: Path) -> Any:
    """Return the value at a path of the request's parameters; None if absent."""
    for name in path:
        if isinstance(given, Mapping):
            given = given.get(name)
        elif isinstance(given, list) and name.isdecimal() and int(name) < len(given):
            given = given[int(name)]
        else:
            return None
    return given


def keys_at(given: Any, path: Path) -> Path:
    """Return the parameter names at a path of a request, in their order."""
    value = given_at(given, path)
    return tuple(value) if isinstance(value, Mapping) else ()
