"""plan_write: an entry as it shall be, with what it is now, to an ordered list of changes.

Changes of one kind to one table are put together, so that a write needs few statements, however many components it has.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from octavo.plan.changes import (
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
    UpdateRow,
    UpdateRows,
)
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry


@dataclass(slots=True, kw_only=True)
class RowNode:
    """An entry or a component to write. `id` is None for a new one. Lists stand for all that an attribute shall hold.

    `links` are the targets of relations in order; `morphs` those of morphToMany; `sources` the entries that lead here
    by a morph relation of their own.
    """

    definition: Definition
    id: int | None = None
    values: dict[str, Any] = field(default_factory=dict)
    components: dict[str, list["RowNode"]] = field(default_factory=dict)
    links: dict[str, Sequence[int]] = field(default_factory=dict)
    files: dict[str, Sequence[int]] = field(default_factory=dict)
    morphs: dict[str, Sequence[TypedTarget]] = field(default_factory=dict)
    sources: dict[str, Sequence[int]] = field(default_factory=dict)
    ref: RowRef = field(default_factory=RowRef)

    @property
    def key(self) -> RowId:
        """Its id, or what stands for it until it has one."""
        return self.ref if self.id is None else self.id

    def walk(self) -> Iterator["RowNode"]:
        """This row, and all components inside."""
        yield self
        for children in self.components.values():
            for child in children:
                yield from child.walk()


Held = Sequence[tuple[int, float | None]]
Links = Mapping[tuple[Definition, int, str], Held]
OwnedRow = tuple[Definition, int]


def plan_write(root: RowNode, registry: Registry, current: Links, dropped: Iterable[OwnedRow] = ()) -> list[Change]:
    """The changes that make the database hold `root`.

    `current` are the targets now linked, with their orders, for rows that exist; `dropped` the components that nothing
    holds any more.
    """
    rows = list(root.walk())
    return [
        *_drop(dropped),
        *_insert_components(rows),
        *_write_root(root),
        *_update_components(root, rows),
        *_place_components(rows),
        *_link(rows, current),
        *_attach_files(rows),
        *_morph(rows, registry),
    ]


def plan_delete(definition: Definition, entry_id: int, registry: Registry, owned: Iterable[OwnedRow]) -> list[Change]:
    """The changes that remove an entry with the components inside it, and what leads to it from its own side."""
    row = RowNode(definition=definition, id=entry_id)
    inverse = [
        change
        for attribute in definition.attributes.values()
        if isinstance(attribute, Relation) and attribute.kind in ("morphOne", "morphMany")
        for change in _lead_here(row, attribute, (), registry)
    ]
    return [*inverse, *_drop([*owned, (definition, entry_id)])]


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


def _insert_components(rows: Iterable[RowNode]) -> Iterator[Change]:
    """New components first: they do not know their owners."""
    groups: dict[tuple[Definition, tuple[str, ...]], list[RowNode]] = {}
    for row in list(rows)[1:]:
        if row.id is None:
            groups.setdefault((row.definition, tuple(row.values)), []).append(row)
    for (definition, attributes), group in groups.items():
        yield _insert(definition, attributes, group)


def _insert(definition: Definition, attributes: tuple[str, ...], group: Sequence[RowNode]) -> InsertRows:
    return InsertRows(
        definition=definition,
        attributes=attributes,
        rows=tuple(tuple(row.values.values()) for row in group),
        refs=tuple(row.ref for row in group),
    )


def _write_root(root: RowNode) -> Iterator[Change]:
    if root.id is None:
        yield _insert(root.definition, tuple(root.values), (root,))
    else:
        yield from _update(root)


def _update(row: RowNode) -> Iterator[Change]:
    if row.id is not None and row.values:
        yield UpdateRow(
            definition=row.definition, id=row.id, attributes=tuple(row.values), values=tuple(row.values.values())
        )


def _update_components(root: RowNode, rows: Iterable[RowNode]) -> Iterator[Change]:
    groups: dict[tuple[Definition, tuple[str, ...]], dict[int, RowNode]] = {}
    for row in rows:
        if row is not root and row.id is not None and row.values:
            groups.setdefault((row.definition, tuple(row.values)), {})[row.id] = row
    for (definition, attributes), group in groups.items():
        if len(group) == 1:
            yield from _update(*group.values())
        else:
            values = tuple(tuple(row.values.values()) for row in group.values())
            yield UpdateRows(definition=definition, ids=tuple(group), attributes=attributes, rows=values)


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
    """Whether a target belongs to one source at most, so that linking takes it from another."""
    return relation.kind in ("oneToOne", "oneToMany") and bool(relation.inversed_by or relation.mapped_by)


def _link(rows: Iterable[RowNode], current: Links) -> Iterator[Change]:
    added: dict[tuple[Definition, str], list[tuple[RowId, int, float]]] = {}
    for row in rows:
        for name, wanted in _in_order(row):
            relation = row.definition.relation(name)
            held = {} if row.id is None else dict(current.get((row.definition, row.id, name), ()))
            if (row.definition, _other_side(row, relation)) in added:
                yield from _add_links(added)  # the side that is written last wins
                added.clear()
                if row.id is not None and row.id in row.links[_other_side(row, relation)]:
                    held.setdefault(row.id, None)
            places = {target: float(index + 1) for index, target in enumerate(wanted)}
            if row.id is not None:
                yield from _rearrange(row, row.id, relation, held, places)
            new = tuple(target for target in wanted if target not in held)
            if new and takes_targets(relation):
                yield TakeLinks(owner=row.definition, relation=relation, targets=new)
            links = added.setdefault((row.definition, name), [])
            links += [(row.key, target, places[target]) for target in new]
    yield from _add_links(added)


def _in_order(row: RowNode) -> list[tuple[str, Sequence[int]]]:
    """The links of a row, in order of definition."""
    return [(name, row.links[name]) for name in row.definition.attributes if name in row.links]


def _other_side(row: RowNode, relation: Relation) -> str:
    """The attribute of the same row that holds the other ends of a relation's links, of a type with itself."""
    return (relation.inversed_by or relation.mapped_by or "") if relation.target == row.definition.uid else ""


def _add_links(added: Mapping[tuple[Definition, str], Sequence[tuple[RowId, int, float]]]) -> Iterator[Change]:
    for (definition, name), links in added.items():
        if links:
            yield AddLinks(owner=definition, relation=definition.relation(name), links=tuple(links))


def _rearrange(
    row: RowNode, source: int, relation: Relation, held: Mapping[int, float | None], places: Mapping[int, float]
) -> Iterator[Change]:
    """Unlink what is not wanted any more; give what stays its new places."""
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
            yield from _lead_here(row, row.definition.relation(name), sources, registry)


def _lead_here(row: RowNode, relation: Relation, sources: Sequence[int], registry: Registry) -> Iterator[Change]:
    """The other side of a morph relation: the rows that shall lead here, by columns of theirs or by a table."""
    owner = registry.content_types[str(relation.target)]
    owning = owner.relation(str(relation.morph_by))
    target = TypedTarget(row.definition.uid, row.key)
    if owning.kind == "morphToOne":
        yield PointMorphs(owner=owner, target=target, ids=tuple(sources), fresh=row.id is None)
        return
    if row.id is not None:
        yield RemoveInverseMorphs(owner=owner, relation=owning, target=target, field=relation.name)
    if sources:
        links = [MorphLink(source, target, relation.name, float(i + 1)) for i, source in enumerate(sources)]
        yield AddMorphs(owner=owner, relation=owning, links=tuple(links))
