"""Definitions in archives, and how they differ from the project's."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any, Final

import orjson

from octavo.operations.transfer.archive.reader import Place
from octavo.operations.transfer.problems import TransferError
from octavo.schema.attributes import (
    CREATORS,
    LOCALE,
    LOCALIZATIONS,
    PUBLISHED_AT,
    TIMESTAMPS,
    AnyAttribute,
    ComponentField,
    DynamicZone,
    Media,
    Relation,
)
from octavo.schema.content_types import ADMIN_USER, CONTENT_RELEASES, ContentType, Definition
from octavo.schema.loader import BUILT_IN
from octavo.schema.naming import singular_of
from octavo.schema.registry import Registry

_EVERYWHERE: Final = frozenset({*TIMESTAMPS, *CREATORS})
_STAYING: Final = ("admin::", f"{CONTENT_RELEASES}.")
_COMPARED: Final = (
    "type",
    "relation",
    "target",
    "inversedBy",
    "mappedBy",
    "morphBy",
    "component",
    "components",
    "repeatable",
    "multiple",
)
_FLAGS: Final = frozenset({"repeatable", "multiple"})


def moves(uid: str) -> bool:
    """Return whether archives include a type's entries. They exclude administrators, their tokens and releases."""
    return not uid.startswith(_STAYING)


def moving_definitions(registry: Registry) -> list[Definition]:
    """Return the content types in archives, then the components."""
    return [*(item for item in registry.content_types.values() if moves(item.uid)), *registry.components.values()]


def describe_definitions(registry: Registry) -> Iterator[dict[str, Any]]:
    """Yield all definitions as lines of `schemas`."""
    builtin = _builtin_schemas()
    for content_type in registry.content_types.values():
        ours, known = _content_type(content_type), builtin.get(content_type.uid)
        if known is None:
            yield ours
        elif content_type.source == BUILT_IN:
            yield known
        else:  # an extension rewrites all attributes
            yield {**known, **{key: ours[key] for key in ("attributes", *content_type.raw) if key in ours}}
    for component in registry.components.values():
        yield _component(component)


def _builtin_schemas() -> dict[str, dict[str, Any]]:
    """Return the built-in types as in v4's archives: v4 compares them key by key before an import."""
    text = files("octavo.operations.transfer.archive").joinpath("builtin_schemas.jsonl").read_bytes()
    return {schema["uid"]: schema for schema in map(orjson.loads, text.splitlines())}


def _content_type(definition: ContentType) -> dict[str, Any]:
    return {
        "collectionName": definition.collection_name,
        "info": definition.raw.get("info", {}),
        "options": dict(definition.options),
        "pluginOptions": dict(definition.plugin_options),
        "attributes": _attributes(definition),
        "kind": definition.kind,
        "modelType": "contentType",
        "modelName": definition.singular_name,
        "uid": definition.uid,
        "globalId": _pascal(definition.singular_name),
    }


def _component(definition: Definition) -> dict[str, Any]:
    return {
        "collectionName": definition.collection_name,
        "info": definition.raw.get("info", {}),
        "options": dict(definition.options),
        "attributes": _attributes(definition),
        "modelType": "component",
        "modelName": singular_of(definition.uid),
        "uid": definition.uid,
        "globalId": f"Component{_pascal(definition.uid)}",
    }


def _attributes(definition: Definition) -> dict[str, Any]:
    written: Mapping[str, Any] = definition.raw.get("attributes") or {}
    automatic = definition if isinstance(definition, ContentType) else None
    return {
        name: written[name] if name in written else _automatic(attribute, automatic)
        for name, attribute in definition.attributes.items()
    }


def _automatic(attribute: AnyAttribute, owner: ContentType | None) -> dict[str, Any]:
    """Describe an automatic attribute as v4 does."""
    hidden = {"configurable": False, "writable": attribute.name == PUBLISHED_AT, "visible": False}
    if attribute.name in TIMESTAMPS:
        return {"type": "datetime"}
    if attribute.name in CREATORS:
        relation = {"type": "relation", "relation": "oneToOne", "target": ADMIN_USER}
        return {**relation, **hidden, "useJoinTable": False, "private": attribute.private}
    if attribute.name == LOCALIZATIONS and owner is not None:
        return {"writable": True, "private": False, "configurable": False, "visible": False} | {
            "type": "relation",
            "relation": "oneToMany",
            "target": owner.uid,
        }
    if attribute.name == LOCALE:
        return {"writable": True, "private": False, "configurable": False, "visible": False, "type": "string"}
    return {"type": "datetime", **hidden}


def _pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.replace(".", "-").split("-"))


def differences(lines: Iterable[tuple[Place, Mapping[str, Any], int]], registry: Registry) -> list[str]:
    """Return how the archive's definitions differ from the project's, for types in archives."""
    by_uid: dict[str, Mapping[str, Any]] = {}
    for place, line, _ in lines:
        uid, attributes = line.get("uid"), line.get("attributes")
        if not isinstance(uid, str) or not isinstance(attributes, dict):
            raise place.refusal("is not a definition with uid and attributes")
        if moves(uid):
            by_uid[uid] = line
    if not by_uid:
        raise TransferError("The archive has no definitions in its folder schemas")
    own = {definition.uid: definition for definition in moving_definitions(registry)}
    return [
        *(f"{uid}: only in the archive" for uid in by_uid if uid not in own),
        *(f"{uid}: only in the project" for uid in own if uid not in by_uid),
        *(text for uid in by_uid if uid in own for text in _compare(uid, by_uid[uid]["attributes"], own[uid])),
    ]


def _compare(uid: str, theirs: Mapping[str, Any], definition: Definition) -> Iterator[str]:
    ours = {name: _described(attribute) for name, attribute in definition.attributes.items() if name not in _EVERYWHERE}
    for name, raw in theirs.items():
        if name in _EVERYWHERE:
            continue
        if name not in ours:
            yield f"{uid}.{name}: only in the archive"
            continue
        described = raw if isinstance(raw, dict) else {}
        for key in _COMPARED:
            here, there = (
                ours[name].get(key),
                described.get(key, False if key in _FLAGS and key in ours[name] else None),
            )
            if here != there:
                yield f"{uid}.{name}: {key} is {_shown(there)} in the archive, {_shown(here)} in the project"
    yield from (f"{uid}.{name}: only in the project" for name in ours if name not in theirs)


def _shown(value: Any) -> str:
    return "missing" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _described(attribute: AnyAttribute) -> dict[str, Any]:
    match attribute:
        case Relation():
            return {
                "type": "relation",
                "relation": attribute.kind,
                "target": attribute.target,
                "inversedBy": attribute.inversed_by,
                "mappedBy": attribute.mapped_by,
                "morphBy": attribute.morph_by,
            }
        case Media():
            return {"type": "media", "multiple": attribute.multiple}
        case ComponentField():
            return {"type": "component", "component": attribute.component, "repeatable": attribute.repeatable}
        case DynamicZone():
            return {"type": "dynamiczone", "components": list(attribute.components)}
        case _:
            return {"type": attribute.type}
