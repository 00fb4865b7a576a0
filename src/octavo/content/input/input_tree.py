"""Parse a validated body to a tree of the entry and its components, with parsed relations.

Raises `BodyProblem` for relations that Strapi refuses.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any

from octavo.content.input.relation_input import (
    InvalidRelations,
    LinkChange,
    TargetId,
    distinct,
    named_targets,
    read_links,
    read_replacing,
    read_typed,
    read_typed_targets,
)
from octavo.content.input_path import TOP, InputPath
from octavo.content.validation.body_validator import COMPONENT_KEY
from octavo.core.errors import Problem
from octavo.core.values import dataclass
from octavo.query.plan.changes import TypedTarget
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import FILE, Definition
from octavo.schema.registry import Registry

_NO_IDENTIFIER = "Cannot build relations store from dynamiczone, component identifier is undefined"


class BodyProblem(Exception):
    """The body's relations cannot be parsed: the problem as in Strapi, and `placed`, the problem with its path."""

    def __init__(self, problem: Problem, placed: Problem | None = None) -> None:
        super().__init__(problem.message)
        self.problem = problem
        self.placed = placed or problem


@dataclass(slots=True, kw_only=True)
class InputNode:
    """One object of a body. `given_id` is its `id`, `has_id` whether it has one.

    `given` are the raw values of relations and media that link by ids, `changes` the parsed ones; `typed` are the
    targets of morphToOne and morphToMany.
    """

    definition: Definition
    trail: InputPath
    has_id: bool = False
    given_id: Any = None
    scalars: dict[str, Any] = field(default_factory=dict)
    changes: dict[str, LinkChange] = field(default_factory=dict)
    given: dict[str, Any] = field(default_factory=dict)
    typed: dict[str, tuple[TypedTarget, ...]] = field(default_factory=dict)
    children: dict[str, list["InputNode"]] = field(default_factory=dict)

    def walk(self) -> Iterator["InputNode"]:
        """Yield this object and all objects inside."""
        yield self
        for children in self.children.values():
            for child in children:
                yield from child.walk()


def read_body(registry: Registry, definition: Definition, data: Mapping[str, Any]) -> InputNode:
    """Parse an entry's data."""
    return _read(registry, definition, data, TOP)


def _read(registry: Registry, definition: Definition, data: Mapping[str, Any], trail: InputPath) -> InputNode:
    node = InputNode(definition=definition, trail=trail, has_id="id" in data, given_id=data.get("id"))
    for name in definition.writable_names:
        if name in data:
            attribute = definition.attributes[name]
            if isinstance(attribute, Scalar):
                node.scalars[name] = data[name]
            else:
                _read_attribute(registry, node, attribute, data[name])
    return node


def _read_attribute(registry: Registry, node: InputNode, attribute: AnyAttribute, value: Any) -> None:
    name = attribute.name
    trail = node.trail.child(name)
    match attribute:
        case Relation() | Media():
            _read_relation(registry, node, attribute, value, trail)
        case ComponentField(repeatable=repeatable):
            items = value if repeatable else [value]
            component = registry.components[attribute.component]
            if isinstance(items, list):
                places = [trail.item(index) for index in range(len(items))] if repeatable else [trail]
                node.children[name] = [
                    _read(registry, component, item, place)
                    for item, place in zip(items, places, strict=True)
                    if isinstance(item, Mapping)
                ]
        case DynamicZone():
            node.children[name] = list(_read_zone(registry, value, trail))


def _read_zone(registry: Registry, value: Any, trail: InputPath) -> Iterator[InputNode]:
    if value is None:
        return
    if not isinstance(value, list):
        raise _unplaced(_NO_IDENTIFIER, trail)
    for index, item in enumerate(value):
        uid = item.get(COMPONENT_KEY) if isinstance(item, Mapping) else ""
        if uid is None:
            raise _unplaced(_NO_IDENTIFIER, trail.item(index))
        component = registry.components.get(uid) if isinstance(uid, str) else None
        if component is None:
            raise _unplaced("Invalid relations", trail.item(index))
        yield _read(registry, component, item, trail.item(index))


def _read_relation(
    registry: Registry, node: InputNode, attribute: Relation | Media, value: Any, trail: InputPath
) -> None:
    if isinstance(attribute, Relation) and attribute.kind in ("morphToOne", "morphToMany"):
        _read_morph(registry, node, attribute, value, trail)
        return
    replacing = isinstance(attribute, Media) or attribute.is_morph
    read: Callable[[Any], LinkChange | None] = read_replacing if replacing else read_links
    try:
        change = read(value)
    except InvalidRelations as error:
        raise _unplaced(error.message, trail, error.path) from None
    node.given[attribute.name] = value
    if change is not None:
        node.changes[attribute.name] = change


def _unplaced(message: str, trail: InputPath, path: tuple[str, ...] = ()) -> BodyProblem:
    """Return a problem that Strapi reports without its path."""
    return BodyProblem(TOP.problem(message), Problem((*trail.path, *path), message))


def _read_morph(registry: Registry, node: InputNode, relation: Relation, value: Any, trail: InputPath) -> None:
    """Parse a polymorphic relation. Strapi crashes on values refused here, so the problem can have a path."""
    if value == []:
        return  # no change, as in Strapi; null unlinks all targets
    try:
        single = not relation.to_many and value is not None
        targets = (read_typed(value),) if single else read_typed_targets(value)
    except InvalidRelations as error:
        raise BodyProblem(trail.problem(error.message)) from None
    for target in targets:
        if target.type not in registry.content_types:
            raise BodyProblem(trail.problem(f"Unknown content type {target.type}"))
    node.typed[relation.name] = targets


def _changes(node: InputNode) -> Iterator[tuple[InputNode, str]]:
    changes, children = node.changes, node.children
    for name in node.definition.attributes:
        if name in changes:
            yield node, name
        elif name in children:
            for child in children[name]:
                yield from _changes(child)


def wanted_targets(root: InputNode, *, every: bool = False) -> dict[str, list[TargetId]]:
    """Return the target ids that must exist, by content type UID, in the order of attributes and components.

    With `every`, also ids that Strapi leaves to the database.
    """
    wanted: dict[str, list[TargetId]] = {}
    for node, name in _changes(root):
        change = node.changes[name]
        wanted.setdefault(_target_uid(node, name), []).extend(change.targets if every or change.checked else ())
    return {uid: distinct(targets) for uid, targets in wanted.items() if targets}


def meaningless_relations(root: InputNode) -> Iterator[Problem]:
    """Yield a problem for each relation value without a meaning."""
    for node in root.walk():
        for name, value in node.given.items():
            if value is True:
                yield node.trail.child(name).problem("Invalid relations")


def placed_targets(root: InputNode) -> Iterator[tuple[str, tuple[str, ...], TargetId]]:
    """Yield every target to link: its content-type's UID, its path in the body, and its id."""
    for node, name in _changes(root):
        for path, target in named_targets(node.given[name]):
            yield _target_uid(node, name), (*node.trail.path, name, *path), target


def _target_uid(node: InputNode, name: str) -> str:
    attribute = node.definition.attributes[name]
    return FILE if isinstance(attribute, Media) else str(node.definition.relation(name).target)
