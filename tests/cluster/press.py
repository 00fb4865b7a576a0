"""The project of a cluster's nodes. Each has its own copy, as after a deployment."""

import json
from pathlib import Path
from typing import Any

from tests.cli.projects import write_type

ARTICLE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "articles",
    "info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"},
    "options": {"draftAndPublish": True},
    "pluginOptions": {"i18n": {"localized": True}},
    "attributes": {
        "title": {"type": "string", "required": True},
        "key": {"type": "string"},
        "reads": {"type": "integer", "default": 0},
        "note": {"type": "text"},
        "author": {
            "type": "relation",
            "relation": "manyToOne",
            "target": "api::author.author",
            "inversedBy": "articles",
        },
        "tags": {"type": "relation", "relation": "manyToMany", "target": "api::tag.tag", "inversedBy": "articles"},
        "parts": {"type": "component", "repeatable": True, "component": "press.part"},
    },
}
AUTHOR: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "authors",
    "info": {"singularName": "author", "pluralName": "authors", "displayName": "Author"},
    "options": {"draftAndPublish": False},
    "attributes": {
        "name": {"type": "string"},
        "articles": {
            "type": "relation",
            "relation": "oneToMany",
            "target": "api::article.article",
            "mappedBy": "author",
        },
    },
}
TAG: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "tags",
    "info": {"singularName": "tag", "pluralName": "tags", "displayName": "Tag"},
    "options": {"draftAndPublish": False},
    "attributes": {
        "name": {"type": "string"},
        "articles": {
            "type": "relation",
            "relation": "manyToMany",
            "target": "api::article.article",
            "mappedBy": "tags",
        },
    },
}
TICK: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "ticks",
    "info": {"singularName": "tick", "pluralName": "ticks", "displayName": "Tick"},
    "options": {"draftAndPublish": False},
    "attributes": {"occurrence": {"type": "string"}, "what": {"type": "string"}},
}
PART: dict[str, Any] = {
    "collectionName": "components_press_parts",
    "info": {"displayName": "Part"},
    "attributes": {"text": {"type": "string"}},
}

CRON = """
from datetime import datetime, UTC


async def tick(app):
    second = datetime.now(UTC).strftime("%H:%M:%S")
    await app.entries("api::tick.tick").create({"what": "cron", "occurrence": second})


tasks = {"tick": {"task": tick, "options": {"rule": "*/2 * * * * *"}}}
"""

SECRETS = "APP_KEYS=a,b\nAPI_TOKEN_SALT=salt\nADMIN_JWT_SECRET=admin\nJWT_SECRET=jwt\n"


def write_press(folder: Path, article: dict[str, Any] = ARTICLE, *, cron: bool = True) -> Path:
    """Write a complete project to a new folder."""
    for definition in (article, AUTHOR, TAG, TICK):
        write_type(folder, definition)
    part = folder / "src/components/press/part.json"
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(json.dumps(PART))
    if cron:
        (folder / "src/cron.py").write_text(CRON)
    (folder / "public/uploads").mkdir(parents=True, exist_ok=True)
    (folder / ".env").write_text(SECRETS)
    return folder


def article_with(**attributes: Any) -> dict[str, Any]:
    """Return the definition of articles with more attributes, or without those that are None."""
    kept = {**ARTICLE["attributes"], **attributes}
    return {**ARTICLE, "attributes": {name: one for name, one in kept.items() if one is not None}}
