"""Generate a TypeScript file for front ends: maps of the content by UID, types derived from them, and a client.

The maps are generated from the definitions; the rest (`client.ts` in this folder) is the same for all projects. Private
attributes are left out. The output does not depend on the order of the definition files.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from octavo.schema.attributes import (
    LOCALE,
    TIMESTAMPS,
    AnyAttribute,
    ComponentField,
    DynamicZone,
    Enumeration,
    Media,
    Relation,
    Scalar,
)
from octavo.schema.content_types import FILE, USER, Component, ContentType, Definition
from octavo.schema.json_values import (
    SCALAR_JSON,
    Json,
    attributes_in_responses,
    populatable_attributes,
    reached,
    written,
)
from octavo.schema.registry import Registry

_HEAD: Final = """\
// Made by `octavo types --typescript`; do not edit. TypeScript 5.0 or later.
/* eslint-disable */
"""
_CLIENT: Final = Path(__file__).with_name("client.ts")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_WORDS: Mapping[Json, str] = {
    Json.TEXT: "string",
    Json.INTEGER: "number",
    Json.NUMBER: "number",
    Json.DIGITS: "Digits",
    Json.BOOLEAN: "boolean",
    Json.DATE: "DateText",
    Json.TIME: "TimeText",
    Json.INSTANT: "Instant",
    Json.BLOCKS: "Blocks",
    Json.ANY: "Json",
}
Members = Iterable[tuple[str, str]]


def render_front_end(registry: Registry) -> str:
    """Return the complete file."""
    types = reached(registry, (*(item.uid for item in registry.api_types()), FILE, USER))
    components = sorted(registry.components.values(), key=lambda item: item.uid)
    lines = (
        *_interface("ContentTypes", types, lambda item: _content_type(item, registry)),
        *_interface("Components", components, lambda item: _component(item, registry)),
        *_paths([item for item in types if item.is_api]),
    )
    return "\n".join((_HEAD, *lines, "", _CLIENT.read_text(encoding="utf-8")))


def _interface(
    name: str, definitions: Iterable[Definition], members: Callable[..., Iterator[tuple[str, Members]]]
) -> Iterator[str]:
    yield f"export interface {name} {{"
    for definition in definitions:
        yield f"  {key(definition.uid)}: {{"
        for title, lines in members(definition):
            yield from _object(title, lines)
        yield "  };"
    yield "}"
    yield ""


def _object(title: str, members: Members) -> Iterator[str]:
    lines = [f"      {name}: {value};" for name, value in members]
    if not lines:
        yield f"    {title}: {{}};"
        return
    yield f"    {title}: {{"
    yield from lines
    yield "    };"


def _content_type(item: ContentType, registry: Registry) -> Iterator[tuple[str, Members]]:
    yield from _definition(item, registry)
    locale = [(f"{LOCALE}?", "string")] if item.localized else []
    yield "input", [*_input(item), *locale]


def _component(item: Component, registry: Registry) -> Iterator[tuple[str, Members]]:
    yield from _definition(item, registry)
    yield "input", _input(item)


def _definition(item: Definition, registry: Registry) -> Iterator[tuple[str, Members]]:
    yield "values", [(key(value.name), _shown(value)) for value in attributes_in_responses(item)]
    yield "populated", [(key(value.name), _target_type(value)) for value in populatable_attributes(item, registry)]


def _input(item: Definition) -> list[tuple[str, str]]:
    return [
        (key(given.attribute.name) + ("" if given.required else "?"), _given(given.attribute, required=given.required))
        for given in written(item, private=False)
    ]


def _shown(scalar: Scalar) -> str:
    is_always_there = scalar.required or scalar.name in TIMESTAMPS
    return _or_null(_scalar(scalar, (SCALAR_JSON[scalar.type].shown,)), is_null=not is_always_there)


def _scalar(scalar: Scalar, kinds: Iterable[Json]) -> str:
    if isinstance(scalar, Enumeration):
        return " | ".join(map(json.dumps, scalar.values)) or "never"
    return " | ".join(dict.fromkeys(_WORDS[kind] for kind in kinds))


def _or_null(text: str, *, is_null: bool) -> str:
    return f"{text} | null" if is_null else text


def _target_type(attribute: AnyAttribute) -> str:
    match attribute:
        case Relation(target=None):
            return "AnyMany" if attribute.to_many else "AnyOne"
        case Relation(target=str() as uid):
            marker = "One" if not attribute.to_many else "Some" if attribute.is_morph else "Many"
            return f"{marker}<{json.dumps(uid)}>"
        case Media():
            return f"{'Some' if attribute.multiple else 'One'}<{json.dumps(FILE)}>"
        case ComponentField():
            return f"{'Parts' if attribute.repeatable else 'Part'}<{json.dumps(attribute.component)}>"
        case DynamicZone():
            return f"Zone<{_union(attribute.components)}>"
        case _:
            raise TypeError(f"{attribute.name} leads nowhere")


def _given(attribute: AnyAttribute, *, required: bool) -> str:
    match attribute:
        case Scalar():
            row = SCALAR_JSON[attribute.type]
            return _or_null(_scalar(attribute, (row.shown, *row.also_taken)), is_null=not required)
        case Relation(target=None):
            return "AnyManyInput" if attribute.to_many else "AnyOneInput"
        case Relation():
            return "ManyInput" if attribute.to_many else "OneInput"
        case Media():
            return "FilesInput" if attribute.multiple else "FileInput"
        case ComponentField():
            part = f"PartInput<{json.dumps(attribute.component)}>"
            return _or_null(f"readonly {part}[]" if attribute.repeatable else part, is_null=not required)
        case DynamicZone():
            return _or_null(f"ZoneInput<{_union(attribute.components)}>", is_null=not required)


def _union(uids: Iterable[str]) -> str:
    return " | ".join(map(json.dumps, sorted(uids))) or "never"


def _paths(types: list[ContentType]) -> Iterator[str]:
    """Yield UIDs with their paths."""
    collections = [item.uid for item in types if not item.is_single]
    singles = [item.uid for item in types if item.is_single]
    yield f"export type CollectionUid = {_union(collections)};"
    yield f"export type SingleUid = {_union(singles)};"
    yield "export const PATHS: Record<CollectionUid | SingleUid, string> = {"
    for item in types:
        yield f"  {key(item.uid)}: {json.dumps(item.singular_name if item.is_single else item.plural_name)},"
    yield "};"


def key(name: str) -> str:
    """Return an object key in TypeScript syntax."""
    return name if _IDENTIFIER.fullmatch(name) else json.dumps(name, ensure_ascii=False)
