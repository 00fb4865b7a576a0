"""Sections of forms: tabs by kind and name, and those that an administrator has named."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.processes import Server, serving
from tests.pages.articles import ARTICLE, FORM, leave, make
from tests.pages.desk import Desk
from tests.pages.fields import place
from tests.pages.sample import FIRST
from tests.pages.sections import choose_sections

WIDE = "api::wide.wide"
FIELDS = 300
TABS = "[...document.querySelectorAll('main [role=tab]')].map((one) => one.innerText.replace(/\\s+/g, ' '))"
SHOWN = "document.querySelector('main [role=tab][aria-selected=true]')?.innerText"
MOUNTED = "[...document.querySelectorAll('main [role=tabpanel]')].filter((one) => one.querySelector('.field')).length"


@pytest.fixture(scope="module")
def service(seeded_magazine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the sample project with a content type that has many fields."""
    project = shutil.copytree(seeded_magazine, tmp_path_factory.mktemp("sections") / "magazine")
    attributes: dict[str, Any] = {f"text{number}": {"type": "string"} for number in range(FIELDS // 3)}
    attributes |= {f"is_{number}": {"type": "boolean"} for number in range(FIELDS // 3)}
    attributes |= {f"picture{number}": {"type": "media", "multiple": False} for number in range(FIELDS // 3)}
    folder = project / "src/api/wide/content-types/wide"
    folder.mkdir(parents=True)
    info = {"singularName": "wide", "pluralName": "wides", "displayName": "Wide"}
    schema = {
        "kind": "collectionType",
        "collectionName": "wides",
        "info": info,
        "options": {},
        "attributes": attributes,
    }
    (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    with serving("develop", project, **FIRST) as server:
        yield server


@pytest.fixture(autouse=True)
def by_kind(desk: Desk) -> None:
    choose_sections(desk, ARTICLE, None)


def open_tabs(desk: Desk, article: int, field: str = "") -> None:
    desk.open(f"{FORM}/{article}{field and f'#field.{field}'}")
    desk.until(f"{TABS}.join() === 'Content,Media,Relations,SEO'", "the tabs")


def wrong_in(desk: Desk, tab: str, count: int) -> None:
    desk.until(f"{TABS}.includes('{tab} {count} {count} invalid field{'s' * (count > 1)}')", "the count of the tab")


def test_a_form_with_many_fields_has_tabs_by_kind(desk: Desk) -> None:
    open_tabs(desk, make(desk, "In tabs"))
    assert desk.do(MOUNTED) == 1
    assert desk.do("document.querySelectorAll('[role=tab][tabindex=\"0\"]').length") == 1
    desk.do("document.querySelector('[role=tab]').focus()")
    for key, tab in (("ArrowRight", "Media"), ("End", "SEO"), ("ArrowRight", "Content"), ("ArrowLeft", "SEO")):
        desk.press(key)
        desk.until(f"document.activeElement.innerText === '{tab}' && {SHOWN} === '{tab}'", tab)
    assert desk.do(MOUNTED) == 3, "fields of tabs that were opened stay"
    assert desk.barriers() == []
    desk.open("/admin/content-manager/collection-types/api::event.event/1")
    desk.see("Doors open")
    assert desk.do(f"{TABS}.length") == 0, "nearly all fields of an event are of one kind"


def test_text_in_a_closed_tab_stays(desk: Desk) -> None:
    article = make(desk, "Half a date")
    open_tabs(desk, article)
    desk.do("document.getElementById('field.issueDate').focus()")
    for kind in ("keyDown", "keyUp"):
        desk.page.send("Input.dispatchKeyEvent", type=kind, key="1", text="1", windowsVirtualKeyCode=ord("1"))
    desk.fill("Title", "A date and a half")
    desk.see("Enter a complete date")
    desk.click("Media")
    desk.until(f"{place('cover')}?.checkVisibility({{contentVisibilityAuto: true}})", "another tab")
    wrong_in(desk, "Content", 1)
    desk.click("Save")
    desk.until("document.activeElement.id === 'field.issueDate'", "the place where it is wrong")
    assert desk.value("Title") == "A date and a half"
    leave(desk)


def test_a_refused_value_is_shown_in_its_tab(desk: Desk) -> None:
    open_tabs(desk, make(desk, "Refused"))
    desk.fill("Title", "x" * 121)
    desk.fill("Reading minutes", "99")
    desk.click("Relations")
    desk.click("Save")
    desk.until("document.activeElement.id === 'field.title'", "the first field that is wrong")
    wrong_in(desk, "Content", 2)
    desk.click("Media")
    desk.until(f"{SHOWN} === 'Media'", "another tab")
    assert desk.barriers() == []
    desk.click("Content", exact=False, within="[role=tablist]")
    desk.fill("Title", "Right")
    wrong_in(desk, "Content", 1)
    leave(desk)


def test_urls_the_outline_and_the_browsers_search_open_tabs(desk: Desk) -> None:
    article = make(desk, "Found")
    open_tabs(desk, article, "tags")
    desk.until("document.activeElement.id === 'field.tags'", "the field of the address")
    assert desk.do(SHOWN) == "Relations"
    desk.click("Title", within="main nav")
    desk.until("document.activeElement.id === 'field.title' && location.hash === '#field.title'", "the title")
    desk.fill("Title", "Not saved")
    desk.do("(location.hash = '#field.seo', 1)")
    desk.until(f"{SHOWN} === 'SEO'", "the tab of another address")
    assert "Leave without saving?" not in desk.text()
    assert desk.do(MOUNTED) == 3
    desk.press("f", control=True)
    desk.until(f"{MOUNTED} === 4", "the fields of all tabs, for the browser to search in")
    desk.do("document.querySelector('[role=tabpanel]:has([data-path=cover])').dispatchEvent(new Event('beforematch'))")
    desk.until(f"{SHOWN} === 'Media'", "the tab where the browser found something")
    desk.size(390)
    desk.until("!document.querySelector('main nav')", "no outline beside the form")
    desk.click("On this page")
    desk.click("Reading minutes", within="[role=menu]")
    desk.until("document.activeElement.id === 'field.readingMinutes'", "the field")
    assert not desk.overflows()
    assert desk.barriers() == []
    desk.size(1920)
    desk.until(
        "document.querySelector('main nav')?.getBoundingClientRect().right < "
        "document.querySelector('[role=tabpanel]').getBoundingClientRect().left",
        "the outline before the form",
    )
    leave(desk)


def test_a_new_entry_gets_its_slug_wherever_the_slug_is(desk: Desk) -> None:
    items = [{"label": "Words", "fields": ["title"]}, {"label": "Addresses", "fields": ["slug"]}]
    choose_sections(desk, ARTICLE, {"display": "tabs", "items": items})
    desk.open(f"{FORM}/create")
    desk.fill("Title", "Elsewhere in the form")
    desk.until("document.getElementById('field.slug').value === 'elsewhere-in-the-form'", "the slug in a closed tab")
    assert desk.do(SHOWN) == "Words"
    leave(desk)


def test_an_administrator_names_sections(desk: Desk) -> None:
    desk.open(f"{FORM}/configurations/edit")
    desk.see("Configure the form: Article", "Forms with more than 12 fields show tabs by kind")
    desk.until("document.querySelector('.paper [role=tab]')", "the tabs of the preview")
    desk.settle()
    assert desk.do("[scrollY, getComputedStyle(document.querySelector('.paper .bar')).position]") == [0, "static"]
    desk.pick("Layout", "Sections")
    desk.fill("Name of section 2", "Pictures")
    desk.click("Add section")
    desk.fill("Name of section 5", "Editing")
    desk.click("Move Editing up")
    desk.click_at("[data-field='editorsNote']")
    desk.pick("Section", "Editing")
    desk.click("Done")
    desk.click("Remove SEO; its fields stay in the form")
    assert desk.barriers() == []
    desk.click("Save")
    desk.see("Saved")
    stored = desk.ask("GET", f"/content-manager/content-types/{ARTICLE}/configuration")["data"]["contentType"]
    sections = {one["label"]: one["fields"] for one in stored["sections"]["items"]}
    assert list(sections) == ["Content", "Pictures", "Relations", "Editing"]
    assert sections["Pictures"] == ["cover", "gallery"]
    assert sections["Editing"] == ["editorsNote", "seo"]
    placed = [field["name"] for row in stored["layouts"]["edit"] for field in row]
    assert placed == [name for fields in sections.values() for name in fields], "v4's panel has the same order"
    article = make(desk, "In sections")
    desk.open(f"{FORM}/{article}")
    desk.see("Pictures", "Editing", "Editors note")
    desk.click("Collapse Editing")
    note = "{}?.checkVisibility({{contentVisibilityAuto: true}})".format(place("editorsNote"))
    desk.until(f"!{note}", "the section, folded")
    desk.click("Editors note", within="main nav")
    desk.until(f"{note} && document.activeElement.id === 'field.editorsNote'", "the field, unfolded")
    assert desk.barriers() == []
    desk.open(f"{FORM}/configurations/edit")
    desk.pick("Layout", "Automatic")
    desk.click("Save")
    desk.see("Saved")
    stored = desk.ask("GET", f"/content-manager/content-types/{ARTICLE}/configuration")["data"]["contentType"]
    assert "sections" not in stored


def test_fields_of_closed_tabs_are_hidden(desk: Desk) -> None:
    items = [
        {"label": label, "fields": [f"{name}{number}" for number in range(FIELDS // 3)]}
        for label, name in (("Texts", "text"), ("Switches", "is_"), ("Pictures", "picture"))
    ]
    choose_sections(desk, WIDE, {"display": "tabs", "items": items})
    desk.open("/admin/content-manager/collection-types/api::wide.wide/create")
    desk.see("Text99")
    assert desk.do("document.querySelectorAll('main .field').length") == FIELDS // 3
    desk.fill("Find a field", "picture77")
    desk.click("Picture77", within="main nav")
    desk.until(f"{SHOWN} === 'Pictures' && document.activeElement?.closest('[data-path=picture77]')", "the field")
    assert desk.do("document.querySelectorAll('main .field').length") == FIELDS // 3 * 2
    choose_sections(desk, WIDE, {"display": "sections", "items": items})
    desk.open("/admin/content-manager/collection-types/api::wide.wide/create")
    desk.see("Text99", "Switches")
    assert desk.do("document.querySelectorAll('main .field').length") == FIELDS // 3, (
        "long sections are collapsed at first"
    )
    leave(desk)
