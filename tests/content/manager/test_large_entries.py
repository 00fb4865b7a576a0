"""Entries with forty relations and thirty components, and lists of them: few statements, none of which is too large."""

import json
from pathlib import Path
from typing import Any

import pytest

from octavo.access.authorization.actor import SYSTEM
from octavo.database.connection import Database
from octavo.database.synchronize import synchronize
from tests.api.rest.conftest import OpenClub, club_copy, new_club
from tests.cli.projects import write_type
from tests.models.people import write

__all__ = ["club_copy", "new_club"]
pytestmark = pytest.mark.anyio

UID = "api::large.large"
RELATIONS, COMPONENTS = 40, 30


def large_type() -> dict[str, Any]:
    relation = {"type": "relation", "relation": "manyToMany", "target": UID}
    component = {"type": "component", "repeatable": True, "component": "parts.part"}
    attributes: dict[str, Any] = {"title": {"type": "string"}}
    attributes |= {f"relation{number}": relation for number in range(RELATIONS)}
    attributes |= {f"part{number}": component for number in range(COMPONENTS)}
    return {
        "kind": "collectionType",
        "collectionName": "larges",
        "info": {"singularName": "large", "pluralName": "larges", "displayName": "Large"},
        "attributes": attributes,
    }


def write_components(project: Path) -> None:
    folder = project / "src/components/parts"
    folder.mkdir(parents=True)
    file = {"type": "media", "multiple": True}
    for name, more in (("part", {"inner": {"type": "component", "component": "parts.inner"}}), ("inner", {})):
        reported = {"collectionName": f"components_{name}s", "info": {"displayName": name}}
        reported["attributes"] = {"text": {"type": "string"}, "files": file, **more}
        (folder / f"{name}.json").write_text(json.dumps(reported))


async def test_a_large_entry_takes_one_statement(new_club: OpenClub, tmp_path: Path) -> None:
    write_components(tmp_path)
    write_type(tmp_path, large_type())
    club = await new_club()
    site = club.octavo.site
    await synchronize(club.database, site.registry)
    await write(club.database, "INSERT INTO larges (title) VALUES ({v1})", "One")
    await add_part(club.database)
    entries, content_type = site.services.manage().managed, site.registry.content_types[UID]
    counts = []
    for _ in range(2):
        before = club.database.statements
        entry = json.loads(await entries.one(content_type, 1, SYSTEM))
        page, _, total = await entries.page(content_type, "", dict, SYSTEM)
        counts.append(club.database.statements - before)
    assert counts == [2, 2]
    assert entry["part3"] == [{"id": 1, "text": "here", "files": None, "inner": None}]
    assert all(entry[f"relation{number}"] == {"count": 0} for number in range(RELATIONS))
    assert (total, json.loads(page)[0]["part3"]) == (1, [{"id": 1, "text": "here"}])


async def add_part(database: Database) -> None:
    await write(database, "INSERT INTO components_parts (text) VALUES ({v1})", "here")
    columns = 'entity_id, component_id, component_type, field, "order"'
    await write(database, f"INSERT INTO larges_components ({columns}) VALUES (1, 1, 'parts.part', 'part3', 1)")
