"""The content-type builder's pages: a type from its first attribute to its end."""

import pytest

from tests.pages.desk import AXE, Desk

BUILDER = "/admin/plugins/content-type-builder"
ARTICLE = f"{BUILDER}/content-types/api::article.article"
GADGET = f"{BUILDER}/content-types/api::gadget.gadget"


def test_a_type_from_its_first_attribute_to_its_end(desk: Desk) -> None:
    desk.open(BUILDER)
    desk.see("Collection types", "Article", "Components")
    desk.click("Collection type")
    desk.fill("Display name", "Gadget")
    assert desk.value("API ID (singular)") == "gadget"
    assert desk.value("API ID (plural)") == "gadgets"
    desk.click("Draft and publish", exact=False)
    _add(desk, "Text", "title")
    _add(desk, "Number", "price")
    desk.click("Look at the changes")
    desk.see("Table gadgets is made", "schema.json")
    desk.click("Close")
    desk.click("Save")
    desk.see("Gadget is saved and in force", "api::gadget.gadget")

    entries = "/content-manager/collection-types/api::gadget.gadget"
    made = desk.ask("POST", entries, {"title": "Compass", "price": 12})
    desk.click("title")
    desk.fill("Name", "heading")
    desk.see("Renamed from title")
    desk.click("Done")
    desk.see("was title", "1 change not saved yet")
    desk.click("Actions for price")
    desk.click("Remove")
    desk.click("Delete its data too", exact=False)
    desk.click("Look at the changes")
    desk.see("Column gadgets.title is called heading", "Column gadgets.price goes with all that is in it")
    desk.click("Close")
    desk.click("Save")
    desk.fill("Type gadget to go on", "gadget")
    desk.click("Delete and save")
    desk.see("1 attribute")
    desk.gone("not saved yet")
    entry = desk.ask("GET", f"{entries}/{made['id']}")
    assert entry["heading"] == "Compass"
    assert "price" not in entry

    desk.click("Delete")
    desk.fill("Type gadget to go on", "gadget")
    desk.click_at("[role=dialog] .danger")
    desk.see("Gadget is gone", "Collection types")
    types = desk.ask("GET", "/content-type-builder/content-types")["data"]
    assert "api::gadget.gadget" not in {one["uid"] for one in types}


def _add(desk: Desk, kind: str, name: str) -> None:
    desk.click("Add an attribute")
    desk.see("What is it to hold?")
    desk.click(kind, exact=False)
    desk.fill("Name", name)
    desk.click("Done")
    desk.see(name)


@pytest.mark.skipif(not AXE.is_file(), reason="NO AXE: `make pages` installs it")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "path,seen", [(BUILDER, "Collection types"), (ARTICLE, "editorsNote"), (f"{BUILDER}/diagram", "as a list")]
)
def test_nobody_is_kept_out_of_the_builder(desk: Desk, theme: str, path: str, seen: str) -> None:
    desk.theme(theme)
    desk.open(path)
    desk.see(seen)
    assert desk.barriers() == []
    desk.size(390)
    assert not desk.overflows()
    desk.size(1400)
