"""Definitions in the format of the content manager's API: v4's `schema` without polymorphic relations, with the
automatic attributes."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from octavo.content.manager.builtin_details import BUILTIN_ATTRIBUTES, BUILTIN_INFO, FIXED
from octavo.schema.attributes import CREATORS, TIMESTAMPS, Relation, Scalar
from octavo.schema.builtin import BUILTIN_TYPES
from octavo.schema.content_types import ADMIN_USER, Component, ContentType, Definition
from octavo.schema.managed import is_managed
from octavo.schema.registry import Registry

Raw = dict[str, Any]

_HIDDEN: Final = {"content-manager": {"visible": False}, "content-type-builder": {"visible": False}}


def serialize_content_types(registry: Registry, kind: str | None = None) -> list[Raw]:
    """Return all content types, or those of one kind."""
    return [serialize_content_type(item) for item in registry.content_types.values() if kind in (None, item.kind)]


def serialize_components(registry: Registry) -> list[Raw]:
    """Return all components."""
    return [serialize_component(item) for item in registry.components_backwards()]


def serialize_content_type(content_type: ContentType) -> Raw:
    """Return a content type in this format."""
    raw = content_type.raw
    names = {"singularName": content_type.singular_name, "pluralName": content_type.plural_name}
    info = {**names, "displayName": content_type.display_name, **(raw.get("info") or {})}
    options, plugin_options = raw.get("options"), dict(content_type.plugin_options)
    if content_type.uid in BUILTIN_TYPES:
        details = BUILTIN_INFO[content_type.uid]
        info |= details.info
        options = details.options if details.options is None else {**details.options, **(options or {})}
        if not is_managed(content_type):
            plugin_options = {**_HIDDEN, **plugin_options}
    said = {"options": options, "pluginOptions": plugin_options or raw.get("pluginOptions")}
    return {
        "uid": content_type.uid,
        "isDisplayed": is_managed(content_type),
        "apiID": content_type.uid.rpartition(".")[2].rpartition("::")[2],
        "kind": content_type.kind,
        "info": info,
        **{name: value for name, value in said.items() if value is not None},
        "attributes": attributes_of(content_type),
    }


def serialize_component(component: Component) -> Raw:
    """Return a component in this format."""
    raw = component.raw
    return {
        "uid": component.uid,
        "isDisplayed": True,
        "apiID": component.uid.partition(".")[2],
        "category": component.category,
        "info": raw.get("info") or {},
        **{name: raw[name] for name in ("options", "pluginOptions") if name in raw},
        "attributes": attributes_of(component),
    }


def attributes_of(definition: Definition) -> Raw:
    """Return the attributes by name, in definition order."""
    written = definition.raw.get("attributes") or {}
    attributes: Raw = {"id": {"type": "integer"}}
    for name, raw in written.items():
        attribute = definition.attributes.get(name)
        if attribute is not None and not (isinstance(attribute, Relation) and attribute.is_morph):
            attributes[name] = _attribute(definition, name, raw)
    if isinstance(definition, ContentType):
        attributes |= _automatic(definition)
    return attributes


def _attribute(definition: Definition, name: str, raw: Mapping[str, Any]) -> Raw:
    schema = dict(raw)
    fixed = BUILTIN_TYPES.get(definition.uid, {}).get("attributes", {})
    if name in fixed:
        if definition.uid in FIXED:
            schema["configurable"] = False
        schema |= BUILTIN_ATTRIBUTES.get((definition.uid, name), {})
    schema = {key: value for key, value in schema.items() if value is not None}
    if raw.get("type") == "customField" and isinstance(stored := definition.attributes[name], Scalar):
        schema["type"] = stored.type  # as in v4 with the plugin installed
    if raw.get("type") == "relation":
        schema |= {"targetModel": raw.get("target"), "relationType": raw.get("relation")}
    return schema


def _automatic(content_type: ContentType) -> Iterator[tuple[str, Raw]]:
    for name in TIMESTAMPS:
        yield name, {"type": "datetime"}
    for name in CREATORS:
        yield (
            name,
            {
                "type": "relation",
                "relation": "oneToOne",
                "target": ADMIN_USER,
                "configurable": False,
                "writable": False,
                "visible": False,
                "useJoinTable": False,
                "private": not content_type.populate_creator_fields,
                "targetModel": ADMIN_USER,
                "relationType": "oneToOne",
            },
        )
