"""Plan a write: compare the desired entries with their current state and return an ordered list of changes.

Changes of one kind to one table are combined, so that a write needs few statements, however many components it has.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from octavo.core.values import dataclass
from octavo.query.plan.changes import (
    AddLinks,
    AddMorphs,
    AttachComponents,
    AttachFiles,
    Change,
    ComponentLink,
    DeleteRows,
    DetachComponents,
    DetachFiles,
    FileLink,
    InsertRows,
    MorphLink,
    OrderLinks,
    PointMorphs,
    RemoveInverseMorphs,
    RemoveLinks,
    RemoveMorphs,
    RowId,
    RowRef,
    TakeLinks,
    TypedTarget,
    UnpointMorphs,
    UpdateRow,
    UpdateRows,
)
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation
from octavo.schema.content_types import FILE, Definition
from octavo.schema.registry import Registry


@dataclass(slots=True, kw_only=True)
class RowNode:
    """An entry or a component to write. `id` is None for a new one. Lists hold the complete new value of an attribute.

    `links` are the targets of relations in order, `morphs` those of morphToMany; `sources` are the entries that refer
    to this one by their own morph relation. `later` is the timestamp attribute that must increase, whatever its value.
    """

    definition: Definition
    id: int | None = None
    values: dict[str, Any] = field(default_factory=dict)
    later: str | None = None
    components: dict[str, list["RowNode"]] = field(default_factory=dict)
    links: dict[str, Sequence[int]] = field(default_factory=dict)
    files: dict[str, Sequence[int]] = field(default_factory=dict)
    morphs: dict[str, Sequence[TypedTarget]] = field(default_factory=dict)
    sources: dict[str, Sequence[int]] = field(default_factory=dict)
    ref: RowRef = field(default_factory=RowRef)

    @property
    def key(self) -> RowId:
        """Return the id, or the reference of a row that has none yet."""
        return self.ref if self.id is None else self.id

    def walk(self) -> Iterator["RowNode"]:
        """Yield this row and all nested components."""
        yield self
        for children in self.components.values():
            for child in children:
                yield from child.walk()


Held = Sequence[tuple[int, float | None]]
Links = Mapping[tuple[Definition, int, str], Held]
OwnedRow = tuple[Definition, int]


def plan_write(
    roots: Sequence[RowNode], registry: Registry, current: Links, dropped: Iterable[OwnedRow] = ()
) -> list[Change]:
    """Return the changes that store these entries of one type.

    `current` holds the linked targets and their orders of existing rows; `dropped` the components that are no longer
    used. If several entries claim one target, the result is the same as writing them one after another.
    """
    trees = [tuple(root.walk()) for root in roots]
    rows = [row for tree in trees for row in tree]
    inside = [row for tree in trees for row in tree[1:]]
    return [
        *_drop(dropped),
        *_insert(inside),
        *_insert(roots),
        *_update(roots),
        *_update(inside),
        *_place_components(rows),
        *_link(rows, current),
        *_attach_files(rows),
        *_morph(rows, registry),
    ]


def plan_delete(
    definition: Definition, ids: Iterable[int], registry: Registry, owned: Iterable[OwnedRow]
) -> list[Change]:
    """Return the changes that delete entries, the components inside them and the morph relations pointing to them."""
    wanted = list(ids)
    targets = tuple(TypedTarget(definition.uid, one) for one in wanted)
    inverse = [*_unlink_morphs(definition, targets, registry)] if wanted else []
    return [*inverse, *_drop([*owned, *((definition, one) for one in wanted)])]


def _unlink_morphs(definition: Definition, targets: tuple[TypedTarget, ...], registry: Registry) -> Iterator[Change]:
    """Yield the changes that remove every morphToMany and every known morphToOne relation to these targets."""
    for owner, relation in registry.morph_lists:
        if owner.uid != FILE:  # files are detached separately
            yield RemoveInverseMorphs(owner=owner, relation=relation, targets=targets)
    for attribute in definition.attributes.values():
        if isinstance(attribute, Relation) and attribute.kind in ("morphOne", "morphMany"):
            owner, owning = _owning(attribute, registry)
            if owning.kind == "morphToOne":
                yield UnpointMorphs(owner=owner, targets=targets)


def _holds_files(definition: Definition) -> bool:
    return any(isinstance(attribute, Media) for attribute in definition.attributes.values())


def _drop(rows: Iterable[OwnedRow]) -> list[Change]:
    by_definition: dict[Definition, list[int]] = {}
    for definition, row_id in rows:
        by_definition.setdefault(definition, []).append(row_id)
    places = tuple(
        (definition.uid, row_id, None)
        for definition, ids in by_definition.items()
        if _holds_files(definition)
        for row_id in ids
    )
    detached: list[Change] = [DetachFiles(places=places)] if places else []
    return detached + [DeleteRows(definition=definition, ids=tuple(ids)) for definition, ids in by_definition.items()]


def _insert(rows: Iterable[RowNode]) -> Iterator[Change]:
    """Yield the inserts of new rows. Components come first, because they do not reference their owners."""
    groups: dict[tuple[Definition, tuple[str, ...]], list[RowNode]] = {}
    for row in rows:
        if row.id is None:
            groups.setdefault((row.definition, tuple(row.values)), []).append(row)
    for (definition, attributes), group in groups.items():
        yield InsertRows(
            definition=definition,
            attributes=attributes,
            rows=tuple(tuple(row.values.values()) for row in group),
            refs=tuple(row.ref for row in group),
        )


def _update(rows: Iterable[RowNode]) -> Iterator[Change]:
    groups: dict[tuple[Definition, tuple[str, ...], str | None], dict[int, RowNode]] = {}
    for row in rows:
        if row.id is not None and row.values:
            groups.setdefault((row.definition, tuple(row.values), row.later), {})[row.id] = row
    for (definition, attributes, later), group in groups.items():
        ids, values = tuple(group), tuple(tuple(row.values.values()) for row in group.values())
        if len(ids) == 1:
            yield UpdateRow(definition=definition, id=ids[0], attributes=attributes, values=values[0], later=later)
        else:
            yield UpdateRows(definition=definition, ids=ids, attributes=attributes, rows=values, later=later)


def _place_components(rows: Iterable[RowNode]) -> Iterator[Change]:
    emptied: dict[Definition, list[tuple[int, str]]] = {}
    filled: dict[Definition, list[ComponentLink]] = {}
    for row in rows:
        for name, children in row.components.items():
            if row.id is not None:
                emptied.setdefault(row.definition, []).append((row.id, name))
            for index, child in enumerate(children):
                order = float(index + 1) if _is_list(row.definition.attributes[name]) else None
                link = ComponentLink(row.key, child.key, child.definition.uid, name, order)
                filled.setdefault(row.definition, []).append(link)
    for definition, places in emptied.items():
        yield DetachComponents(owner=definition, places=tuple(places))
    for definition, links in filled.items():
        yield AttachComponents(owner=definition, links=tuple(links))


def _is_list(attribute: AnyAttribute) -> bool:
    return isinstance(attribute, DynamicZone) or (isinstance(attribute, ComponentField) and attribute.repeatable)


def takes_targets(relation: Relation) -> bool:
    """Return whether a target belongs to at most one source, so that linking it removes it from another."""
    return relation.kind in ("oneToOne", "oneToMany") and bool(relation.inverse)


@dataclass(slots=True)
class _PendingLinks:
    """New links of one relation to add together, and the targets to unlink from other sources before."""

    links: list[tuple[RowId, int, float]] = field(default_factory=list)
    taken: dict[int, None] = field(default_factory=dict)


_Pending = dict[tuple[Definition, str], _PendingLinks]


def _link(rows: Iterable[RowNode], current: Links) -> Iterator[Change]:
    pending: _Pending = {}
    for row in rows:
        for name, wanted in _in_order(row):
            relation = row.definition.relation(name)
            held = {} if row.id is None else dict(current.get((row.definition, row.id, name), ()))
            if (row.definition, _other_side(row, relation)) in pending:
                yield from _flush(pending)  # the side that is written last wins
                if row.id is not None and row.id in row.links[_other_side(row, relation)]:
                    held.setdefault(row.id, None)
            places = {target: float(index + 1) for index, target in enumerate(wanted)}
            if row.id is not None:
                yield from _rearrange(row, row.id, relation, held, places)
            new = tuple(target for target in wanted if target not in held)
            taken = dict.fromkeys(new if takes_targets(relation) else ())
            known = pending.get((row.definition, name))
            if known is not None and not taken.keys().isdisjoint(known.taken):
                yield from _flush(pending)  # the row that is written last wins
            adding = pending.setdefault((row.definition, name), _PendingLinks())
            adding.links += [(row.key, target, places[target]) for target in new]
            adding.taken |= taken
    yield from _flush(pending)


def _flush(pending: _Pending) -> Iterator[Change]:
    for (definition, name), adding in pending.items():
        relation = definition.relation(name)
        if adding.taken:
            yield TakeLinks(owner=definition, relation=relation, targets=tuple(adding.taken))
        if adding.links:
            yield AddLinks(owner=definition, relation=relation, links=tuple(adding.links))
    pending.clear()


def needs_turns(definition: Definition, names: Iterable[str]) -> bool:
    """Return whether entries of a type must be written one after another, because one entry's links affect
    another's."""
    relations = [item for name in names if isinstance(item := definition.attributes.get(name), Relation)]
    return any(item.target == definition.uid and bool(item.inverse) for item in relations)


