"""Entries as REST answers them, and flat as a project's code has them: one into the other, and back.

What a polymorphic relation leads to, and counts, stay as they are answered.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from octavo.content.validation.body_validator import COMPONENT_KEY
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

_DATA: Final = frozenset({"data"})
Turn = Callable[[Any, Definition, Registry], Any]


class FlatEntry(dict[str, Any]):
    """An entry, flat. `meta` is what REST tells of it beside its attributes."""

    meta: Any = None


def flat(entry: Mapping[str, Any], definition: Definition, registry: Registry) -> FlatEntry:
    """`{"id", ...}` of `{"id", "attributes"}`, all the way down."""
    found = FlatEntry(id=entry.get("id"), **_each(entry["attributes"], definition, registry, _flat_link))
    found.meta = entry.get("meta")
    return found


def nested(entry: Mapping[str, Any], definition: Definition, registry: Registry) -> dict[str, Any]:
    """`{"id", "attributes"}` of `{"id", ...}`: the form that `flat` was given, with what was changed since."""
    values = {name: value for name, value in entry.items() if name != "id"}
    found = {"id": entry.get("id"), "attributes": _each(values, definition, registry, _nested_link)}
    if isinstance(entry, FlatEntry) and entry.meta is not None:
        found["meta"] = entry.meta
    return found


def _each(values: Mapping[str, Any], definition: Definition, registry: Registry, turn: Turn) -> dict[str, Any]:
    """The values of an entry or a component, with what relations in them lead to turned."""
    attributes = definition.attributes
    return {name: _value(value, attributes.get(name), registry, turn) for name, value in values.items()}


def _value(value: Any, attribute: AnyAttribute | None, registry: Registry, turn: Turn) -> Any:
    if isinstance(attribute, Relation | Media):
        target = registry.target(attribute)
        return value if target is None else turn(value, target, registry)
    if not isinstance(attribute, ComponentField | DynamicZone):
        return value
    if isinstance(value, list):
        return [_value(item, attribute, registry, turn) for item in value]
    if not isinstance(value, Mapping):
        return value
    uid = attribute.component if isinstance(attribute, ComponentField) else value.get(COMPONENT_KEY)
    component = registry.components.get(str(uid))
    return value if component is None else _each(value, component, registry, turn)


def _flat_link(value: Any, target: Definition, registry: Registry) -> Any:
    data = value.get("data") if isinstance(value, Mapping) and value.keys() == _DATA else value
    if isinstance(data, list):
        return [flat(item, target, registry) for item in data]
    if isinstance(data, Mapping):
        return flat(data, target, registry) if "id" in data else value
    return data


def _nested_link(value: Any, target: Definition, registry: Registry) -> Any:
    if isinstance(value, list):
        return {"data": [nested(item, target, registry) for item in value]}
    if isinstance(value, Mapping):
        return value if value.keys() == _DATA else {"data": nested(value, target, registry)}
    return {"data": value}
