"""The attributes that a read filters and sorts by, without values: the input for index proposals."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from octavo.core.values import dataclass
from octavo.query.plan import nodes
from octavo.query.plan.nodes import Condition, Exists, Linked, ReadPlan, Selection, Tested

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AttributeTest:
    """A test of an attribute (`id` is the id). `either`: the test is one alternative of an OR."""

    attribute: str
    test: str
    negated: bool = False
    ignores_case: bool = False
    either: bool = False


@dataclass(frozen=True, slots=True)
class IndexableRead:
    """The tests and the sort of a read of one definition. `sort` pairs attributes with whether they are descending; a
    dotted path is an attribute of related entries. `related` holds the tests on related entries."""

    uid: str
    tests: tuple[AttributeTest, ...] = ()
    sort: tuple[tuple[str, bool], ...] = ()
    related: tuple["IndexableRead", ...] = ()

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "IndexableRead":
        """Load from the JSON form of `asdict`. Raises KeyError, TypeError, ValueError for anything else."""
        return cls(
            str(data["uid"]),
            tuple(AttributeTest(**test) for test in data["tests"]),
            tuple((str(name), bool(down)) for name, down in data["sort"]),
            tuple(cls.read(one) for one in data["related"]),
        )


def indexable_read(plan: ReadPlan) -> IndexableRead:
    """Return the attributes that a plan filters and sorts by."""
    selection = plan.selection
    related: list[IndexableRead] = []
    tests = _tests(selection.condition, related, either=False)
    return IndexableRead(selection.target.uid, _once(tests), _sort(selection), _once(related))


def _sort(selection: Selection) -> tuple[tuple[str, bool], ...]:
    """Return the sort attributes. Paths through relations are written with dots, as in requests."""
    return tuple(
        (".".join((*(step.attribute.name for step in one.steps), one.attribute.name if one.attribute else "id")), down)
        for one in selection.order
        for down in (one.descending,)
    )


def _tests(condition: Condition, related: list[IndexableRead], *, either: bool) -> Iterator[AttributeTest]:
    match condition:
        case Tested(attribute=attribute, test=test):
            name = attribute.name if attribute else "id"
            yield AttributeTest(name, test.value, condition.negated, condition.ignores_case, either)
        case nodes.All(items=items):
            for item in items:
                yield from _tests(item, related, either=either)
        case nodes.Any(items=items):
            for item in items:
                yield from _tests(item, related, either=either or len(items) > 1)
        case Exists(step=step, condition=inner):
            further: list[IndexableRead] = []
            tests = _once(_tests(inner, further, either=either))
            related.append(IndexableRead(step.target.uid, tests, (), _once(further)))
        case Linked() | nodes.Unused() | nodes.Constant():
            return


def _once(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))
