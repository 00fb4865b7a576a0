"""Filters on entries of several kinds, as in dynamic zones and morph relations: all that they share is their id."""

from dataclasses import replace

from octavo.core.errors import InvalidParameter
from octavo.query.ast import And, At, Compare, Filter, Not, Or, Unknown

_ID = "id"


def filter_of_ids(asked: Filter | None, *, drops: bool) -> Filter | None:
    """Return the part of a filter that compares ids, or None; the rest is dropped or, without `drops`, refused.

    Raises InvalidParameter for another name. What is below an id is left to whoever sanitizes the result.
    """
    match asked:
        case And(items=items) | Or(items=items):
            kept = tuple(item for one in items if (item := filter_of_ids(one, drops=drops)) is not None)
            return replace(asked, items=kept) if kept else None
        case Not(item=item):
            inner = filter_of_ids(item, drops=drops)
            return Not(item=inner) if inner is not None else None
        case At(attribute=name, filter=compared) if name == _ID:
            inner = _comparisons(compared) if drops else compared
            return replace(asked, filter=inner) if inner is not None else None
        case At(attribute=name, path=path) | Unknown(name=name, path=path) if not drops:
            raise InvalidParameter(name, path)
        case _:
            return None


def refuse_names(asked: Filter) -> None:
    """Refuse everything but operators below an id. Raises InvalidParameter."""
    match asked:
        case And(items=items) | Or(items=items):
            for item in items:
                refuse_names(item)
        case Not(item=item):
            refuse_names(item)
        case At(attribute=name, path=path) | Unknown(name=name, path=path):
            raise InvalidParameter(name, path)
        case Compare():
            pass


def _comparisons(asked: Filter) -> Filter | None:
    """Return a filter below an attribute without names and unknown operators."""
    match asked:
        case And(items=items) | Or(items=items):
            kept = tuple(item for one in items if (item := _comparisons(one)) is not None)
            return replace(asked, items=kept) if kept else None
        case Not(item=item):
            inner = _comparisons(item)
            return Not(item=inner) if inner is not None else None
        case Compare():
            return asked
        case _:
            return None
