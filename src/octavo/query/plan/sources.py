"""Sources of a planned read: the content types whose entries affect the response.

A response cache must invalidate the response when entries of these types change.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass
from typing import Any, Final

from octavo.core.cache import attributes_of
from octavo.core.values import dataclass
from octavo.query.plan.nodes import (
    BranchShape,
    KindShape,
    LiteralShape,
    Parameter,
    ReadPlan,
    ScalarRun,
    ScalarShape,
    Step,
)
from octavo.query.plan.write import takes_targets
from octavo.schema.attributes import Relation
from octavo.schema.content_types import ContentType, Definition

_LEAVES: Final = (ScalarRun, ScalarShape, LiteralShape, KindShape, Parameter)
_TAKEN_BY_MORPHS: Final = ("morphOne", "morphMany")


@dataclass(frozen=True, slots=True)
class Sources:
    """`types` are UIDs, including the type of the entries themselves.

    `own_entry_alone`: within that type, the representation of an entry depends on that entry only. This is not so if
    entries of the type are shown, counted or compared below it, or if another entry can take over a related entry.
    """

    types: frozenset[str]
    own_entry_alone: bool


def sources_of(plan: ReadPlan) -> Sources:
    """Return the content types that affect the response of a plan."""
    own = plan.selection.target
    types: set[str] = set()
    is_alone = True
    for node in _nodes(plan):
        match node:
            case Step(owner=owner, attribute=attribute, target=target):
                types |= _uid_of(target)
                is_alone = is_alone and not (owner == own and isinstance(attribute, Relation) and _can_lose(attribute))
            case BranchShape(target=target):
                types |= _uid_of(target)
    own_uid = _uid_of(own)
    return Sources(frozenset(types | own_uid), is_alone and not own_uid & types)


class LateSources:
    """The sources of a plan, found when they are first needed: only the tags of caches need them."""

    __slots__ = ("_found", "_plan")

    def __init__(self, plan: ReadPlan) -> None:
        self._plan = plan
        self._found: Sources | None = None

    def find(self) -> Sources:
        """Return the sources."""
        if self._found is None:
            self._found = sources_of(self._plan)
        return self._found


def _can_lose(relation: Relation) -> bool:
    """Return whether a write of another entry can remove this entry's targets."""
    return takes_targets(relation) or relation.kind in _TAKEN_BY_MORPHS


def _uid_of(definition: Definition) -> set[str]:
    """Return the UID, or an empty set for components, which belong to their owner."""
    return {definition.uid} if isinstance(definition, ContentType) else set()


def _nodes(plan: ReadPlan) -> Iterator[Any]:
    """Yield every node of a plan below its selection and its shape."""
    waiting: list[Any] = [plan.selection, plan.shape]
    while waiting:
        node = waiting.pop()
        parts = _PARTS[node.__class__]
        if parts is tuple:
            waiting += node
        elif parts is not None:
            yield node
            waiting += parts(node)


class _Parts(dict[Any, Callable[[Any], Iterable[Any]] | None]):
    """Functions that return the fields of a node that hold nodes, by type; None for leaves and other values.

    Types are added when they are first met. Definitions and attributes are not nodes.
    """

    def __missing__(self, kind: type) -> Callable[[Any], Iterable[Any]] | None:
        is_node = is_dataclass(kind) and not issubclass(kind, _LEAVES)
        read_parts = attributes_of(kind, "owner", "attribute", "target") if is_node else None
        self[kind] = read_parts = tuple if issubclass(kind, tuple) else read_parts
        return read_parts


_PARTS: Final = _Parts()
