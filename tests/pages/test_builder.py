"""The content-type builder's pages: a type from its first attribute to its deletion."""

from tests.pages.desk import Desk

BUILDER = "/admin/plugins/content-type-builder"
ARTICLE = f"{BUILDER}/content-types/api::article.article"
GADGET = f"{BUILDER}/content-types/api::gadget.gadget"


def test_a_type_from_its_first_attribute_to_its_deletion(desk: Desk) -> None:
    desk.open(BUILDER)
    desk.see("Collection types", "Article", "Components")
    desk.click("Collection type")
    desk.fill("Display name", "Gadget")
    assert desk.value("API ID (singular)") == "gadget"
    assert desk.value("API ID (plural)") == "gadgets"
    desk.click("Draft & publish", exact=False)
    _add(desk, "Text", "title")
    _add(desk, "Number", "price")
    desk.click("Review changes")
    desk.see("Create table gadgets", "schema.json")
    desk.click("Close")
    desk.click("Save")
    desk.see("Gadget saved", "api::gadget.gadget")

    entries = "/content-manager/collection-types/api::gadget.gadget"
    made = desk.ask("POST", entries, {"title": "Compass", "price": 12})
    desk.click("title")
    desk.fill("Name", "heading")
    desk.see("Renamed from title")
    desk.click("Done")
    desk.see("was title", "1 unsaved change")
    desk.click("Actions for price")
    desk.click("Remove")
    desk.click("Also delete its data", exact=False)
    desk.click("Review changes")
    desk.see("Rename column gadgets.title to heading", "Delete column gadgets.price with all its values")
    desk.click("Close")
    desk.click("Save")
    desk.fill("Type gadget to confirm", "gadget")
    desk.click("Delete and save")
    desk.see("1 attribute")
    desk.gone("unsaved change")
    entry = desk.ask("GET", f"{entries}/{made['id']}")
    assert entry["heading"] == "Compass"
    assert "price" not in entry

    desk.click("Delete")
    desk.fill("Type gadget to confirm", "gadget")
    desk.click_at("[role=dialog] .danger")
    desk.see("Gadget deleted", "Collection types")
    types = desk.ask("GET", "/content-type-builder/content-types")["data"]
    assert "api::gadget.gadget" not in {one["uid"] for one in types}


def _add(desk: Desk, kind: str, name: str) -> None:
    desk.click("Add an attribute")
    desk.see("Select a type")
    desk.click(kind, exact=False)
    desk.fill("Name", name)
    desk.click("Done")
    desk.see(name)


def test_relations_and_components_are_created_in_the_same_dialog(desk: Desk) -> None:
    desk.open(f"{BUILDER}/create/single-type")
    desk.fill("Display name", "Masthead")
    desk.click("Localization", exact=False)
    desk.click("Add an attribute")
    desk.click("Links to entries of a type", exact=False)
    desk.choose("Related type", "Author", "Auth")
    desk.click("One masthead has many authors", exact=False)
    assert desk.value("Name") == "authors"
    desk.click("Add another")
    desk.click("A group of attributes", exact=False)
    desk.fill("Name", "imprint")
    desk.click("Create a component")
    desk.fill("Component name", "Imprint")
    desk.fill("Category", "legal")
    desk.click("Use component")
    desk.click("Done")
    desk.see("One masthead has many authors (one-way)", "Imprint: created with this type")
    desk.click_at("section[aria-label=Imprint] button.plain")
    desk.click("Titles, names", exact=False)
    desk.fill("Name", "publisher")
    desk.click("Done")
    desk.click("Save")
    desk.see("Masthead saved", "Single component: Imprint")
    masthead = desk.ask("GET", "/content-type-builder/content-types/api::masthead.masthead")["data"]["schema"]
    localized = {"i18n": {"localized": True}}
    assert masthead["pluginOptions"] == localized
    assert {name for name, raw in masthead["attributes"].items() if raw.get("pluginOptions") == localized} == {
        "imprint"
    }
    part = desk.ask("GET", "/content-type-builder/components/legal.imprint")["data"]
    assert part["schema"]["attributes"] == {"publisher": {"type": "string"}}


def test_attributes_are_sorted_by_keyboard_and_unknown_ones_stay(desk: Desk) -> None:
    before = desk.ask("GET", "/content-type-builder/content-types/api::event.event")["data"]["schema"]
    desk.open(f"{BUILDER}/content-types/api::event.event")
    first, second, *others = before["attributes"]
    desk.until("document.querySelector('.grip button')", "a handle")
    desk.do("document.querySelector('.grip button').focus()")
    desk.press("ArrowDown")
    desk.see("1 unsaved change")
    desk.click("Save")
    desk.gone("unsaved change")
    after = desk.ask("GET", "/content-type-builder/content-types/api::event.event")["data"]["schema"]
    assert [*after["attributes"]] == [second, first, *others]
    assert after == before


def test_errors_are_shown_at_their_field_and_nothing_is_lost(desk: Desk) -> None:
    desk.open(f"{BUILDER}/create/collection-type")
    desk.fill("Display name", "Article")
    desk.click("Add an attribute")
    desk.click("Titles, names", exact=False)
    desk.fill("Name", "1st")
    desk.click("Done")
    desk.see("Start with a letter")
    desk.fill("Name", "created_at")
    desk.see("created_at is a reserved name")
    desk.fill("Name", "title")
    desk.click("Done")
    desk.click("Save")
    desk.see("Fix 3 errors to save", "Another content type already uses the name")
    desk.click("All types")
    desk.see("Leave without saving?")
    desk.click("Cancel")
    assert desk.value("Display name") == "Article"
    desk.click("Discard")
    desk.click_at("[role=dialog] .danger")
    desk.see("Collection types")


def test_the_icon_of_a_component_is_found_by_search(desk: Desk) -> None:
    desk.open(f"{BUILDER}/component-categories/blocks/blocks.gallery")
    desk.click("Edit", exact=True)
    desk.click_at(".picker button")
    desk.fill("Search icons", "plane")
    desk.until("document.querySelectorAll('.icons label').length === 2", "two icons")
    desk.click_at(".icons label[title=paperPlane]")
    desk.press("ArrowRight")
    desk.until("document.querySelector('.picker .chosen').innerText.includes('plane')", "the next one")
    desk.press("ArrowLeft")
    desk.click("Save")
    desk.see("Gallery saved")
    assert desk.ask("GET", "/content-type-builder/components/blocks.gallery")["data"]["schema"]["icon"] == "paperPlane"
