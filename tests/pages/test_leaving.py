"""Leaving a form: changes can be saved before. Forms of deleted entries show a message and keep the text."""

from tests.pages.articles import FORM, LIST, leave, make, open_form, stored
from tests.pages.desk import Desk

ROLE = "/admin/settings/roles/3"


def offered(desk: Desk) -> list[str]:
    """Return the actions of the form."""
    buttons = "document.querySelectorAll('.page > header :is(button, a)')"
    return list(desk.do(f"[...{buttons}].map((one) => one.ariaLabel ?? one.innerText.trim())"))


def test_changes_can_be_saved_when_leaving(desk: Desk) -> None:
    article = make(desk, "Left in a hurry")
    open_form(desk, article)
    desk.fill("Title", "Left in good order")
    desk.click("Media library")
    desk.see("Leave without saving?")
    assert desk.barriers() == []
    desk.click("Save and leave")
    desk.see("Newest first")
    assert stored(desk, article)["title"] == "Left in good order"


def test_a_new_entry_can_be_saved_when_leaving(desk: Desk) -> None:
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


def test_a_merged_save_that_fails_keeps_the_form(desk: Desk) -> None:
    article = make(desk, "Merged and then offline")
    open_form(desk, article)
    desk.fill("Excerpt", "Not stored yet")
    desk.ask("PUT", f"{LIST}/{article}", {"readingMinutes": 7})
    desk.do(
        "(() => { const send = fetch; let saves = 0; window.fetch = (address, options) => options?.method === 'PUT' &&"
        " (saves += 1) > 1 ? Promise.reject(new TypeError('Failed to fetch')) : send(address, options); return 1; })()"
    )
    desk.click("Media library")
    desk.click("Save and leave")
    desk.see("Another user saved this entry", "Unsaved changes")
    assert stored(desk, article)["excerpt"] is None
    assert f"/{article}" in desk.do("location.pathname")
    assert desk.value("Excerpt") == "Not stored yet"
    leave(desk)


def test_text_typed_during_the_last_save_keeps_the_form(desk: Desk) -> None:
    article = make(desk, "Typed on the way out")
    open_form(desk, article)
    desk.fill("Excerpt", "First")
    desk.do(
        "(() => { const send = fetch; window.fetch = async (address, options) => { const answer = await send(address,"
        " options); if (options?.method === 'PUT') await new Promise((go) => (window.release = go)); return answer; };"
        " return 1; })()"
    )
    desk.click("Media library")
    desk.click("Save and leave")
    desk.until("!!window.release", "the response to the save")
    desk.fill("Excerpt", "First and second")
    desk.do("(window.release(), true)")
    desk.see("Saved", "Unsaved changes")
    assert f"/{article}" in desk.do("location.pathname")
    assert desk.value("Excerpt") == "First and second"
    assert stored(desk, article)["excerpt"] == "First"
    leave(desk)


def test_settings_can_be_saved_when_leaving(desk: Desk) -> None:
    desk.open(ROLE)
    desk.fill("Description", "Write and leave")
    desk.click("Media library")
    desk.click("Save and leave")
    desk.see("Newest first")
    assert desk.ask("GET", "/admin/roles/3")["data"]["description"] == "Write and leave"


def test_a_missing_entry_links_to_the_list(desk: Desk) -> None:
    desk.open(f"{FORM}/999999")
    desk.see("Entry not found", "It may have been deleted")
    assert desk.barriers() == []
    desk.click("Back to the list")
    desk.see("in total")


def test_an_entry_deleted_meanwhile_shows_a_message(desk: Desk) -> None:
    article = make(desk, "Deleted meanwhile")
    open_form(desk, article)
    desk.fill("Title", "Still here to be copied")
    desk.ask("DELETE", f"{LIST}/{article}")
    desk.click("Save")
    desk.see("This entry was deleted", "Copy the text that you need")
    assert desk.value("Title") == "Still here to be copied"
    assert offered(desk) == ["More actions"]
    desk.press("s", control=True)
    assert desk.barriers() == []
    desk.size(390)
    desk.settle()
    assert not desk.overflows()
    leave(desk)


def test_deleting_a_deleted_entry_shows_a_message(desk: Desk) -> None:
    article = make(desk, "Deleted twice")
    open_form(desk, article)
    desk.ask("DELETE", f"{LIST}/{article}")
    desk.click("More actions")
    desk.click("Delete", within="[role=menu]")
    desk.click("Delete", within="[role=dialog]")
    desk.see("This entry was deleted", "while you had it open")
    assert offered(desk) == ["More actions"]
    leave(desk)


def test_returning_to_a_deleted_entry_shows_a_message(desk: Desk) -> None:
    article = make(desk, "Deleted in another window")
    open_form(desk, article)
    desk.ask("DELETE", f"{LIST}/{article}")
    desk.do("dispatchEvent(new Event('visibilitychange'))")
    desk.see("This entry was deleted", "while you had it open")
    assert offered(desk) == ["More actions"]
    assert not desk.do("document.body.innerText.includes('Schedule') || document.body.innerText.includes('API URL')")
    leave(desk)
