"""Convert entries from flat dictionaries to REST's form: `{"id", "attributes"}`, relations as `{"data"}`."""

from collections.abc import Mapping
from typing import Any

from octavo.schema.attributes import AnyAttribute, Media, Relation, Scalar
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry


def entry_form(entry: Mapping[str, Any], content_type: ContentType, registry: Registry) -> dict[str, Any]:
    """Return an entry with its populated relations. Keys that are not attributes are treated like attributes."""
    attributes = {name: value for name, value in entry.items() if name != "id"}
    return {"id": entry.get("id"), "attributes": _members(attributes, content_type, registry)}


def _members(entry: Mapping[str, Any], definition: Definition, registry: Registry) -> dict[str, Any]:
    formed = {}
    for name, value in entry.items():
        attribute = definition.attributes.get(name)
        is_value = attribute is None or isinstance(attribute, Scalar)
        formed[name] = value if attribute is None or is_value else _target(value, attribute, registry)
    return formed


def _target(value: Any, attribute: AnyAttribute, registry: Registry) -> Any:
    target = registry.target(attribute)
    if isinstance(attribute, Relation | Media) and isinstance(target, ContentType):
        if isinstance(value, list | tuple):
            return {"data": [entry_form(item, target, registry) for item in value]}
        return {"data": entry_form(value, target, registry) if isinstance(value, Mapping) else None}
    if isinstance(attribute, Relation):  # morph relations are unchanged, as in the reference
        return value
    if isinstance(value, list | tuple):
        return [_component(item, target, registry) for item in value]
    return _component(value, target, registry)


def _component(value: Any, component: Definition | None, registry: Registry) -> Any:
    if not isinstance(value, Mapping):
        return value
    known = component or registry.components.get(value.get("__component", ""))
    return value if known is None else _members(value, known, registry)
