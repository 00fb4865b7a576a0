"""Small projects for tests of the command line, each in its own folder."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

SECRETS = "APP_KEYS=a,b\nAPI_TOKEN_SALT=salt\nADMIN_JWT_SECRET=admin\nJWT_SECRET=jwt\n"

STORY: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "stories",
    "info": {"singularName": "story", "pluralName": "stories", "displayName": "Story"},
    "options": {"draftAndPublish": False},
    "attributes": {
        "title": {"type": "string", "required": True},
        "image": {"type": "media", "multiple": False, "allowedTypes": ["images"]},
        "sequel": {"type": "relation", "relation": "oneToOne", "target": "api::story.story"},
    },
}

PLACE: dict[str, Any] = {
    "kind": "collectionType",
    "collectionName": "places",
    "info": {"singularName": "place", "pluralName": "places", "displayName": "Place"},
    "pluginOptions": {"i18n": {"localized": True}},
    "attributes": {"name": {"type": "string", "pluginOptions": {"i18n": {"localized": True}}}},
}


def write_type(project: Path, definition: dict[str, Any] | str) -> Path:
    """Write a definition, or an invalid text, at v4's path."""
    name = "story" if isinstance(definition, str) else definition["info"]["singularName"]
    file = project / f"src/api/{name}/content-types/{name}/schema.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(definition if isinstance(definition, str) else json.dumps(definition), "utf-8")
    return file


def make_project(folder: Path, *, secrets: str = SECRETS) -> Path:
    """Write a v4 project with stories and places, and no settings except `.env`."""
    write_type(folder, STORY)
    write_type(folder, PLACE)
    (folder / "public/uploads").mkdir(parents=True)
    (folder / ".env").write_text(secrets, "utf-8")
    return folder


def database_variables(postgresql_url: str) -> dict[str, str]:
    """Return v4's variables for a server with a Unix socket."""
    parts = urlsplit(postgresql_url)
    return {
        "DATABASE_CLIENT": "postgres",
        "DATABASE_HOST": parse_qs(parts.query)["host"][0],
        "DATABASE_NAME": parts.path.lstrip("/"),
        "DATABASE_USERNAME": parts.username or "",
        "DATABASE_SSL": "disable",
    }
