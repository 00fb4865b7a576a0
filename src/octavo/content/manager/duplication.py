"""Copy entries: merge the request body into the original's data, and find fields that cannot be copied."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from octavo.access.authorization.ability import CREATE, Ability
from octavo.content.entry_snapshot import component_of, without_ids
from octavo.content.input.link_order import CircularAnchors, ConnectedTwice, UnknownAnchor, place_targets
from octavo.content.input.relation_input import InvalidRelations, read_links
from octavo.content.validation.body_validator import COMPONENT_KEY
from octavo.schema.attributes import (
    STAMPED,
    UID,
    AnyAttribute,
    ComponentField,
    DynamicZone,
    Relation,
    Scalar,
    components_of,
)
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry

_UNREADABLE = (InvalidRelations, ConnectedTwice, CircularAnchors, UnknownAnchor)
_SINGLE_SIDED = ("oneToOne", "oneToMany")


def copied(
    registry: Registry, content_type: ContentType, source: Mapping[str, Any], body: Mapping[str, Any], ability: Ability
) -> dict[str, Any]:
    """Return the data for a copy: the original's data, overridden by the body, as far as the ability can create it.

    A component in the body only contains differences to the original's. Fields that the ability cannot create are
    empty, without defaults, as in v4.
    """
    empty = {
        name: _nothing(content_type.attributes[name])
        for name in content_type.writable_names
        if name not in STAMPED and ability.limits_fields and not ability.writes(content_type.uid, name, CREATE)
    }
    data = {**empty, **_laid_over(registry, content_type, source, body)}
    return without_ids(registry, content_type, data)


def _nothing(attribute: AnyAttribute) -> Any:
    return [] if isinstance(attribute, ComponentField) and attribute.repeatable else None


def _laid_over(
    registry: Registry, definition: Definition, source: Mapping[str, Any], body: Mapping[str, Any]
) -> dict[str, Any]:
    data = dict(source)
    for name, value in body.items():
        attribute = definition.attributes.get(name)
        match attribute:
            case Relation() if not attribute.is_morph:
                data[name] = _linked(attribute, source.get(name), value)
            case ComponentField() | DynamicZone():
                data[name] = _components(registry, attribute, source.get(name), value)
            case _:
                data[name] = value
    return data


def _linked(relation: Relation, held: Any, value: Any) -> Any:
    """Return a relation's targets after applying a value. Invalid values are returned unchanged and refused later."""
    if not isinstance(value, Mapping) or "id" in value or value.get("set") is not None:
        return value
    current = held if isinstance(held, list) else [] if held is None else [held]
    try:
        change = read_links(value)
        placed = current if change is None else place_targets(current, change)
    except _UNREADABLE:
        return value
    if change is not None and not all(isinstance(target, int) for target in change.targets):
        return value
    return placed if relation.to_many else placed[-1] if placed else None


def _components(registry: Registry, attribute: ComponentField | DynamicZone, held: Any, value: Any) -> Any:
    """Merge components into those of the original: by id, as forms send them, or by position if none has an id.

    Further components of the original stay (observed). A component whose id is null is a new one.
    """
    if not isinstance(value, list):
        is_new = isinstance(value, Mapping) and "id" in value and value["id"] is None
        return value if is_new else _laid_over_one(registry, attribute, held, value)
    of_source = held if isinstance(held, list) else []
    if any(isinstance(item, Mapping) and "id" in item for item in value):
        by_id = {(item.get(COMPONENT_KEY), str(item["id"])): item for item in of_source}
        same = [by_id.get(_key(item)) for item in value]
        return [_laid_over_one(registry, attribute, *pair) for pair in zip(same, value, strict=True)]
    pairs = zip_longest(of_source[: len(value)], value)
    return [_laid_over_one(registry, attribute, *pair) for pair in pairs] + (of_source[len(value) :] if value else [])


def _key(item: Any) -> tuple[Any, str]:
    return (item.get(COMPONENT_KEY), str(item.get("id"))) if isinstance(item, Mapping) else (None, "")


def _laid_over_one(registry: Registry, attribute: ComponentField | DynamicZone, held: Any, item: Any) -> Any:
    component = component_of(registry, attribute, item)
    if component is None or component_of(registry, attribute, held) is not component:
        return item
    return _laid_over(registry, component, held, item)


def prohibited_fields(registry: Registry, definition: Definition) -> Iterator[tuple[list[str], str]]:
    """Yield the paths of attributes that prevent copying an entry unchanged, and the reason: `unique`, or a `relation`
    that would be unlinked from the original.
    """
    yield from _prohibited(registry, definition, (), ())


def _prohibited(
    registry: Registry, definition: Definition, way: tuple[str, ...], around: tuple[str, ...]
) -> Iterator[tuple[list[str], str]]:
    for name in definition.writable_names:
        attribute = definition.attributes[name]
        path = (*way, name)
        reason = _reason(attribute)
        if reason:
            yield [*path], reason
        for uid in components_of(attribute):
            if uid not in around and uid in registry.components:
                component = registry.components[uid]
                inside = path if isinstance(attribute, ComponentField) else (*path, component.display_name)
                yield from _prohibited(registry, component, inside, (*around, uid))


def _reason(attribute: AnyAttribute) -> str:
    match attribute:
        case Scalar() if attribute.unique or isinstance(attribute, UID):
            return "unique"
        case Relation() if attribute.kind in _SINGLE_SIDED and attribute.inverse:
            return "relation"
        case _:
            return ""
