"""Strictness: what is refused and what is left out; and how one level of a Query loses what it may not ask.

Nothing that is refused comes through where it is only left out: what `QuerySanitizer` refuses is found by asking it,
part by part, and goes.
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
    """What happens to names that mean nothing, by the compatibility rules.

    `refuse_operators` and `refuse_populate` are `unknownOperators` and `unknownPopulate`. `drop_below` and `drop_top`,
    `populateParameters` and `unknownParameters`, leave out what would be refused below `populate`, and at the top, of
    requests whose parameters are known.
    """

    refuse_operators: bool = False
    refuse_populate: bool = False
    drop_below: bool = False
    drop_top: bool = False


@dataclass(frozen=True, slots=True)
class Checks:
    """What may be asked of a level; each raises InvalidParameter."""

    fields: Callable[[Iterable[str]], None]
    sorts: Callable[[Iterable[Sort]], None]
    filters: Callable[[Filter], None]


def without_refused(asked: Query, checks: Checks, *, fields_are_text: bool) -> Query:
    """The same level, less what is refused.

    `fields_are_text`: the request gives `fields` as a text, not a list. A refused text asks for all fields, a list in
    which nothing is left for none (observed).
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
    """What of a filter may be asked; a relation whose filter is refused whole is not filtered by."""
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
    """What a request says at a path of its parameters; None for nothing."""
    for name in path:
        if isinstance(given, Mapping):
            given = given.get(name)
        elif isinstance(given, list) and name.isdecimal() and int(name) < len(given):
            given = given[int(name)]
        else:
            return None
    return given


def keys_at(given: Any, path: Path) -> Path:
    """The names of the parameters at a path of a request, in their order."""
    found = given_at(given, path)
    return tuple(found) if isinstance(found, Mapping) else ()
