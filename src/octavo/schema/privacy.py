"""Attributes that a project makes private in all its definitions."""

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from octavo.schema.content_types import Component, ContentType
from octavo.schema.registry import Registry

DefinitionT = TypeVar("DefinitionT", ContentType, Component)


def with_private(registry: Registry, names: Collection[str]) -> Registry:
    """Return the registry with the attributes of these names private; `id` is always visible."""
    if not names:
        return registry
    content_types = [_hidden(item, names) for item in registry.content_types.values()]
    return Registry(content_types, [_hidden(item, names) for item in registry.components.values()], registry.remarks)


def _hidden(definition: DefinitionT, names: Collection[str]) -> DefinitionT:
    attributes = {
        name: replace(attribute, private=True) if name in names else attribute
        for name, attribute in definition.attributes.items()
    }
    return replace(definition, attributes=attributes)
