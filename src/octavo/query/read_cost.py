"""Compute the cost of a read from its Query, before it is sanitized, planned or compiled.

Two things make a short request expensive. A dynamic zone or a polymorphic relation repeats everything below it for each
component or content type, so the number of steps grows with every level. And nested lists multiply their entries, so
the response grows with every level. Both are summed here, and the computation stops at the limit, so its own cost is
bounded as well.
"""

from collections.abc import Callable, Iterable
from typing import Final

from octavo.core.errors import Problem, ValidationError
from octavo.core.values import dataclass
from octavo.query.ast import EVERYTHING, And, At, Compare, Filter, Not, Or, Path, Populate, Query, Sort
from octavo.schema.attributes import LOCALIZATIONS, ComponentField, DynamicZone, Media, Relation, RelationKind, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

MOST_COST: Final = 20_000
ENTRIES_PER_STEP: Final = 500
"""Entries of the largest list that cost as much as one step."""
ASSUMED_LENGTH: Final = 10
"""Assumed number of entries of a list that has no `limit`."""

Populated = ComponentField | DynamicZone | Media | Relation

_KEEPS_DISTINCT: Final[frozenset[RelationKind]] = frozenset({"oneToOne", "oneToMany", "morphOne", "morphMany"})
"""Relations from different entries to different targets."""


@dataclass(frozen=True, slots=True)
class _Entries:
    """The estimated number of entries of a level, and whether each entry can appear only once.

    Lists of distinct entries do not multiply, however deep they are: a category with its children, and their children,
    has at most as many as exist. They multiply once several entries can have the same target.
    """

    number: int
    distinct: bool = True

    def below(self, attribute: Populated, asked: Populate) -> "_Entries":
        """Return the estimate for the targets of an attribute of these entries."""
        distinct = self.distinct and _has_distinct_targets(attribute)
        if not attribute.to_many or asked.count or distinct:
            return _Entries(self.number, distinct)
        page = asked.query.page
        limit = None if page is None else page.limit
        return _Entries(self.number * (ASSUMED_LENGTH if limit is None else min(limit, ASSUMED_LENGTH)), distinct)


def _has_distinct_targets(attribute: Populated) -> bool:
    """Return whether different entries always have different targets of an attribute."""
    if isinstance(attribute, Relation):
        return attribute.kind in _KEEPS_DISTINCT and attribute.name != LOCALIZATIONS
    return not isinstance(attribute, Media)


def check_cost(
    query: Query, definition: Definition, registry: Registry, most: int, *, entries: int, finds: Callable[[str], bool]
) -> None:
    """Raise ValidationError if a Query costs more than `most`.

    `entries` is the maximum number of entries of its list; `finds` returns whether the caller can find a content type.
    """
    if query.populate or query.populate_all or query.filters is not None or query.sort:
        _Walk(registry, most, finds).level(query, definition, _Entries(entries), ())


class _Walk:
    """A traversal of a Query and its attributes that stops at the limit."""

    def __init__(self, registry: Registry, most: int, finds: Callable[[str], bool]) -> None:
        self._registry = registry
        self._most = most
        self._finds = finds
        self._steps = 0
        self._largest = 0

    def level(self, query: Query, definition: Definition, entries: _Entries, path: Path) -> None:
        """Add the cost of one level and of everything below it."""
        if query is EVERYTHING:
            return
        if query.filters is not None:
            self._add(filter_size(query.filters), (*path, "filters"))
        self._add(sort_size(query.sort), (*path, "sort"))
        self._add(len(query.fields or ()), (*path, "fields"))
        for asked in _expanded(query, definition):
            attribute = definition.attributes.get(asked.name)
            here = asked.path or (*path, "populate", asked.name)
            if attribute is None or isinstance(attribute, Scalar):
                self._add(1, here)
            else:
                self._populate(asked, attribute, entries.below(attribute, asked), here)

    def _populate(self, asked: Populate, attribute: Populated, entries: _Entries, path: Path) -> None:
        self._largest = max(self._largest, entries.number)
        self._add(0, path)
        for uid, query in self._kinds(asked, attribute):
            target = self._registry.components.get(uid) or self._registry.content_types.get(uid)
            if target is not None:
                self._add(1, path)
                self.level(query, target, entries, path)

    def _kinds(self, asked: Populate, attribute: Populated) -> Iterable[tuple[str, Query]]:
        """Return the target types of an attribute, with the query for each."""
        match attribute:
            case DynamicZone(components=uids):
                pass
            case Relation(target=None):
                uids = tuple(uid for uid in self._registry.content_types if self._finds(uid))
                uids += tuple(self._registry.components)
            case _:
                target = self._registry.target(attribute)
                return ((target.uid, asked.query),) if target is not None else ()
        if asked.branches is not None:
            return ((branch.component, branch.query) for branch in asked.branches)
        return ((uid, asked.query) for uid in uids)

    def _add(self, steps: int, path: Path) -> None:
        self._steps += steps
        cost = self._steps + self._largest // ENTRIES_PER_STEP
        if cost > self._most:
            raise too_costly(cost, self._most, path)


def too_costly(cost: int, most: int, path: Path) -> ValidationError:
    """Return the error for a read that costs too much, at least up to `path`."""
    advice = "Request fewer relations, components, conditions or levels, or set a `limit` for nested lists"
    message = (
        f"The request costs at least {cost} at {'.'.join(path)}, more than the {most} that `reads.maxCost` in "
        f"config/api.toml allows. {advice}"
    )
    return ValidationError.from_problems([Problem(path, message)])


def filter_size(filters: Filter) -> int:
    """Return the number of attributes, conditions and groups in a filter."""
    size = 0
    waiting = [filters]
    while waiting:
        size += 1
        match waiting.pop():
            case And(items=items) | Or(items=items):
                waiting += items
            case Not(item=item) | At(filter=item):
                waiting.append(item)
            case Compare():
                pass
    return size


def sort_size(sorts: Iterable[Sort]) -> int:
    """Return the number of names in the paths of a sort."""
    return sum(len(sort.names) for sort in sorts)


def _expanded(query: Query, definition: Definition) -> Iterable[Populate]:
    """Return the populates of a level by name; `*` is every relation, media field, component and zone."""
    if not query.populate_all:
        return query.populate
    named = {asked.name for asked in query.populate}
    others = (
        Populate(name=name, query=EVERYTHING)
        for name, attribute in definition.attributes.items()
        if name not in named and not isinstance(attribute, Scalar)
    )
    return (*query.populate, *others)
