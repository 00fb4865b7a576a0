"""A studio: pieces in several locales that share values of every kind, and a board, on one database and profile."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.api.admin.conftest import Office
from tests.api.http.asgi import Answer
from tests.cli.projects import write_type
from tests.models.club import FULL
from tests.models.people import write

LOCALIZED: Final = {"i18n": {"localized": True}}
SHARED: Final = {"i18n": {"localized": False}}
PIECE, BOARD, TAG = (f"api::{name}.{name}" for name in ("piece", "board", "tag"))
LOCALES: Final = ("en", "fr", "de", "nl")
LINK, QUOTE = "parts.link", "parts.quote"
ATTRIBUTES: Final[Mapping[str, Any]] = {
    "title": {"type": "string", "required": True, "pluginOptions": LOCALIZED},
    "price": {"type": "decimal", "pluginOptions": SHARED},
    "views": {"type": "integer", "default": 3, "pluginOptions": SHARED},
    "note": {"type": "string", "pluginOptions": SHARED},
    "extra": {"type": "json", "pluginOptions": SHARED},
    "seo": {"type": "component", "component": QUOTE, "pluginOptions": SHARED},
    "items": {"type": "component", "component": LINK, "repeatable": True, "pluginOptions": SHARED},
    "zone": {"type": "dynamiczone", "components": [LINK, QUOTE], "pluginOptions": SHARED},
    "cover": {"type": "media", "multiple": False, "pluginOptions": SHARED},
    "gallery": {"type": "media", "multiple": True, "pluginOptions": SHARED},
    "tickets": {"type": "component", "component": "parts.ticket", "repeatable": True, "pluginOptions": SHARED},
    "own": {"type": "component", "component": QUOTE, "pluginOptions": LOCALIZED},
    "tag": {"type": "relation", "relation": "manyToOne", "target": TAG},
    "tags": {"type": "relation", "relation": "manyToMany", "target": TAG},
    "lead": {"type": "relation", "relation": "oneToOne", "target": TAG, "inversedBy": "leads"},
}
_COMPONENTS: Final[Mapping[str, Any]] = {
    "link": {
        "text": {"type": "string", "required": True},
        "tag": {"type": "relation", "relation": "oneToOne", "target": TAG},
        "code": {"type": "string", "unique": True},
    },
    "ticket": {"number": {"type": "string", "required": True, "unique": True}},
    "quote": {
        "text": {"type": "string"},
        "image": {"type": "media", "multiple": False},
        "links": {"type": "component", "component": LINK, "repeatable": True},
    },
}
POPULATE: Final = "&".join(
    (
        "populate[seo][populate][image]=true&populate[seo][populate][links][populate]=tag",
        "populate[items][populate]=tag&populate[zone][populate]=*&populate[tickets]=*",
        "populate[own][populate]=*",
        *(f"populate[{name}][fields][0]=id" for name in ("cover", "gallery", "tag", "tags", "lead")),
        "populate[localizations][fields][0]=locale",
    )
)


def write_studio(folder: Path) -> None:
    """Write the definitions."""
    unique = {"sku": {"type": "string", "unique": True, "pluginOptions": SHARED}}
    for name, kind, more in (("piece", "collectionType", unique), ("board", "singleType", {})):
        attributes = {**ATTRIBUTES, **more}
        if name == "board":
            del attributes["lead"]
        write_type(folder, _type(name, kind, attributes, drafts=True) | {"pluginOptions": LOCALIZED})
    leads = {"type": "relation", "relation": "oneToOne", "target": PIECE, "mappedBy": "lead"}
    write_type(folder, _type("tag", "collectionType", {"name": {"type": "string"}, "leads": leads}))
    for name, attributes in _COMPONENTS.items():
        path = folder / f"src/components/parts/{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        described = {"collectionName": f"c_{name}s", "info": {"displayName": name.title()}, "attributes": attributes}
        path.write_text(json.dumps(described))


def _type(name: str, kind: str, attributes: Mapping[str, Any], *, drafts: bool = False) -> dict[str, Any]:
    info = {"singularName": name, "pluralName": f"{name}s", "displayName": name.title()}
    head = {"kind": kind, "collectionName": f"{name}s", "info": info, "options": {"draftAndPublish": drafts}}
    return {**head, "attributes": dict(attributes)}


@dataclass
class Studio:
    """A studio and its APIs."""

    office: Office
    token: str

    async def fill(self) -> None:
        """Create locales, tags and files."""
        for code in LOCALES[1:]:
            assert (await self.manage("POST", "/i18n/locales", {"code": code, "isDefault": False})).status == 200
        for name in ("a", "b", "c"):
            assert (await self.rest("POST", "/tags", {"data": {"name": name}})).status == 200
        for name in ("one", "two"):
            columns = "name, hash, ext, mime, size, url, provider, folder_path"
            text = (
                f"INSERT INTO files ({columns}) VALUES ({{v1}}, {{v2}}, '.png', 'image/png', 1, {{v3}}, 'local', '/')"
            )
            await write(self.office.club.database, text, name, name, f"/uploads/{name}.png")

    async def rest(self, method: str, path: str, body: Any = None) -> Answer:
        return await self.office.club.ask(method, f"/api{path}", body, FULL)

    async def graphql(self, document: str, **variables: Any) -> Answer:
        return await self.office.club.ask("POST", "/graphql", {"query": document, "variables": variables}, FULL)

    async def manage(self, method: str, path: str, body: Any = None) -> Answer:
        target = path if path.startswith("/") else f"/content-manager/{path}"
        return await self.office.club.ask(method, target, body, self.token)

    async def make(self, **data: Any) -> int:
        """Create an English piece over REST and return its id."""
        answer = await self.rest("POST", "/pieces", {"data": {"title": "one", **data}})
        assert answer.status == 200, answer.body
        return int(answer.json["data"]["id"])

    async def translate(self, entry_id: int, **data: Any) -> int:
        """Create a translation over REST and return its id."""
        answer = await self.rest("POST", f"/pieces/{entry_id}/localizations", {"title": "zwei", "locale": "de", **data})
        assert answer.status == 200, answer.body
        return int(answer.json["id"])

    async def piece(self, entry_id: int) -> dict[str, Any]:
        """Return all values of a piece, without ids of components."""
        answer = await self.rest("GET", f"/pieces/{entry_id}?publicationState=preview&{POPULATE}")
        assert answer.status == 200, answer.body
        return plain(answer.json["data"])

    async def pieces(self) -> dict[int, dict[str, Any]]:
        """Return all pieces by id."""
        query = f"locale=all&publicationState=preview&pagination[pageSize]=100&{POPULATE}"
        answer = await self.rest("GET", f"/pieces?{query}")
        assert answer.status == 200, answer.body
        return {one["id"]: plain(one) for one in answer.json["data"]}


def plain(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry's values, with ids instead of related entries, and components without ids and empty values."""
    return {name: _plain(value) for name, value in entry["attributes"].items() if not name.endswith("At")}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "data" in value:
        found = value["data"]
        return [one["id"] for one in found] if isinstance(found, list) else found and found["id"]
    return {name: found for name, one in value.items() if name != "id" and (found := _plain(one)) not in (None, [])}
