"""Entry forms with simultaneous changes and closed tabs: nothing is lost."""

from collections.abc import Iterator

import pytest

from tests.pages.articles import KEPT, LIST, leave, make, open_form, stored
from tests.pages.desk import AXE, Desk

RELEASE = "((go) => { window.release = null; go(); return true; })(window.release)"
"""Releases the response to a save."""


@pytest.fixture(autouse=True)
def leaves_without_asking(desk: Desk) -> Iterator[None]:
    yield
    leave(desk)


def test_text_typed_during_a_save_stays(desk: Desk) -> None:
    article = make(desk, "Typed meanwhile")
    open_form(desk, article)
    desk.fill("Excerpt", "First")
    desk.do(
        "(() => { const ask = fetch; window.fetch = async (address, options) => { const answer = await ask(address,"
        " options); if (options.method === 'PUT') await new Promise((go) => (window.release = go)); return answer; };"
        " return 1; })()"
    )
    desk.click("Save")
    desk.until("!!window.release", "the answer to the save")
    desk.fill("Excerpt", "First and second")
    desk.fill("Title", "Another title")
    desk.do(RELEASE)
    desk.see("Saved", "Unsaved changes")
    assert (desk.value("Excerpt"), desk.value("Title")) == ("First and second", "Another title")
    assert stored(desk, article)["excerpt"] == "First"
    desk.until("!__look.button('Save', true).disabled", "another save")
    desk.click("Save")
    desk.until("!!window.release", "the answer to another save")
    desk.do(RELEASE)
    desk.gone("Unsaved changes")
    found = stored(desk, article)
    assert (found["excerpt"], found["title"]) == ("First and second", "Another title")


def test_changes_of_other_users_are_merged(desk: Desk) -> None:
    article = make(desk, "Taken over")
    open_form(desk, article)
    desk.fill("Excerpt", "Mine")
    desk.ask("PUT", f"{LIST}/{article}", {"readingMinutes": 7})
    desk.click("Save")
    desk.see("Another user saved this entry")
    desk.gone("Unsaved changes")
    assert desk.value("Reading minutes") == "7"
    found = stored(desk, article)
    assert (found["excerpt"], found["readingMinutes"]) == ("Mine", 7)


def test_conflicting_changes_open_a_dialog(desk: Desk) -> None:
    article = make(desk, "Asked about")
    open_form(desk, article)
    desk.fill("Excerpt", "Mine")
    desk.fill("Reading minutes", "5")
    desk.ask("PUT", f"{LIST}/{article}", {"excerpt": "Theirs", "readingMinutes": 7})
    desk.click("Save")
    desk.see("Another user has saved this entry", "Mine", "Theirs")
    if AXE.is_file():
        assert desk.barriers() == []
    desk.click("Not now")
    assert stored(desk, article)["excerpt"] == "Theirs"
    desk.click("Save")
    desk.see("Another user has saved this entry")
    desk.click_at("[role=dialog] fieldset:first-of-type label:nth-of-type(2)")
    desk.click("Save selected values")
    desk.gone("Another user has saved this entry")
    desk.gone("Unsaved changes")
    found = stored(desk, article)
    assert (found["excerpt"], found["readingMinutes"]) == ("Theirs", 5)


def test_unsaved_changes_are_offered_again(desk: Desk) -> None:
    article = make(desk, "Offered again")
    open_form(desk, article)
    desk.fill("Excerpt", "Lost in a crash")
    desk.until(f"{KEPT}.then((all) => all.includes('Lost in a crash'))", "what the browser keeps")
    desk.page.send("Page.navigate", url="about:blank")
    desk.until("location.href === 'about:blank'", "another page")
    open_form(desk, article)
    desk.see("You have unsaved changes.")
    assert desk.value("Excerpt") == ""
    desk.click("Show differences")
    desk.see("Stored: Lost in a crash")
    desk.click("Restore")
    assert desk.value("Excerpt") == "Lost in a crash"
    desk.click("Save")
    desk.gone("Unsaved changes")
    assert stored(desk, article)["excerpt"] == "Lost in a crash"
    desk.until(f"{KEPT}.then((all) => all === '[]')", "nothing that the browser keeps")


def test_a_save_keeps_the_changes_of_another_tab(desk: Desk) -> None:
    """One tab writes, then the same form in another tab is saved."""
    article = make(desk, "In two tabs")
    open_form(desk, article)
    desk.fill("Excerpt", "Written in the first tab")
    desk.until(f"{KEPT}.then((all) => all.includes('the first tab'))", "what the browser keeps")
    desk.page.send("Page.navigate", url="about:blank")
    desk.until("location.href === 'about:blank'", "another page")
    open_form(desk, article)
    desk.see("You have unsaved changes.")
    desk.fill("Reading minutes", "7")
    desk.until(f"{KEPT}.then((all) => JSON.parse(all).length === 2)", "both")
    desk.click("Save")
    desk.gone("Unsaved changes")
    desk.until(f"{KEPT}.then((all) => JSON.parse(all).length === 1 && all.includes('the first tab'))", "the other one")
    desk.click("Discard")
    desk.until(f"{KEPT}.then((all) => all === '[]')", "nothing that the browser keeps")
