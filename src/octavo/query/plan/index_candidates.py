"""What a read looks for, without any value: by which an index can be proposed."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from octavo.core.values import dataclass
from octavo.query.plan import nodes
from octavo.query.plan.nodes import Condition, Exists, Linked, ReadPlan, Selection, Tested

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Looked:
    """A test of an attribute (`id` is the id). `either`: another one may be met in its place."""

    attribute: str
    test: str
    negated: bool = False
    ignores_case: bool = False
    either: bool = False


@dataclass(frozen=True, slots=True)
class LookedFor:
    """What is asked of entries of a definition, and what they are sorted by: attributes, and whether downwards; a path
    of several stands for what lies elsewhere. `related`: what is asked of those that relations lead to."""

    uid: str
    tests: tuple[Looked, ...] = ()
    sort: tuple[tuple[str, bool], ...] = ()
    related: tuple["LookedFor", ...] = ()

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "LookedFor":
        """From what `asdict` made of it, and JSON of that. Raises KeyError, TypeError, ValueError for anything else."""
        return cls(
            str(told["uid"]),
            tuple(Looked(**test) for test in told["tests"]),
            tuple((str(name), bool(down)) for name, down in told["sort"]),
            tuple(cls.read(one) for one in told["related"]),
        )


def looked_for(plan: ReadPlan) -> LookedFor:
    """What the entries of a read are chosen and sorted by."""
    selection = plan.selection
    related: list[LookedFor] = []
    tests = _tests(selection.condition, related, either=False)
    return LookedFor(selection.target.uid, _once(tests), _sort(selection), _once(related))


def _sort(selection: Selection) -> tuple[tuple[str, bool], ...]:
    """A path through relations is written with dots, as callers write it."""
    return tuple(
        (".".join((*(step.attribute.name for step in one.steps), one.attribute.name if one.attribute else "id")), down)
        for one in selection.order
        for down in (one.descending,)
    )


def _tests(condition: Condition, related: list[LookedFor], *, either: bool) -> Iterator[Looked]:
    match condition:
        case Tested(attribute=attribute, test=test):
            name = attribute.name if attribute else "id"
            yield Looked(name, test.value, condition.negated, condition.ignores_case, either)
        case nodes.All(items=items):
            for item in items:
                yield from _tests(item, related, either=either)
        case nodes.Any(items=items):
            for item in items:
                yield from _tests(item, related, either=either or len(items) > 1)
        case Exists(step=step, condition=inner):
            further: list[LookedFor] = []
            found = _once(_tests(inner, further, either=either))
            related.append(LookedFor(step.target.uid, found, (), _once(further)))
        case Linked() | nodes.Constant():
            return


def _once(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))
