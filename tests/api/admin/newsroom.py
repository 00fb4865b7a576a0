"""A newsroom: content types for stories, topics, badges, medals and a front page, and its users' permissions."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.api.admin.conftest import Office
from tests.api.http.asgi import Answer
from tests.cli.projects import write_type
from tests.models.people import write

EXPLORER = "plugin::content-manager.explorer"
STORY, TOPIC, BADGE, FRONT = (f"api::{name}.{name}" for name in ("story", "topic", "badge", "front"))
LOCALIZED = {"i18n": {"localized": True}}
SHARED = {"i18n": {"localized": False}}
IS_CREATOR = "admin::is-creator"


def _type(name: str, attributes: dict[str, Any], *, drafts: bool = False, **more: Any) -> dict[str, Any]:
    info = {"singularName": name, "pluralName": f"{name}s", "displayName": name.title()}
    kind = {"kind": "collectionType", "collectionName": f"{name}s", "info": info, **more}
    return {**kind, "options": {"draftAndPublish": drafts}, "attributes": attributes}


def _text(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


TYPES = (
    _type(
        "story",
        {
            "title": _text(required=True, maxLength=20),
            "code": {"type": "uid"},
            "words": {"type": "integer", "default": 7},
            "secret": _text(private=True),
            "pin": {"type": "password"},
            "teaser": {"type": "component", "component": "shared.teaser"},
            "links": {"type": "component", "component": "shared.teaser", "repeatable": True},
            "parts": {"type": "dynamiczone", "components": ["shared.teaser", "shared.note"]},
            "badges": {"type": "relation", "relation": "manyToMany", "target": BADGE, "inversedBy": "stories"},
            "lead": {"type": "relation", "relation": "manyToOne", "target": BADGE},
        },
        drafts=True,
    ),
    _type(
        "badge",
        {
            "label": _text(required=True),
            "stories": {"type": "relation", "relation": "manyToMany", "target": STORY, "mappedBy": "badges"},
        },
    ),
    _type(
        "topic",
        {
            "name": _text(required=True, pluginOptions=LOCALIZED),
            "code": _text(pluginOptions=SHARED),
            "box": {"type": "component", "component": "shared.note", "pluginOptions": SHARED},
            "slug": {"type": "uid", "pluginOptions": SHARED},
        },
        pluginOptions=LOCALIZED,
    ),
    _type("medal", {"label": _text()}),
    _type("front", {"headline": _text(pluginOptions=LOCALIZED)}, drafts=True, pluginOptions=LOCALIZED)
    | {"kind": "singleType"},
)
COMPONENTS = {
    "teaser": {"text": _text(required=True), "by": {"type": "relation", "relation": "oneToOne", "target": BADGE}},
    "note": {"text": _text(), "unique": _text(unique=True)},
}


def write_newsroom(folder: Path) -> None:
    """Write the definitions into a project folder."""
    for definition in TYPES:
        write_type(folder, definition)
    (folder / "src/api/medal/content-types/medal/lifecycles.py").write_text(MEDAL_HOOKS)
    for name, attributes in COMPONENTS.items():
        path = folder / f"src/components/shared/{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        info = {"displayName": name.title()}
        path.write_text(json.dumps({"collectionName": f"c_{name}s", "info": info, "attributes": attributes}))


MEDAL_HOOKS = """
from octavo import ValidationError

def before_create(event):
    if event.params.data["label"] == "refused":
        raise ValidationError("No such medal")
    event.params.data["label"] = event.params.data["label"].strip()

def after_find_one(event):
    event.result["label"] += "!"

def after_find_many(event):
    for entry in event.result:
        entry["label"] += "?"
"""
"""Hooks around writes and reads of medals."""


@dataclass(frozen=True)
class Newsroom:
    """An office whose administrators edit content."""

    office: Office
    tokens: dict[str, str]

    async def ask(self, method: str, path: str, body: Any = None, by: str = "ada") -> Answer:
        """Send a request as a user. A relative path is one of the content manager's collection types."""
        if by not in self.tokens:
            self.tokens[by] = (await self.office.session(by))[0]
        target = path if path.startswith("/") else f"/content-manager/collection-types/api::{path}"
        return await self.office.club.ask(method, target, body, self.tokens[by])

    async def make(self, path: str, body: Any, by: str = "ada") -> dict[str, Any]:
        """Create an entry and return it."""
        answer = await self.ask("POST", path, body, by)
        assert answer.status == 200, answer.body
        made: dict[str, Any] = answer.json
        return made

    async def allow_nothing(self) -> None:
        """Remove all administrators' permissions."""
        for table in ("admin_permissions_role_links", "admin_permissions"):
            await write(self.office.club.database, f"DELETE FROM {table}")
        self.office.club.octavo.infrastructure.authenticator.administrators.forget()

    async def allow(
        self,
        action: str,
        subject: str | None = None,
        *fields: str,
        locales: Any = None,
        conditions: Any = (),
        role: str = "strapi-editor",
    ) -> None:
        """Grant a permission to editors, or to another role. Without fields it covers all of them. An action that
        contains the name of a plugin is used as it is.
        """
        properties: dict[str, Any] = {"fields": fields} if fields else {}
        if locales is not None:
            properties["locales"] = locales
        text = """INSERT INTO admin_permissions (action, subject, properties, conditions)
            VALUES ({v1}, {v2}, {v3}, {v4})"""
        stored = (json.dumps(properties), json.dumps(list(conditions)))
        database = self.office.club.database
        name = action if "::" in action else f"{EXPLORER}.{action}"
        await write(database, text, name, subject, *stored)
        text = """INSERT INTO admin_permissions_role_links (permission_id, role_id)
            SELECT max(p.id), (SELECT id FROM admin_roles WHERE code = {v1}) FROM admin_permissions p"""
        await write(database, text, role)
        self.office.club.octavo.infrastructure.authenticator.administrators.forget()
