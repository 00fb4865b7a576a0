"""Configuring forms: by permission, with mouse and keyboard, stored as in v4."""

from typing import Any

from tests.pages.desk import Desk, Person

MANAGER = "/admin/content-manager"
TAG = f"{MANAGER}/collection-types/api::tag.tag"
ARTICLE = f"{MANAGER}/collection-types/api::article.article"
FORM = "configurations/edit"
"""The end of the URL where a form is configured."""


def rows(desk: Desk, uid: str) -> list[list[str]]:
    """Return the field names in a form's rows, as stored."""
    reported = desk.ask("GET", f"/content-manager/content-types/{uid}/configuration")["data"]["contentType"]
    return [[field["name"] for field in row] for row in reported["layouts"]["edit"]]


def look(desk: Desk, uid: str, name: str) -> Any:
    """Return a field's stored configuration."""
    reported = desk.ask("GET", f"/content-manager/content-types/{uid}/configuration")["data"]["contentType"]
    return reported["metadatas"][name]["edit"]


def drawn(desk: Desk) -> list[list[str]]:
    """Return the field names in the rows on the page."""
    script = (
        "[...document.querySelectorAll('.board .row')]"
        ".map((row) => [...row.querySelectorAll('[data-field]')].map((one) => one.dataset.field))"
    )
    return list(desk.do(script))


def take(desk: Desk, name: str, *keys: str, shift: bool = False) -> None:
    """Press keys on a field's handle."""
    desk.do(f"document.querySelector('[data-field=\"{name}\"]').parentElement.querySelector('.grip button').focus()")
    for key in keys:
        desk.press(key, shift=shift)


def test_fields_are_arranged_by_keyboard(desk: Desk) -> None:
    desk.open(f"{TAG}/{FORM}")
    desk.see("Configure the form: Tag", "6 of 12")
    assert drawn(desk) == [["name", "slug"], ["articles"]]
    take(desk, "articles", "ArrowUp")
    assert drawn(desk) == [["articles"], ["name", "slug"]]
    take(desk, "slug", "ArrowLeft")
    assert drawn(desk) == [["articles"], ["slug", "name"]]
    take(desk, "slug", "ArrowRight", shift=True)
    desk.see("Slug is now in row 2, position 1, 8 columns wide")
    assert drawn(desk) == [["articles"], ["slug"], ["name"]]
    take(desk, "name", "ArrowUp", "ArrowUp")
    assert drawn(desk) == [["articles", "name"], ["slug"]]
    desk.press("s", control=True)
    desk.see("Saved")
    assert rows(desk, "api::tag.tag") == [["articles", "name"], ["slug"]]


def test_a_field_is_dragged_into_its_own_row(desk: Desk) -> None:
    desk.open(f"{ARTICLE}/{FORM}")
    desk.see("Configure the form: Article")
    desk.drag("li:has([data-field='slug']) .grip", ".board ul.gap")
    desk.until("document.querySelector('.board .row [data-field]').dataset.field === 'slug'", "slug in front")
    assert drawn(desk)[:3] == [["slug"], ["title"], ["excerpt"]]
    desk.drag("li:has([data-field='title']) .grip", "li:has([data-field='excerpt'])")
    desk.until("!document.querySelector('.dragging')", "the end of dragging")
    assert sorted(drawn(desk)[1]) == ["excerpt", "title"]
    desk.click("Discard")
    assert drawn(desk)[:2] == [["title", "slug"], ["excerpt"]]


def test_changes_of_a_field_are_shown_immediately_and_stored(desk: Desk) -> None:
    desk.open(f"{ARTICLE}/{FORM}")
    desk.click_at("[data-field='author']")
    desk.fill("Label", "Written by")
    desk.fill("Description", "Who is to be named")
    desk.pick("Related entry title", "ID")
    desk.pick("Size", "12 of 12 columns")
    desk.click_at("[role=switch]")
    desk.click("Done")
    desk.until(
        "/Written by[\\s\\S]*Who is to be named/.test(document.querySelector('.paper').innerText)", "the picture"
    )
    desk.click("Remove Excerpt from the form")
    desk.pick("Entry title", "Slug")
    desk.click("Save")
    desk.see("Saved")
    said = look(desk, "api::article.article", "author")
    assert (said["label"], said["description"], said["editable"], said["mainField"]) == (
        *("Written by", "Who is to be named"),
        *(False, "id"),
    )
    desk.click("Configure the list")
    desk.see("Configure the list: Article")
    assert desk.value("Entry title") == "slug"
    desk.click("Configure the form")
    desk.pick("Add field", "Excerpt")
    desk.click("Save")
    desk.see("Saved")
    desk.open(f"{ARTICLE}/1")
    desk.see("Who is to be named")
    desk.click("More actions")
    desk.click("Configure the view")
    desk.see("Configure the form: Article")


def test_a_component_has_the_same_layout_everywhere(desk: Desk) -> None:
    desk.open(f"{ARTICLE}/1")
    desk.click("Configure the view: SEO")
    desk.see("Configure the form: Seo", "Back to the component")
    desk.click_at("[data-field='metaTitle']")
    desk.fill("Label", "Title for search engines")
    desk.click("Done")
    desk.click("Save")
    desk.see("Saved")
    desk.open(f"{ARTICLE}/1")
    desk.see("Title for search engines")
    desk.open("/admin/plugins/content-type-builder/component-categories/shared/shared.seo")
    desk.click("Configure the view")
    desk.see("Configure the form: Seo")
    desk.open(f"{MANAGER}/single-types/api::homepage.homepage/{FORM}")
    desk.see("Configure the form: Homepage", "Back to the form")
    assert desk.barriers() == []


def test_configuring_forms_requires_permission(desk: Desk) -> None:
    author = Person("views@example.org", "Passw0rd-of-Views")
    desk.hire(author, 3)
    desk.log_in(author)
    desk.open(f"{ARTICLE}/{FORM}")
    desk.see("No permission for this page")
    desk.open(f"{ARTICLE}/create")
    desk.see("Create entry: Article")
    assert desk.do("!document.querySelector('[aria-label^=\"Configure the view\"]')")
