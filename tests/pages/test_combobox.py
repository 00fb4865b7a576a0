"""Options below a field that keeps the focus: with keyboard and pointer, and during a search."""

import json
from collections.abc import Iterator

import pytest

from tests.pages.articles import FORM, leave
from tests.pages.desk import Desk

TAGS = "/content-manager/collection-types/api::tag.tag"
MARKED = "document.querySelector('[role=option][aria-selected=true]')"
NAMED = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))"


@pytest.fixture(scope="module", autouse=True)
def tags(desk: Desk) -> None:
    for number in range(40):
        desk.ask("POST", TAGS, {"name": f"Choice {number:02}", "slug": f"choice-{number:02}"})


@pytest.fixture(autouse=True)
def leaves_without_asking(desk: Desk) -> Iterator[None]:
    yield
    leave(desk)


def marks(desk: Desk, text: str) -> None:
    """Wait until an option is highlighted and the field refers to it."""
    desk.until(f"{MARKED}?.innerText.includes({json.dumps(text)}) && {NAMED} === {MARKED}", f"{text} marked")


def begin(desk: Desk, field: str, text: str) -> None:
    """Open a field's list of options and search in it."""
    desk.until(
        f"(document.getElementById({json.dumps(field)})?.focus(), document.activeElement.id === '{field}')", field
    )
    desk.press("ArrowDown")
    desk.until("__look.all('[role=option]').length > 9", "a long list")
    desk.page.send("Input.insertText", text=text)


def chosen(desk: Desk) -> list[str]:
    found = "[...document.querySelectorAll('[data-path=\"tags\"] .linked')].map((one) => one.innerText.split('\\n')[0])"
    return list(desk.do(found))


def test_search_results_in_a_long_list_are_chosen_by_keys(desk: Desk) -> None:
    desk.open(f"{FORM}/create")
    begin(desk, "field.tags", "choice 3")
    marks(desk, "Choice 30")
    desk.press("ArrowDown")
    marks(desk, "Choice 31")
    desk.press("Enter")
    desk.until("document.querySelector('[data-path=\"tags\"] .linked')", "the link")
    assert chosen(desk) == ["Choice 31"]
    assert desk.value("field.tags") == ""
    assert not desk.do("__look.all('[role=listbox]').length")


def test_only_results_of_the_current_search_are_chosen(desk: Desk) -> None:
    desk.open(f"{FORM}/create")
    begin(desk, "field.tags", "choice 17")
    desk.press("Enter")
    desk.until(
        "document.querySelector('[data-path=\"tags\"] .linked') || !__look.all('[role=option]').length", "an end"
    )
    desk.press("Enter")
    desk.until("document.querySelector('[data-path=\"tags\"] .linked')", "the link")
    assert chosen(desk) == ["Choice 17"]


def test_keys_move_through_the_list_and_close_it(desk: Desk) -> None:
    desk.open(f"{FORM}/create")
    begin(desk, "field.tags", "choice")
    marks(desk, "Choice 00")
    for key, text in (("ArrowUp", "00"), ("PageDown", "08"), ("ArrowDown", "09"), ("PageUp", "01"), ("Home", "00")):
        desk.press(key)
        marks(desk, f"Choice {text}")
    desk.press("End")
    desk.until(f"__look.all('[role=option]').indexOf({MARKED}) > 18", "the last one marked")
    last = desk.do(f"{MARKED}.innerText")  # the next page may be loaded already, because scrolling requests it too
    desk.until("__look.all('[role=option]').length > 21", "those after")
    marks(desk, last)
    desk.press("Escape")
    assert not desk.do("__look.all('[role=listbox]').length")
    assert desk.do("document.activeElement.getAttribute('aria-expanded')") == "false"
    assert desk.value("field.tags") == "choice"
    desk.page.send("Input.insertText", text=" 2")
    marks(desk, "Choice 20")
    desk.click("Choice 22", exact=False)
    desk.until("document.querySelector('[data-path=\"tags\"] .linked')", "the link")
    assert chosen(desk) == ["Choice 22"]
    assert desk.do("document.activeElement.id") == "field.tags"


def test_a_list_over_a_dialog_closes_before_the_dialog(desk: Desk) -> None:
    desk.open("/admin/settings/internationalization")
    desk.click("Add locale")
    desk.see("Locale")
    begin(desk, "code", "spanish (es)")
    marks(desk, "Spanish (es)")
    assert desk.barriers() == []
    desk.press("Escape")
    desk.until("!__look.all('[role=listbox]').length", "no list")
    desk.see("Add locale")
    assert desk.value("code") == ""
    begin(desk, "code", "spanish (es)")
    marks(desk, "Spanish (es)")
    desk.press("Enter")
    desk.until("document.getElementById('code')?.value === 'Spanish (es)'", "the choice")
    desk.press("ArrowDown")
    marks(desk, "Spanish (es)")
    desk.press("Escape")
    desk.press("Escape")
    desk.until("!document.querySelector('[role=dialog]')", "no dialog")


def test_a_list_is_accessible_and_stays_in_the_window(desk: Desk) -> None:
    desk.size(390, 700)
    desk.open(f"{FORM}/create")
    begin(desk, "field.tags", "choice")
    marks(desk, "Choice 00")
    assert desk.barriers() == []
    box = desk.do("document.querySelector('.popup').getBoundingClientRect().toJSON()")
    assert box["left"] >= 0
    assert box["right"] <= 390
    assert box["bottom"] <= 700
    assert not desk.overflows()
