"""Definitions in the response format of v4's builder."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.schema.builtin import BUILTIN_TYPES, UNLISTED
from octavo.schema.content_types import ADMIN_USER, USER, Component, ContentType, Definition

_ADMIN_RELATIONS: Final = ("oneWay", "manyWay")


def show_content_type(content_type: ContentType) -> dict[str, Any]:
    """Return a content type in the format of v4's builder."""
    kind, _, name = content_type.uid.partition("::")
    owner, _, api_id = name.rpartition(".")
    return {
        "uid": content_type.uid,
        **({} if content_type.is_api else {"plugin": owner or kind}),
        "apiID": api_id,
        "schema": {
            **content_type.options,
            "draftAndPublish": content_type.draft_and_publish,
            "displayName": content_type.display_name,
            "singularName": content_type.singular_name,
            "pluralName": content_type.plural_name,
            "description": content_type.description,
            **_plugin_options(content_type),
            "kind": content_type.kind,
            "collectionName": content_type.collection_name,
            "attributes": _show_attributes(content_type),
            "visible": _is_visible(content_type),
            "restrictRelationsTo": _allowed_relations(content_type),
        },
    }


def show_component(component: Component) -> dict[str, Any]:
    """Return a component in the format of v4's builder."""
    info = component.raw.get("info") or {}
    return {
        "uid": component.uid,
        "category": component.category,
        "apiId": component.uid.partition(".")[2],
        "schema": {
            "displayName": component.display_name,
            "description": info.get("description") or "",
            **({"icon": info["icon"]} if "icon" in info else {}),
            "collectionName": component.collection_name,
            **({"pluginOptions": component.plugin_options} if "pluginOptions" in component.raw else {}),
            "attributes": _show_attributes(component),
        },
    }


def _show_attributes(definition: Definition) -> dict[str, Any]:
    """Return the attributes as written, without the automatic ones."""
    written = definition.raw.get("attributes") or {}
    return {name: _show_attribute(raw) for name, raw in written.items() if name in definition.attributes}


def _show_attribute(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    if raw.get("type") == "relation":
        target = raw.get("inversedBy") or raw.get("mappedBy")
        return {**raw, "targetAttribute": target, "private": raw.get("private") is True}
    if raw.get("type") == "media":
        flags = {name: raw.get(name) is True for name in ("multiple", "required", "private")}
        return {**raw, **flags}
    return raw


def _plugin_options(content_type: ContentType) -> dict[str, Any]:
    if _is_visible(content_type):
        return {"pluginOptions": content_type.plugin_options} if "pluginOptions" in content_type.raw else {}
    return {"pluginOptions": {**UNLISTED, **content_type.plugin_options}}


def _is_visible(content_type: ContentType) -> bool:
    """Return whether the builder shows a type: all but hidden and built-in ones. The users' type is shown."""
    builder = content_type.plugin_options.get("content-type-builder")
    if isinstance(builder, Mapping) and "visible" in builder:
        return builder["visible"] is not False
    return content_type.uid == USER or content_type.uid not in BUILTIN_TYPES


def _allowed_relations(content_type: ContentType) -> list[str] | None:
    """Return which relations may have it as target: none, some, or (null) all."""
    if _is_visible(content_type):
        return None
    return list(_ADMIN_RELATIONS) if content_type.uid == ADMIN_USER else []
