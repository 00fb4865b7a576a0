"""Convert an entry as returned by the API back to the data of a write."""

from collections.abc import Mapping
from typing import Any

from octavo.content.validation.body_validator import COMPONENT_KEY
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry


def data_from_response(registry: Registry, definition: Definition, shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data. Components lose their ids, so they are created again; relations and files become ids.

    Counted relations and polymorphic relations are left out.
    """
    data = {}
    for name, value in shown.items():
        attribute = definition.attributes.get(name)
        if attribute is not None and _can_be_read(attribute, value):
            data[name] = _value(registry, attribute, value)
    return data


def _can_be_read(attribute: AnyAttribute, value: Any) -> bool:
    if not attribute.writable:
        return False
    match attribute:
        case Relation() | Media():
            found = value["data"] if isinstance(value, Mapping) and "data" in value else ()
            return found is None or isinstance(found, list) or "id" in found
        case ComponentField():
            return value is None or isinstance(value, list) or "id" in value
        case _:
            return True


def _value(registry: Registry, attribute: AnyAttribute, value: Any) -> Any:
    match attribute:
        case Scalar():
            return value
        case Relation() | Media():
            found = value["data"]
            if attribute.to_many:
                return [entry["id"] for entry in found or ()]
            return found and found["id"]
        case ComponentField(component=component):
            definition = registry.components[component]
            if attribute.repeatable:
                return [data_from_response(registry, definition, item) for item in value]
            return value and data_from_response(registry, definition, value)
        case DynamicZone():
            return [
                {COMPONENT_KEY: item[COMPONENT_KEY]}
                | data_from_response(registry, registry.components[item[COMPONENT_KEY]], item)
                for item in value
            ]
