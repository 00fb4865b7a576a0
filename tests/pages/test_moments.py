"""The calendar and the list of times in date fields: with keyboard and pointer, in dialogs, in the language's order."""

from collections.abc import Iterator

import pytest

from tests.pages.articles import leave
from tests.pages.desk import Desk

EVENT = "/content-manager/collection-types/api::event.event"
GRID = "document.querySelector('[role=grid]')"
DAY = "document.activeElement.getAttribute('aria-label')"
STARTS, DOORS = "field.startsAt", "field.doorsOpen"


@pytest.fixture(autouse=True)
def event(desk: Desk) -> Iterator[None]:
    """Open the form of an event, and discard changes afterwards."""
    desk.open(f"/admin{EVENT}/1")
    desk.see("Programme")
    yield
    leave(desk)


def write(desk: Desk, field: str, text: str) -> None:
    desk.do(
        f"((one) => {{ one.value = '{text}'; one.dispatchEvent(new Event('input', {{bubbles: true}})); }})"
        f"(document.getElementById('{field}'))"
    )


def written(desk: Desk, field: str) -> str:
    return str(desk.do(f"document.getElementById('{field}').value"))


def open_picker(desk: Desk, field: str) -> None:
    """Open a field's picker with the keyboard."""
    button = f"document.getElementById('{field}').nextElementSibling"
    desk.do(f"({button}.focus(), 0)")
    desk.press("Enter")
    desk.until(f"{button}.ariaExpanded === 'true' && document.activeElement.closest('[popover]')", "the picker")


def press(desk: Desk, *keys: str) -> None:
    for key in keys:
        desk.press(key)


def test_a_date_and_a_time_are_chosen_with_keys(desk: Desk) -> None:
    write(desk, STARTS, "2028-01-31T10:15")
    open_picker(desk, STARTS)
    desk.until(f"{DAY} === 'Monday, January 31, 2028'", "the chosen day")
    assert desk.barriers() == []
    press(desk, "PageDown")
    desk.until(f"{DAY} === 'Tuesday, February 29, 2028'", "the last day of a shorter month")
    press(desk, "ArrowRight")
    desk.until(f"{DAY} === 'Wednesday, March 1, 2028'", "the next month")
    press(desk, "Home", "ArrowDown")
    desk.until(f"{DAY} === 'Sunday, March 5, 2028'", "the first day of the next week")
    press(desk, "Enter")
    desk.until("document.activeElement.role === 'listbox' || document.activeElement.tagName === 'UL'", "the times")
    assert written(desk, STARTS) == "2028-03-05T10:15"
    press(desk, "ArrowDown", "Enter")
    desk.until(f"!{GRID}", "the form alone")
    assert written(desk, STARTS) == "2028-03-05T10:30"
    assert desk.do("document.activeElement.getAttribute('aria-label')") == "Choose date"
    desk.see("Unsaved changes")


def test_the_calendar_ends_with_the_years_of_four_digits(desk: Desk) -> None:
    write(desk, STARTS, "9999-12-30T10:15")
    open_picker(desk, STARTS)
    desk.until(f"{DAY} === 'Thursday, December 30, 9999'", "the chosen day")
    press(desk, "PageDown", "ArrowRight", "ArrowDown")
    desk.until(f"{DAY} === 'Friday, December 31, 9999'", "the last day")
    assert desk.barriers() == []
    press(desk, "Escape")
    write(desk, STARTS, "0001-01-02T10:15")
    open_picker(desk, STARTS)
    desk.until(f"{DAY} === 'Tuesday, January 2, 1'", "the chosen day")
    press(desk, "PageUp")
    desk.until(f"{DAY} === 'Monday, January 1, 1'", "the first day")
    press(desk, "PageDown", "Enter")
    desk.until(f"document.getElementById('{STARTS}').value === '0001-02-01T10:15'", "another day of that year")
    press(desk, "Escape")


def test_escape_closes_without_a_change(desk: Desk) -> None:
    before = written(desk, STARTS)
    open_picker(desk, STARTS)
    press(desk, "ArrowDown", "Escape")
    desk.until(f"!{GRID}", "the form alone")
    assert written(desk, STARTS) == before
    assert desk.do("document.activeElement.getAttribute('aria-label')") == "Choose date"


def test_time_fields_are_chosen_and_cleared(desk: Desk) -> None:
    write(desk, DOORS, "05:15")
    open_picker(desk, DOORS)
    desk.until("document.activeElement.tagName === 'UL'", "the times")
    press(desk, "ArrowDown", "Enter")
    desk.until(f"document.getElementById('{DOORS}').value === '05:30'", "the chosen time")
    open_picker(desk, DOORS)
    desk.click("Clear")
    desk.until(f"document.getElementById('{DOORS}').value === ''", "no time")


def test_a_click_elsewhere_and_tab_close_the_picker(desk: Desk) -> None:
    open_picker(desk, STARTS)
    desk.click_at("#field\\.title")
    desk.until(f"!{GRID}", "the form alone")
    open_picker(desk, STARTS)
    press(desk, *["Tab"] * 4)
    desk.until(f"!{GRID}", "the form alone")


def test_in_a_dialog_escape_closes_the_calendar_only(desk: Desk) -> None:
    leave(desk)
    desk.open(f"/admin{EVENT}?sort=id:ASC")
    desk.see("in total")
    desk.click("Filter")
    desk.choose("Field", "Starts at", "starts")
    desk.pick("Operator", "is less than")
    desk.until("document.getElementById('filter-value')", "the value")
    open_picker(desk, "filter-value")
    press(desk, "Escape")
    desk.until(f"!{GRID}", "the dialog alone")
    assert desk.do("Boolean(document.getElementById('filter-value'))")


def test_weeks_start_as_in_the_language(desk: Desk) -> None:
    leave(desk)
    desk.speak("de")
    desk.open(f"/admin{EVENT}/1")
    desk.see("Programme")
    open_picker(desk, STARTS)
    assert desk.do(f"{GRID}.querySelector('abbr').title") == "Montag"
    leave(desk)
    desk.speak("en")
