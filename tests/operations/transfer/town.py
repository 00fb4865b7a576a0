"""A town: content of every kind, and a handwritten archive of it in v4's format."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from octavo.operations.transfer.archive.schemas import describe_definitions
from octavo.schema.loader import builtin_registry
from tests.cli.projects import SECRETS, write_type
from tests.operations.transfer.v4_archives import METADATA, Lines, jsonl

HOUSE, STREET = "api::house.house", "api::street.street"
FILE, ROLE, USER, LOCALE = (
    "plugin::upload.file",
    "plugin::users-permissions.role",
    "plugin::users-permissions.user",
    "plugin::i18n.locale",
)


def _content_type(name: str, attributes: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {
        "kind": "collectionType",
        "collectionName": f"{name}s",
        "info": {"singularName": name, "pluralName": f"{name}s", "displayName": name.title()},
        "options": {},
        "attributes": attributes,
        **rest,
    }


TYPES = [
    _content_type(
        "house",
        {
            "name": {"type": "string", "required": True},
            "slug": {"type": "uid"},
            "note": {"type": "richtext"},
            "rooms": {"type": "integer"},
            "value": {"type": "biginteger"},
            "height": {"type": "float"},
            "rent": {"type": "decimal"},
            "isOld": {"type": "boolean"},
            "built": {"type": "date"},
            "opens": {"type": "time"},
            "seenAt": {"type": "datetime"},
            "stamp": {"type": "timestamp"},
            "facts": {"type": "json"},
            "secret": {"type": "password"},
            "street": {"type": "relation", "relation": "manyToOne", "target": STREET, "inversedBy": "houses"},
            "near": {"type": "relation", "relation": "manyToMany", "target": STREET, "inversedBy": "nearby"},
            "twins": {"type": "relation", "relation": "oneToMany", "target": HOUSE},
            "things": {"type": "relation", "relation": "morphToMany"},
            "owner": {"type": "relation", "relation": "morphToOne"},
            "pictures": {"type": "media", "multiple": True},
            "door": {"type": "component", "component": "parts.door", "repeatable": False},
            "windows": {"type": "component", "component": "parts.window", "repeatable": True},
            "yard": {"type": "dynamiczone", "components": ["parts.window", "parts.door"]},
        },
        options={"draftAndPublish": True},
    ),
    _content_type(
        "street",
        {
            "name": {"type": "string", "pluginOptions": {"i18n": {"localized": True}}},
            "houses": {"type": "relation", "relation": "oneToMany", "target": HOUSE, "mappedBy": "street"},
            "nearby": {"type": "relation", "relation": "manyToMany", "target": HOUSE, "mappedBy": "near"},
        },
        pluginOptions={"i18n": {"localized": True}},
    ),
]

COMPONENTS = {
    "door": {
        "color": {"type": "string"},
        "handles": {"type": "component", "component": "parts.window", "repeatable": True},
        "leadsTo": {"type": "relation", "relation": "oneToOne", "target": STREET},
    },
    "window": {"panes": {"type": "integer"}, "picture": {"type": "media", "multiple": False}},
}


def make_town(folder: Path) -> Path:
    """Write the project without content."""
    for definition in TYPES:
        write_type(folder, definition)
    for name, attributes in COMPONENTS.items():
        file = folder / f"src/components/parts/{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        definition = {"collectionName": f"parts_{name}s", "info": {"displayName": name}, "attributes": attributes}
        file.write_text(json.dumps(definition), "utf-8")
    (folder / "public/uploads").mkdir(parents=True)
    (folder / ".env").write_text(SECRETS, "utf-8")
    return folder


STAMPS = {"createdAt": "2023-01-06T11:59:00.037Z", "updatedAt": "2023-01-06T12:59:01.037Z"}


def _window(number: int, panes: int | None) -> dict[str, Any]:
    return {"id": number, "panes": panes}


FIRST_HOUSE: dict[str, Any] = {
    "name": "Häuschen ✓ 'quoted'",
    "slug": "haeuschen",
    "note": "# Title\n\n**bold**",
    "rooms": 5,
    "value": "9007199254740993",
    "height": 2.05,
    "rent": 86.42,
    "isOld": True,
    "built": "1899-12-31",
    "opens": "00:30:00.500",
    "seenAt": "2022-01-01T00:00:00.001Z",
    "stamp": "1577836800000",
    "facts": {"a": [1, "two", None, True]},
    "secret": "$2a$10$Kt3mh7zdV7xGR8DFOlEM.OnSF6Vu2xMa.hrd5OneQxWViusQKIBEK",
    **STAMPS,
    "publishedAt": "2023-01-06T12:59:00.160Z",
    "door": {"id": 4, "color": "red", "handles": [_window(9, 1), _window(2, None)]},
    "windows": [_window(7, 2), _window(3, 4)],
    "yard": [
        {"__component": "parts.door", "id": 8, "color": None, "handles": []},
        {"__component": "parts.window", **_window(5, 6)},
    ],
}
EMPTY_HOUSE: dict[str, Any] = {
    **dict.fromkeys(FIRST_HOUSE),
    "name": "Empty",
    **STAMPS,
    "windows": [],
    "yard": [],
}
PICTURE: dict[str, Any] = {
    "name": "red.png",
    "alternativeText": None,
    "caption": None,
    "width": 4,
    "height": 3,
    "formats": {
        "thumbnail": {
            "hash": "thumbnail_red_1",
            "ext": ".png",
            "mime": "image/png",
            "url": "/uploads/thumbnail_red_1.png",
        }
    },
    "hash": "red_1",
    "ext": ".png",
    "mime": "image/png",
    "size": 1.05,
    "url": "/uploads/red_1.png",
    "previewUrl": None,
    "provider": "local",
    "provider_metadata": None,
    "folderPath": "/",
    **STAMPS,
}

ENTITIES: Sequence[Mapping[str, Any]] = (
    {"type": FILE, "id": 6, "data": PICTURE},
    {"type": ROLE, "id": 3, "data": {"name": "Public", "description": "All", "type": "public", **STAMPS}},
    {"type": LOCALE, "id": 2, "data": {"name": "German", "code": "de", **STAMPS}},
    {"type": HOUSE, "id": 12, "data": FIRST_HOUSE},
    {"type": HOUSE, "id": 40, "data": EMPTY_HOUSE},
    {"type": STREET, "id": 5, "data": {"name": "Allee", **STAMPS, "locale": "de"}},
    {"type": STREET, "id": 11, "data": {"name": "Lane", **STAMPS, "locale": "en"}},
)


def link(relation: str, left: dict[str, Any], right: dict[str, Any], kind: str = "basic") -> dict[str, Any]:
    return {"kind": f"relation.{kind}", "relation": relation, "left": left, "right": right}


def end(uid: str, ref: int, field: str | None = None, pos: float | None = None) -> dict[str, Any]:
    named = {} if field is None else {"field": field}
    return {"type": uid, **named, "ref": ref, **({} if pos is None else {"pos": pos})}


LINKS: Sequence[Mapping[str, Any]] = (
    link("morphToMany", end(FILE, 6, "related"), end(HOUSE, 12, "pictures", 1), "morph"),
    link("morphToMany", end(FILE, 6, "related"), end("parts.window", 9, "picture", 1), "morph"),
    link("manyToOne", end(HOUSE, 12, "street"), end(STREET, 5, "houses", 2)),
    link("manyToMany", end(HOUSE, 12, "near", 1), end(STREET, 11, "nearby", 3)),
    link("manyToMany", end(HOUSE, 12, "near", 2.5), end(STREET, 5, "nearby", 1)),
    link("oneToMany", end(HOUSE, 12, "twins", 1), end(HOUSE, 40), "circular"),
    link("morphToMany", end(HOUSE, 12, "things"), {"ref": 5, "pos": 1, "type": STREET, "field": None}, "morph"),
    link("morphToOne", end(HOUSE, 40, "owner"), end(STREET, 11), "morph"),
    link("oneToMany", end(STREET, 5, "localizations", 1), end(STREET, 11), "circular"),
    link("oneToOne", end("parts.door", 4, "leadsTo"), end(STREET, 5)),
)
CONFIGURATION: Sequence[Mapping[str, Any]] = (
    {
        "type": "core-store",
        "value": {
            "id": 39,
            "key": "plugin_i18n_default_locale",
            "value": "de",
            "type": "string",
            "environment": None,
            "tag": None,
        },
    },
    {
        "type": "core-store",
        "value": {"id": 40, "key": "x", "value": {"a": [1]}, "type": "object", "environment": None, "tag": None},
    },
    {
        "type": "webhook",
        "value": {
            "id": 1,
            "name": "w",
            "url": "http://localhost/x",
            "headers": {"a": "b"},
            "events": ["entry.create"],
            "enabled": True,
        },
    },
)
FILES = {"red_1.png": b"a picture", "thumbnail_red_1.png": b"a small picture"}


PUBLISHED = {"publishedAt": {"type": "datetime"}}
LOCALIZED = {
    "localizations": {"type": "relation", "relation": "oneToMany", "target": STREET},
    "locale": {"type": "string"},
}


def schemas() -> bytes:
    """Return all definitions as lines of `schemas`."""
    house, street = (item["attributes"] for item in TYPES)
    lines = [
        *(line for line in describe_definitions(builtin_registry()) if line["uid"].startswith("plugin::")),
        {"uid": HOUSE, "attributes": {**house, **PUBLISHED}},
        {"uid": STREET, "attributes": {**street, **LOCALIZED}},
        *({"uid": f"parts.{name}", "attributes": item} for name, item in COMPONENTS.items()),
    ]
    return jsonl(lines)


def town_files(**changed: Lines | bytes) -> dict[str, bytes]:
    """Return the files of the archive. `entities=...` and similar arguments replace the lines of a part."""
    parts: dict[str, Lines | bytes] = {"entities": ENTITIES, "links": LINKS, "configuration": CONFIGURATION, **changed}
    files = {"schemas/schemas_00001.jsonl": schemas()}
    for name, lines in parts.items():
        files[f"{name}/{name}_00001.jsonl"] = lines if isinstance(lines, bytes) else jsonl(lines)
    for name, content in FILES.items():
        files[f"assets/uploads/{name}"] = content
        files[f"assets/metadata/{name}.json"] = json.dumps({"mime": "image/png"}).encode()
    return {**files, "metadata.json": METADATA}
