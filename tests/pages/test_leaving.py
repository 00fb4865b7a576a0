"""Leaving a form: changes can be saved on the way out. Forms of deleted entries say so and keep the text."""

from tests.pages.articles import FORM, LIST, leave, make, open_form, stored
from tests.pages.desk import Desk

ROLE = "/admin/settings/roles/3"


def test_changes_are_saved_on_the_way_out(desk: Desk) -> None:
    article = make(desk, "Left in a hurry")
    open_form(desk, article)
    desk.fill("Title", "Left in good order")
    desk.click("Media library")
    desk.see("Leave without saving?")
    assert desk.barriers() == []
    desk.click("Save and leave")
    desk.see("Newest first")
    assert stored(desk, article)["title"] == "Left in good order"


def test_a_new_entry_is_saved_on_the_way_out(desk: Desk) -> None:
    open_form(desk, "create")
    desk.fill("Title", "New and left")
    desk.until("document.getElementById('field.slug').value === 'new-and-left'", "the slug")
    desk.click("Media library")
    desk.click("Save and leave")
    desk.see("Newest first")
    assert desk.ask("GET", f"{LIST}?filters[slug][$eq]=new-and-left")["pagination"]["total"] == 1


def test_changes_that_cannot_be_saved_keep_the_form(desk: Desk) -> None:
    article = make(desk, "Too long to leave")
    open_form(desk, article)
    desk.fill("Title", "x" * 121)
    desk.click("Media library")
    desk.click("Save and leave")
    desk.gone("Leave without saving?")
    desk.until("document.getElementById('field.title').getAttribute('aria-invalid') === 'true'", "the invalid field")
    assert f"/{article}" in desk.do("location.pathname")
    leave(desk)


def test_settings_are_saved_on_the_way_out(desk: Desk) -> None:
    desk.open(ROLE)
    desk.fill("Description", "Write and leave")
    desk.click("Media library")
    desk.click("Save and leave")
    desk.see("Newest first")
    assert desk.ask("GET", "/admin/roles/3")["data"]["description"] == "Write and leave"


def test_an_entry_that_is_not_there_leads_back_to_the_list(desk: Desk) -> None:
    desk.open(f"{FORM}/999999")
    desk.see("Entry not found", "It may have been deleted")
    assert desk.barriers() == []
    desk.click("Back to the list")
    desk.see("in total")


def test_an_entry_that_was_deleted_meanwhile_says_so(desk: Desk) -> None:
    article = make(desk, "Deleted meanwhile")
    open_form(desk, article)
    desk.fill("Title", "Still here to be copied")
    desk.ask("DELETE", f"{LIST}/{article}")
    desk.click("Save")
    desk.see("This entry was deleted", "Copy the text that you need")
    assert desk.value("Title") == "Still here to be copied"
    assert desk.barriers() == []
    leave(desk)


def test_coming_back_to_an_entry_that_was_deleted_says_so(desk: Desk) -> None:
    article = make(desk, "Deleted in another window")
    open_form(desk, article)
    desk.ask("DELETE", f"{LIST}/{article}")
    desk.do("dispatchEvent(new Event('visibilitychange'))")
    desk.see("This entry was deleted", "while you had it open")
    leave(desk)
