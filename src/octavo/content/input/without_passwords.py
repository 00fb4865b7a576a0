"""Data of entries as it may be kept outside of them: without passwords, in components neither."""

from collections.abc import Mapping
from typing import Any

from octavo.content.input.python_values import plain
from octavo.content.validation.body_validator import COMPONENT_KEY
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Scalar
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry


def without_passwords(registry: Registry, definition: Definition, data: Any) -> Any:
    """The data of an entry or a component, in the words of JSON; what is no such data as it is."""
    if not isinstance(data, Mapping):
        return data
    attributes = {name: definition.attributes.get(name) for name in data}
    return {
        name: _kept(registry, attribute, data[name])
        for name, attribute in attributes.items()
        if not (isinstance(attribute, Scalar) and attribute.type == "password")
    }


def _kept(registry: Registry, attribute: AnyAttribute | None, value: Any) -> Any:
    if not isinstance(attribute, ComponentField | DynamicZone):
        return plain(value)
    if isinstance(value, list | tuple):
        return [_kept(registry, attribute, item) for item in value]
    if not isinstance(value, Mapping):
        return None
    uid = attribute.component if isinstance(attribute, ComponentField) else value[COMPONENT_KEY]
    return without_passwords(registry, registry.components[uid], value)
