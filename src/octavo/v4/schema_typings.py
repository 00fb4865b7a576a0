"""The declarations of v4's `strapi ts:generate-types`: each definition as a type, for `@strapi/types`.

They describe definitions, so that tools written for `@strapi/types` continue to work. Private attributes are left out.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from octavo.modeling.typings.typescript.front_end import key
from octavo.schema.attributes import (
    UID,
    AnyAttribute,
    ComponentField,
    DynamicZone,
    Enumeration,
    Media,
    Relation,
    Scalar,
)
from octavo.schema.content_types import Component, ContentType, Definition
from octavo.schema.json_values import is_in_responses
from octavo.schema.naming import words
from octavo.schema.registry import Registry

_HEAD: Final = """\
// Made by `octavo types --typescript --strapi`; do not edit.

import type { Attribute, Schema } from "@strapi/types";
"""
_KINDS: Final = {
    "string": "String",
    "text": "Text",
    "richtext": "RichText",
    "blocks": "Blocks",
    "email": "Email",
    "password": "Password",
    "integer": "Integer",
    "biginteger": "BigInteger",
    "float": "Float",
    "decimal": "Decimal",
    "date": "Date",
    "time": "Time",
    "datetime": "DateTime",
    "timestamp": "Timestamp",
    "boolean": "Boolean",
    "json": "JSON",
    "array": "JSON",
}
_PARTS: Final = ("collectionName", "info", "options", "pluginOptions")
_PRIVATE: Final = "privateAttributes"


def render_v4_schemas(registry: Registry) -> str:
    """Return the complete file."""
    types = sorted(registry.content_types.values(), key=lambda item: item.uid)
    components = sorted(registry.components.values(), key=lambda item: item.uid)
    lines = [_HEAD]
    for item in (*types, *components):
        lines += (*_definition(item), "")
    lines += ('declare module "@strapi/types" {', "  export module Shared {")
    lines += (*_listed("ContentTypes", types), *_listed("Components", components), "  }", "}", "")
    return "\n".join(lines)


def _listed(name: str, definitions: Iterable[Definition]) -> Iterator[str]:
    yield f"    export interface {name} {{"
    yield from (f"      {key(item.uid)}: {_name(item)};" for item in definitions)
    yield "    }"


def _name(item: Definition) -> str:
    """Return the name of a type: `ApiArticleArticle`, `PluginUploadFile`, `SharedSeo`."""
    return "".join(word[:1].upper() + word[1:] for word in words(item.uid))


def _definition(item: Definition) -> Iterator[str]:
    base = "Component" if isinstance(item, Component) else "SingleType" if _is_single(item) else "CollectionType"
    yield f"export interface {_name(item)} extends Schema.{base} {{"
    for part in _PARTS:
        if part in item.raw:
            yield f"  {part}: {_literal(_public(item.raw[part]))};"
    yield "  attributes: {"
    for attribute in item.attributes.values():
        if is_in_responses(attribute):
            yield f"    {key(attribute.name)}: {' & '.join(_attribute(attribute, item))};"
    yield "  };"
    yield "}"


def _is_single(item: Definition) -> bool:
    return isinstance(item, ContentType) and item.is_single


def _public(value: Any) -> Any:
    """Return options without the names of private attributes."""
    return {name: item for name, item in value.items() if name != _PRIVATE} if isinstance(value, Mapping) else value


def _attribute(attribute: AnyAttribute, item: Definition) -> Iterator[str]:
    raw = _raw(item, attribute.name)
    yield _custom_field(raw) or f"Attribute.{_kind(attribute, item)}"
    if attribute.required:
        yield "Attribute.Required"
    if isinstance(attribute, Scalar) and attribute.unique:
        yield "Attribute.Unique"
    if isinstance(raw.get("pluginOptions"), Mapping):
        yield f"Attribute.SetPluginOptions<{_literal(raw['pluginOptions'])}>"
    yield from _bounds(attribute)
    if isinstance(attribute, Scalar) and attribute.has_default:
        yield f"Attribute.DefaultTo<{_literal(attribute.default)}>"


def _raw(item: Definition, name: str) -> Mapping[str, Any]:
    attributes = item.raw.get("attributes")
    raw = attributes.get(name) if isinstance(attributes, Mapping) else None
    return raw if isinstance(raw, Mapping) else {}


def _custom_field(raw: Mapping[str, Any]) -> str | None:
    if raw.get("type") != "customField":
        return None
    name, options = raw.get("customField"), raw.get("options")
    suffix = f", {_literal(options)}" if options else ""
    return f"Attribute.CustomField<{json.dumps(name)}{suffix}>"


def _kind(attribute: AnyAttribute, item: Definition) -> str:
    match attribute:
        case Enumeration():
            return f"Enumeration<{_literal(attribute.values)}>"
        case UID():
            target = f", {json.dumps(attribute.target_field)}" if attribute.target_field else ""
            return f"UID<{json.dumps(item.uid)}{target}>"
        case Scalar():
            return _KINDS[attribute.type]
        case Relation():
            target = f", {json.dumps(attribute.target)}" if attribute.target else ""
            return f"Relation<{json.dumps(item.uid)}, {json.dumps(attribute.kind)}{target}>"
        case Media():
            kinds = " | ".join(map(json.dumps, attribute.allowed_types)) or '"images" | "files" | "videos" | "audios"'
            return f"Media<{kinds}{', true' if attribute.multiple else ''}>"
        case ComponentField():
            return f"Component<{json.dumps(attribute.component)}{', true' if attribute.repeatable else ''}>"
        case DynamicZone():
            return f"DynamicZone<{_literal(attribute.components)}>"


def _bounds(attribute: AnyAttribute) -> Iterator[str]:
    if isinstance(attribute, Scalar):
        lengths = _given({"minLength": attribute.min_length, "maxLength": attribute.max_length})
        if lengths:
            yield f"Attribute.SetMinMaxLength<{_literal(lengths)}>"
    if isinstance(attribute, Scalar | ComponentField | DynamicZone):
        bounds = _given({"min": attribute.minimum, "max": attribute.maximum})
        if bounds:
            is_text = isinstance(attribute, Scalar) and attribute.type == "biginteger"
            said = {name: str(value) for name, value in bounds.items()} if is_text else bounds
            yield f"Attribute.SetMinMax<{_literal(said)}, {'string' if is_text else 'number'}>"


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _literal(value: Any) -> str:
    """Return a JSON value as a type."""
    if isinstance(value, Mapping):
        members = " ".join(f"{key(str(name))}: {_literal(item)};" for name, item in value.items())
        return f"{{ {members} }}" if members else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    return json.dumps(value, ensure_ascii=False)
