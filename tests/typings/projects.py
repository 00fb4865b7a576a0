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
    """The definition files, in a folder."""
    for name, definition in (("talk", TALK), ("speaker", SPEAKER), ("welcome", WELCOME)):
        _write(folder / f"src/api/{name}/content-types/{name}/schema.json", definition)
    _write(folder / "src/components/talk/part.json", PART)
    _write(folder / "src/components/talk/quote.json", QUOTE)
    return folder


def conference(folder: Path) -> Registry:
    """The registry of the small project."""
    return load_registry(write_project(folder))


def _write(path: Path, definition: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(definition))
