"""Previews report what a change of definitions would do, without doing it."""

from typing import Any

import pytest

from tests.api.admin.api.test_builder import GADGET, TEXT, Builder, gadget
from tests.api.admin.conftest import Office

pytestmark = pytest.mark.anyio

STATE = "/octavo/content-type-builder"
PREVIEW = f"{STATE}/preview"


@pytest.fixture
async def builder(office: Office) -> Builder:
    return Builder(office, (await office.session())[0])


async def preview(builder: Builder, change: str, form: Any = None, name: str | None = None) -> Any:
    answer = await builder.ask("POST", PREVIEW, {"change": change, "name": name, "form": form})
    assert answer.status == 200, answer.json
    return answer.json["data"]


def said(changes: list[dict[str, Any]]) -> set[tuple[str, str, str | None]]:
    return {(one["change"], one["table"], one["column"]) for one in changes}


async def test_previews_report_a_change_without_making_it(builder: Builder) -> None:
    before = builder.files()
    reported = await preview(builder, "createContentType", gadget({"title": TEXT, "parts": {"type": "integer"}}))
    assert reported["uid"] == GADGET
    assert ("createTable", "gadgets", None) in said(reported["tables"])
    file = reported["files"][0]
    assert file["path"] == "src/api/gadget/content-types/gadget/schema.json"
    assert file["before"] is None
    assert '"title"' in file["after"]
    assert builder.files() == before
    assert (await builder.ask("GET", f"/content-type-builder/content-types/{GADGET}")).status == 404

    assert (await builder.make(gadget({"title": TEXT, "parts": {"type": "integer"}, "note": TEXT}))).status == 201
    form = gadget({"heading": TEXT, "colour": TEXT}, renames={"title": "heading"}, drop=["note"], confirm="gadget")
    before = builder.files()
    reported = await preview(builder, "updateContentType", form, GADGET)
    assert said(reported["tables"]) == {
        ("renameColumn", "gadgets", "heading"),
        ("addColumn", "gadgets", "colour"),
        ("dropColumn", "gadgets", "note"),
    }
    assert reported["tables"][0]["was"] == "title"
    assert said(reported["kept"]) == {("dropColumn", "gadgets", "parts")}
    paths = [file["path"] for file in reported["files"]]
    assert paths[0] == "src/api/gadget/content-types/gadget/schema.json"
    assert paths[1].startswith("database/migrations/")
    assert builder.files() == before
    assert [*await builder.shown(GADGET)] == ["title", "parts", "note"]
    assert (await builder.make(form, GADGET)).status == 201

    reported = await preview(
        builder, "updateContentType", gadget({"heading": {"type": "integer"}, "colour": TEXT}), GADGET
    )
    converted = [one for one in reported["tables"] if one["change"] == "convertColumn"]
    assert [one["column"] for one in converted] == ["heading"]

    reported = await preview(builder, "deleteContentType", name=GADGET)
    assert ("dropTable", "gadgets", None) in said(reported["kept"])
    assert any(file["path"].endswith("gadget/schema.json") and file["after"] is None for file in reported["files"])
    assert (await builder.ask("GET", f"/content-type-builder/content-types/{GADGET}")).status == 200


async def test_previews_report_the_errors_of_the_change(builder: Builder) -> None:
    answer = await builder.ask("POST", PREVIEW, {"change": "createContentType", "form": gadget({"id": TEXT})})
    assert answer.status == 400
    assert answer.json["error"]["details"]["errors"][0]["path"] == ["contentType", "attributes", "id"]
    answer = await builder.ask("POST", PREVIEW, {"change": "updateComponent", "name": "no.where", "form": {}})
    assert answer.status == 404
    for body, path in (({}, ["change"]), ([], ["change"]), ({"change": "deleteCategory"}, ["name"])):
        answer = await builder.ask("POST", PREVIEW, body)
        assert answer.status == 400
        assert answer.json["error"]["details"]["errors"][0]["path"] == path
    forms: tuple[Any, ...] = (None, [], 3, {}, {"contentType": None}, {"component": []})
    everything = ("createContentType", "updateContentType", "createComponent", "updateComponent", "renameCategory")
    for change in everything:
        for form in forms:
            answer = await builder.ask("POST", PREVIEW, {"change": change, "name": "x", "form": form})
            assert answer.status in (400, 404), (change, form, answer.json)


async def test_callers_who_cannot_change_definitions_get_an_error(builder: Builder, office: Office) -> None:
    assert (await builder.ask("GET", STATE)).json["data"] == {"isChangeable": True, "reason": None}
    assert (await office.club.ask("GET", STATE)).status == 401
    changes = office.club.octavo.infrastructure.definitions
    changes.change = changes.look = None  # as in production
    assert (await builder.ask("GET", STATE)).json["data"] == {"isChangeable": False, "reason": "production"}
    answer = await builder.ask("POST", PREVIEW, {"change": "deleteCategory", "name": "gear"})
    assert answer.status == 403
