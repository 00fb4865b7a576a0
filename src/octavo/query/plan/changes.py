"""Changes: the database operations of a write, as an ordered list of nodes with resolved names and typed values.

The nodes are immutable by convention: creating frozen dataclasses takes several times as long, and a write creates
many. A row that does not exist yet is identified by a `RowRef`, whose id is set when the row is inserted.
"""

from typing import Any

from octavo.core.values import dataclass
from octavo.schema.attributes import Relation
from octavo.schema.content_types import Definition


class RowRef:
    """A reference to the row that an earlier change of the same write inserts."""

    __slots__ = ("id",)

    def __init__(self) -> None:
        self.id: int | None = None

    def __int__(self) -> int:
        if self.id is None:
            raise LookupError("the row has not been inserted yet")
        return self.id


class Slot:
    """A placeholder for the value at this index, which is passed when the statements run."""

    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at


RowId = int | RowRef


def known(row: RowId) -> RowId:
    """Return the id of a row reference that has been inserted; other ids are returned unchanged."""
    return row if isinstance(row, int) or row.id is None else row.id


@dataclass(frozen=True, slots=True)
class TypedTarget:
    """A target of a polymorphic relation, with its type."""

    type: str
    id: RowId


@dataclass(slots=True, kw_only=True)
class InsertRows:
    """Insert rows of one definition, with values for the same attributes. The new ids are set on `refs`."""

    definition: Definition
    attributes: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    refs: tuple[RowRef, ...]


@dataclass(slots=True, kw_only=True)
class UpdateRow:
    """Update some attributes of a row. `later` is a timestamp attribute that must increase in any case."""

    definition: Definition
    id: int
    attributes: tuple[str, ...]
    values: tuple[Any, ...]
    later: str | None = None


@dataclass(slots=True, kw_only=True)
class UpdateRows:
    """Update the same attributes of several rows. `later`: as for `UpdateRow`."""

    definition: Definition
    ids: tuple[int, ...]
    attributes: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    later: str | None = None


@dataclass(slots=True, kw_only=True)
class DeleteRows:
    """Delete rows. Dependent rows are deleted by foreign keys."""

    definition: Definition
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ComponentLink:
    """A component at its position. `order` counts from 1 in lists and is None for a single component."""

    owner: RowId
    component: RowId
    type: str
    field: str
    order: float | None


@dataclass(slots=True, kw_only=True)
class AttachComponents:
    """Attach components to their owners."""

    owner: Definition
    links: tuple[ComponentLink, ...]


@dataclass(slots=True, kw_only=True)
class DetachComponents:
    """Detach all components from some fields: pairs of an owner's id and a field."""

    owner: Definition
    places: tuple[tuple[int, str], ...]


@dataclass(slots=True, kw_only=True)
class AddLinks:
    """Link targets to sources: `(source, target, order)`. The source is added last among the target's own sources."""

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
    """Unlink targets from every source, because they can have only one and get a new one."""

    owner: Definition
    relation: Relation
    targets: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class OrderLinks:
    """Set the order of some targets of a source: `(target, order)`."""

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
    """Attach files to media attributes."""

    links: tuple[FileLink, ...]


@dataclass(slots=True, kw_only=True)
class DetachFiles:
    """Detach all files from media attributes: `(type, id, field)`; with None as field, from all of them."""

    places: tuple[tuple[str, int, str | None], ...]


@dataclass(frozen=True, slots=True)
class MorphLink:
    """A target of a morphToMany relation. `field` is the target's attribute that created the link, if there is one."""

    owner: RowId
    target: TypedTarget
    field: str | None
    order: float


@dataclass(slots=True, kw_only=True)
class AddMorphs:
    """Add targets to morphToMany relations."""

    owner: Definition
    relation: Relation
    links: tuple[MorphLink, ...]


@dataclass(slots=True, kw_only=True)
class RemoveMorphs:
    """Remove all targets of an entry's morphToMany relation."""

    owner: Definition
    relation: Relation
    id: int


@dataclass(slots=True, kw_only=True)
class RemoveInverseMorphs:
    """Remove all links of a morphToMany relation to some targets, or only those of one attribute (`field`) of the
    targets."""

    owner: Definition
    relation: Relation
    targets: tuple[TypedTarget, ...]
    field: str | None = None


@dataclass(slots=True, kw_only=True)
class UnpointMorphs:
    """Clear every morphToOne relation that points to some targets."""

    owner: Definition
    targets: tuple[TypedTarget, ...]


@dataclass(slots=True, kw_only=True)
class PointMorphs:
    """Set the morphToOne relation of some rows to a target."""

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