def _in_order(row: RowNode) -> list[tuple[str, Sequence[int]]]:
    """Return the links of a row, in the order of the definition."""
    return [(name, row.links[name]) for name in row.definition.attributes if name in row.links]


def _other_side(row: RowNode, relation: Relation) -> str:
    """Return the attribute of the same row that is the inverse of a self-referencing relation."""
    return (relation.inverse or "") if relation.target == row.definition.uid else ""


def _rearrange(
    row: RowNode, source: int, relation: Relation, held: Mapping[int, float | None], places: Mapping[int, float]
) -> Iterator[Change]:
    """Unlink targets that are no longer wanted, and update the order of the others."""
    gone = tuple(target for target in held if target not in places)
    if gone:
        yield RemoveLinks(owner=row.definition, relation=relation, source=source, targets=gone)
    moved = tuple((target, places[target]) for target, order in held.items() if places.get(target, order) != order)
    if moved and relation.to_many:
        yield OrderLinks(owner=row.definition, relation=relation, source=source, orders=moved)


def _attach_files(rows: Iterable[RowNode]) -> Iterator[Change]:
    emptied: list[tuple[str, int, str | None]] = []
    links: list[FileLink] = []
    for row in rows:
        for name, files in row.files.items():
            if row.id is not None:
                emptied.append((row.definition.uid, row.id, name))
            links += [
                FileLink(file, row.definition.uid, row.key, name, float(index + 1)) for index, file in enumerate(files)
            ]
    if emptied:
        yield DetachFiles(places=tuple(emptied))
    if links:
        yield AttachFiles(links=tuple(links))


