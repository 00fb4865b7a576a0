"""Dropping attributes with their data, on both databases: only with a confirmation, and completely or not at all."""

from typing import Any

import pytest

from octavo.database.synchronize import found_tables
from tests.api.admin.api.test_builder import GADGET, NO_HEADINGS, PARTS, TEXT, Builder, builder, gadget, titles
from tests.api.admin.conftest import Office
from tests.models.club import FULL
from tests.models.people import write

__all__ = ["builder"]
pytestmark = pytest.mark.anyio
NOTES = {"type": "relation", "relation": "manyToMany", "target": "api::note.note", "targetAttribute": "gadgets"}
PART = {"category": "gear", "displayName": "Bolt", "attributes": {"size": TEXT, "colour": TEXT}}
RIGHTS = f"SELECT properties FROM admin_permissions WHERE subject = '{GADGET}'"


async def columns(office: Office, table: str) -> set[str]:
    database = office.club.database
    found = (await found_tables(database, database.dialect)).get(table)
    return {column.name for column in found.columns} if found else set()


async def test_columns_links_and_files_are_dropped_with_a_confirmation(builder: Builder, office: Office) -> None:
    club = office.club
    forms = {"title": TEXT, "heading": TEXT, "notes": NOTES, "pictures": {"type": "media", "multiple": True}}
    parts = [{**PART, "tmpUID": "tmp.bolt"}]
    bolt = {"type": "component", "component": "tmp.bolt", "repeatable": False}
    made = await builder.make({**gadget({**forms, "bolt": bolt}), "components": parts})
    assert made.status == 201, made.json
    await club.ask("POST", "/api/gadgets", {"data": {"title": "A", "heading": "B"}}, FULL)
    text = "INSERT INTO files_related_morphs (related_id, related_type, field) VALUES ({v1}, {v2}, {v3})"
    for field in ("pictures", "others"):
        await write(club.database, text, 1, GADGET, field)
    kept = {"title": TEXT, "bolt": {**bolt, "component": "gear.bolt"}}
    assert "heading" in str(await club.database.fetch_all(RIGHTS))

    plain = gadget(kept, drop=["heading", "notes", "pictures"])
    refused = await builder.make(plain, GADGET)
    assert refused.json["error"]["details"]["errors"][0]["path"] == [GADGET, "confirm"]
    form = gadget(kept, drop=["heading", "notes", "pictures"], confirm="gadget")
    assert (await builder.make(form, GADGET)).status == 201
    assert await columns(office, "gadgets") & {"title", "heading"} == {"title"}
    assert await columns(office, "gadgets_notes_links") == set()
    assert [*await club.database.fetch_all("SELECT field FROM files_related_morphs")] == [("others",)]
    assert "gadgets" not in await builder.shown("api::note.note")
    assert "heading" not in str(await club.database.fetch_all(RIGHTS))
    assert await titles(office) == [(1, "A")]

    part = {**PART, "attributes": {"size": TEXT}, "drop": ["colour"], "confirm": "bolt"}
    assert (await builder.ask("PUT", f"{PARTS}/gear.bolt", {"component": part, "components": []})).status == 200
    assert await columns(office, "components_gear_bolts") == {"id", "size"}


REFUSED: list[tuple[dict[str, Any], list[str], str]] = [
    ({"drop": "title"}, ["drop"], "must be a list"),
    ({"drop": ["nope"]}, ["drop", "nope"], "unknown attribute"),
    ({"drop": ["title"]}, ["drop", "title"], "the form contains the attribute"),
    ({"drop": ["code"], "renames": {"code": "mark"}}, ["drop", "code"], "the form contains the attribute"),
    ({"drop": ["bolt"]}, ["drop", "bolt"], "entries of components"),
    ({"drop": ["code"], "confirm": "gadgets"}, ["confirm"], "must be 'gadget'"),
]


async def test_drops_that_are_refused(builder: Builder, office: Office) -> None:
    club = office.club
    await builder.ask("POST", PARTS, {"component": PART, "components": []})
    bolt = {"type": "component", "component": "gear.bolt"}
    assert (await builder.make(gadget({"title": TEXT, "code": TEXT, "bolt": bolt}))).status == 201
    await club.ask("POST", "/api/gadgets", {"data": {"title": "A", "code": "B"}}, FULL)
    before = builder.files()
    for more, place, reason in REFUSED:
        kept = {"title": TEXT, **({"mark": TEXT} if "renames" in more else {})}
        answer = await builder.make(gadget(kept, **{"confirm": "gadget", **more}), GADGET)
        problem = answer.json["error"]["details"]["errors"][0]
        assert (answer.status, problem["path"]) == (400, [GADGET, *place])
        assert reason in problem["message"]
    nested = {"uid": "gear.bolt", **PART, "drop": ["size"]}
    answer = await builder.make({**gadget({"title": TEXT}), "components": [nested]}, GADGET)
    assert "only allowed in the component" in str(answer.json)
    assert builder.files() == before

    (builder.project / "src/index.py").write_text(NO_HEADINGS)
    form = gadget({"title": TEXT, "heading": TEXT}, drop=["code"], confirm="gadget")
    assert (await builder.make(form, GADGET)).status == 400  # a failed change loses no data
    found = await club.ask("GET", "/api/gadgets", None, FULL)
    assert found.json["data"][0]["attributes"]["code"] == "B"
