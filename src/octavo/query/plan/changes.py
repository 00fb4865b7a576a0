"""Changes: what a write does to the database, as an ordered list of nodes. Names resolved, values typed. Nobody changes
one; to make one that is frozen takes several times as long, and a write makes many.

A row that does not exist yet is known by a `RowRef`, whose id is filled in when the row has been inserted.
"""

from typing import Any

from octavo.core.values import dataclass
from octavo.schema.attributes import Relation
from octavo.schema.content_types import Definition


class RowRef:
    """The row that an earlier change of the same write inserts."""

    __slots__ = ("id",)

    def __init__(self) -> None:
        self.id: int | None = None

    def __int__(self) -> int:
        if self.id is None:
            raise LookupError("the row has not been inserted yet")
        return self.id


class Slot:
    """A value that is given when the statements run: the one at this place."""

    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at


RowId = int | RowRef


def known(row: RowId) -> RowId:
    """The id of a row that is there by now; any other as it is."""
    return row if isinstance(row, int) or row.id is None else row.id


@dataclass(frozen=True, slots=True)
class TypedTarget:
    """A target of a morph relation, which names its type itself."""

    type: str
    id: RowId


@dataclass(slots=True, kw_only=True)
class InsertRows:
    """New rows of one definition, with values for the same attributes. Their ids go into `refs`."""

    definition: Definition
    attributes: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    refs: tuple[RowRef, ...]


@dataclass(slots=True, kw_only=True)
class UpdateRow:
    """New values for some attributes of a row. `later`: the one that is a moment, and becomes later in any case."""

    definition: Definition
    id: int
    attributes: tuple[str, ...]
    values: tuple[Any, ...]
    later: str | None = None


@dataclass(slots=True, kw_only=True)
class UpdateRows:
    """New values for the same attributes of several rows. `later`: as for `UpdateRow`."""

    definition: Definition
    ids: tuple[int, ...]
    attributes: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    later: str | None = None


@dataclass(slots=True, kw_only=True)
class DeleteRows:
    """Rows to remove; what the database ties to them goes with them."""

    definition: Definition
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ComponentLink:
    """A component in its place. `order` counts from 1 in lists and is None for a single component."""

    owner: RowId
    component: RowId
    type: str
    field: str
    order: float | None


@dataclass(slots=True, kw_only=True)
class AttachComponents:
    """Put components into their places."""

    owner: Definition
    links: tuple[ComponentLink, ...]


@dataclass(slots=True, kw_only=True)
class DetachComponents:
    """Empty places: pairs of an owner's id and a field."""

    owner: Definition
    places: tuple[tuple[int, str], ...]


@dataclass(slots=True, kw_only=True)
class AddLinks:
    """Link targets to sources: `(source, target, order)`. The place among a target's own sources is the last one."""

    owner: Definition
    relation: Relation
    links: tuple[tuple[RowId, int, float], ...]


@dataclass(slots=True, kw_only=True)
class RemoveLinks:
    """Unlink targets from a source."""

    owner: Definition
    relation: Relation
    source: int
    targets: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class TakeLinks:
    """Unlink targets from every source: they may have one only, and get another."""

    owner: Definition
    relation: Relation
    targets: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class OrderLinks:
    """New places for some targets of a source: `(target, order)`."""

    owner: Definition
    relation: Relation
    source: int
    orders: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class FileLink:
    """A file in a media attribute; `order` counts from 1."""

    file: int
    owner_type: str
    owner: RowId
    field: str
    order: float


@dataclass(slots=True, kw_only=True)
class AttachFiles:
    """Put files into media attributes."""

    links: tuple[FileLink, ...]


@dataclass(slots=True, kw_only=True)
class DetachFiles:
    """Empty media attributes: `(type, id, field)`; None as field is all of them."""

    places: tuple[tuple[str, int, str | None], ...]


@dataclass(frozen=True, slots=True)
class MorphLink:
    """A target of a morphToMany relation. `field` is the attribute of the target's side that set it, if it was one."""

    owner: RowId
    target: TypedTarget
    field: str | None
    order: float


@dataclass(slots=True, kw_only=True)
class AddMorphs:
    """Targets of a morphToMany relation."""

    owner: Definition
    relation: Relation
    links: tuple[MorphLink, ...]


@dataclass(slots=True, kw_only=True)
class RemoveMorphs:
    """All targets of an entry's morphToMany relation."""

    owner: Definition
    relation: Relation
    id: int


@dataclass(slots=True, kw_only=True)
class RemoveInverseMorphs:
    """All that leads to some entries by a morphToMany relation, or by one attribute (`field`) of their own side."""

    owner: Definition
    relation: Relation
    targets: tuple[TypedTarget, ...]
    field: str | None = None


@dataclass(slots=True, kw_only=True)
class UnpointMorphs:
    """Let no morphToOne relation lead to some targets any more."""

    owner: Definition
    targets: tuple[TypedTarget, ...]


@dataclass(slots=True, kw_only=True)
class PointMorphs:
    """Let the morphToOne relation of some rows lead to a target."""

    owner: Definition
    target: TypedTarget
    ids: tuple[int, ...]


Change = (
    InsertRows
    | UpdateRow
    | UpdateRows
    | DeleteRows
    | AttachComponents
    | DetachComponents
    | AddLinks
    | RemoveLinks
    | TakeLinks
    | OrderLinks
    | AttachFiles
    | DetachFiles
    | AddMorphs
    | RemoveMorphs
    | RemoveInverseMorphs
    | PointMorphs
    | UnpointMorphs
)