def _morph(rows: Iterable[RowNode], registry: Registry) -> Iterator[Change]:
    for row in rows:
        for name, targets in row.morphs.items():
            relation = row.definition.relation(name)
            if row.id is not None:
                yield RemoveMorphs(owner=row.definition, relation=relation, id=row.id)
            if targets:
                links = [MorphLink(row.key, target, None, float(i + 1)) for i, target in enumerate(targets)]
                yield AddMorphs(owner=row.definition, relation=relation, links=tuple(links))
        for name, sources in row.sources.items():
            yield from _link_sources(row, row.definition.relation(name), sources, registry)


def _link_sources(row: RowNode, relation: Relation, sources: Sequence[int], registry: Registry) -> Iterator[Change]:
    """Write the inverse side of a morph relation: set the columns of the sources, or rows of the morph table."""
    owner, owning = _owning(relation, registry)
    target = TypedTarget(row.definition.uid, row.key)
    if row.id is not None:
        yield _unlink_targets([target], relation, registry)
    if not sources:
        return
    if owning.kind == "morphToOne":
        yield PointMorphs(owner=owner, target=target, ids=tuple(sources))
        return
    links = [MorphLink(source, target, relation.name, float(i + 1)) for i, source in enumerate(sources)]
    yield AddMorphs(owner=owner, relation=owning, links=tuple(links))


def _unlink_targets(targets: Iterable[TypedTarget], relation: Relation, registry: Registry) -> Change:
    """Remove the links to these targets that were set by the inverse side of their morph relation."""
    owner, owning = _owning(relation, registry)
    if owning.kind == "morphToOne":
        return UnpointMorphs(owner=owner, targets=tuple(targets))
    return RemoveInverseMorphs(owner=owner, relation=owning, targets=tuple(targets), field=relation.name)


def _owning(relation: Relation, registry: Registry) -> tuple[Definition, Relation]:
    owner = registry.content_types[str(relation.target)]
    return owner, owner.relation(str(relation.morph_by))
