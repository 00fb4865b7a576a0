"""A small project for the tests of types: every kind of attribute that makes a difference, few of each."""

import json
from pathlib import Path
from typing import Any

from octavo.schema.loader import load_registry
from octavo.schema.registry import Registry

TALK = {
    "kind": "collectionType",
    "collectionName": "talks",
    "info": {"singularName": "talk", "pluralName": "talks", "displayName": "Talk"},
    "options": {"draftAndPublish": True, "privateAttributes": ["budget"]},
    "pluginOptions": {"i18n": {"localized": True}},
    "attributes": {
        "title": {"type": "string", "required": True, "maxLength": 80},
        "level": {"type": "enumeration", "enum": ["easy", "hard"], "default": "easy", "required": True},
        "views": {"type": "biginteger"},
        "weird-name": {"type": "json"},
        "secret": {"type": "string", "private": True},
        "budget": {"type": "integer"},
        "pin": {"type": "password"},
        "speaker": {
            "type": "relation",
            "relation": "manyToOne",
            "target": "api::speaker.speaker",
            "inversedBy": "talks",
        },
        "slides": {"type": "media", "multiple": True, "allowedTypes": ["files"]},
        "parts": {"type": "component", "repeatable": True, "component": "talk.part"},
        "body": {"type": "dynamiczone", "components": ["talk.part", "talk.quote"]},
    },
}
SPEAKER = {
    "collectionName": "speakers",
    "info": {"singularName": "speaker", "pluralName": "speakers", "displayName": "Speaker"},
    "attributes": {
        "name": {"type": "string", "required": True},
        "talks": {"type": "relation", "relation": "oneToMany", "target": "api::talk.talk", "mappedBy": "speaker"},
    },
}
WELCOME = {
    "kind": "singleType",
    "collectionName": "welcomes",
    "info": {"singularName": "welcome", "pluralName": "welcomes", "displayName": "Welcome"},
    "attributes": {
        "about": {"type": "relation", "relation": "morphToOne"},
        "quote": {"type": "component", "component": "talk.quote", "required": True},
    },
}
PART = {"collectionName": "parts", "info": {"displayName": "Part"}, "attributes": {"minutes": {"type": "float"}}}
QUOTE = {
    "collectionName": "quotes",
    "info": {"displayName": "Quote"},
    "attributes": {
        "text": {"type": "blocks", "required": True},
        "by": {"type": "relation", "relation": "oneToOne", "target": "api::speaker.speaker"},
    },
}


def write_project(folder: Path) -> Path:
    """Write the definition files into a folder."""
    for name, definition in (("talk", TALK), ("speaker", SPEAKER), ("welcome", WELCOME)):
        _write(folder / f"src/api/{name}/content-types/{name}/schema.json", definition)
    _write(folder / "src/components/talk/part.json", PART)
    _write(folder / "src/components/talk/quote.json", QUOTE)
    return folder


def conference(folder: Path) -> Registry:
    """Return the registry of the small project."""
    return load_registry(write_project(folder))


def write_large_project(folder: Path, size: int = 100) -> Path:
    """Write many content types, each with relations to several others, so that relations can be followed endlessly."""
    for number in range(size):
        name = f"type{number}"
        targets = [f"type{(number * step + 7) % size}" for step in range(1, 7)]
        attributes: dict[str, Any] = {f"value{index}": {"type": "string"} for index in range(6)}
        for index, target in enumerate(targets):
            target_uid = f"api::{target}.{target}"
            attributes[f"relation{index}"] = {"type": "relation", "relation": "oneToOne", "target": target_uid}
        attributes["zone"] = {"type": "dynamiczone", "components": ["large.one", "large.two"]}
        info = {"singularName": name, "pluralName": f"{name}s", "displayName": name}
        definition = {"collectionName": f"{name}s", "info": info, "attributes": attributes}
        _write(folder / f"src/api/{name}/content-types/{name}/schema.json", definition)
    for name in ("one", "two"):
        related = {"type": "relation", "relation": "oneToOne", "target": "api::type1.type1"}
        definition = {"collectionName": f"{name}s", "info": {"displayName": name}, "attributes": {"related": related}}
        _write(folder / f"src/components/large/{name}.json", definition)
    return folder


def _write(path: Path, definition: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(definition))
