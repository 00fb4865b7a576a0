"""Compute how deep the lists of a plan are nested: each level multiplies the entries of the level above."""

from collections.abc import Iterable
from typing import Final

from octavo.core.values import dataclass
from octavo.query.plan.nodes import (
    GuardShape,
    KindShape,
    LiteralShape,
    ManyShape,
    ObjectShape,
    OneShape,
    ReadPlan,
    ScalarRun,
    ScalarShape,
    Shape,
    VariantShape,
)

LARGE_FROM: Final = 3
"""Nested lists from which on the caller effectively chooses the size of the response."""


@dataclass(frozen=True, slots=True)
class Nesting:
    """The greatest number of nested lists, and the path of attributes to the innermost list."""

    lists: int = 0
    path: tuple[str, ...] = ()

    @property
    def is_large(self) -> bool:
        """Return whether a short request may return a very large number of entries."""
        return self.lists >= LARGE_FROM


FLAT: Final = Nesting()
_LEAVES: Final = frozenset({ScalarShape, LiteralShape, KindShape})
"""Shapes without entries below them, which are most of a plan."""


def nesting(plan: ReadPlan) -> Nesting:
    """Return the deepest chain of lists. A list of entries is the first."""
    below = _deepest(plan.shape, ())
    return Nesting(below.lists + plan.many, below.path)


def _deepest(shape: Shape, path: tuple[str, ...]) -> Nesting:
    match shape:
        case ObjectShape(members=members, optional=optional):
            below = [member[1] for member in members if not isinstance(member, ScalarRun)]
            below += [member for _, member in optional]
            return _longest([_deepest(one, path) for one in below if one.__class__ not in _LEAVES])
        case GuardShape(shape=inner):
            return _deepest(inner, path)
        case OneShape(step=step, shape=inner):
            return _deepest(inner, (*path, step.attribute.name))
        case ManyShape(step=step, shape=inner):
            return _within((*path, step.attribute.name), inner)
        case VariantShape(attribute=attribute, branches=branches, many=many):
            here = (*path, attribute.name)
            shapes = [branch.shape for branch in branches]
            return _within(here, *shapes) if many else _longest([_deepest(inner, here) for inner in shapes])
        case _:
            return FLAT


def _within(path: tuple[str, ...], *shapes: Shape) -> Nesting:
    below = _longest([_deepest(shape, path) for shape in shapes])
    return Nesting(below.lists + 1, below.path or path)


def _longest(found: Iterable[Nesting]) -> Nesting:
    longest = FLAT
    for one in found:
        if one.lists > longest.lists:
            longest = one
    return longest
