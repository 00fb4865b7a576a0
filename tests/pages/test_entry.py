"""The form of an entry: the values it sends, and validation."""

from collections.abc import Iterator

import pytest

from tests.pages.articles import FORM, leave, make, open_form, stored
from tests.pages.desk import Desk


@pytest.fixture(autouse=True)
def leaves_without_asking(desk: Desk) -> Iterator[None]:
    yield
    leave(desk)


def bodies(desk: Desk) -> None:
    """Record the bodies that the page sends from now on, in `window.sent`."""
    desk.do(
        "(() => { window.sent = []; const ask = fetch; window.fetch = (address, options) => { if (options?.body)"
        " window.sent.push(JSON.parse(options.body)); return ask(address, options); }; return 1; })()"
    )


def test_only_changed_fields_are_sent(desk: Desk) -> None:
    article = make(desk, "Only what was changed")
    open_form(desk, article)
    bodies(desk)
    desk.fill("Excerpt", "Short.")
    desk.see("Unsaved changes")
    desk.click("Save")
    desk.gone("Unsaved changes")
    assert desk.do("window.sent") == [{"excerpt": "Short."}]
    assert stored(desk, article)["excerpt"] == "Short."


def test_errors_appear_while_typing_and_from_the_service(desk: Desk) -> None:
    article = make(desk, "Rules")
    open_form(desk, article)
    desk.fill("Reading minutes", "99")
    desk.see("The maximum is 60")
    desk.fill("Reading minutes", "9x")
    desk.see("Enter a whole number")
    desk.click("Save")
    desk.see("Fix the invalid values first")
    desk.fill("Reading minutes", "99")
    desk.click("Save")
    desk.see("Reading minutes must be 60 or less.")
    desk.until("document.activeElement.id === 'field.readingMinutes'", "the field that is wrong")
    desk.fill("Reading minutes", "9")
    desk.click("Save")
    desk.gone("Unsaved changes")
    assert stored(desk, article)["readingMinutes"] == 9


def test_a_new_article_from_its_title_to_its_publication(desk: Desk) -> None:
    desk.open(f"{FORM}/create")
    desk.fill("Title", "A Whole New Article")
    desk.until("document.getElementById('field.slug').value === 'a-whole-new-article'", "the slug of the title")
    desk.click("Publish")
    desk.see("Published", "Unpublish")
    desk.until("/article[/][0-9]+$/.test(location.pathname)", "the address of the article")
    article = int(str(desk.do("location.pathname")).rpartition("/")[2])
    found = stored(desk, article)
    assert (found["title"], found["slug"], found["format"]) == ("A Whole New Article", "a-whole-new-article", "feature")
    assert found["publishedAt"] is not None
    desk.click("Unpublish")
    desk.see("Unpublished", "Draft")


def test_an_incomplete_date_is_reported_and_not_saved(desk: Desk) -> None:
    desk.open("/admin/content-manager/collection-types/api::article.article/create")
    desk.fill("Title", "By half")
    desk.until("(__look.labelled('Issue date')?.focus(), document.activeElement.type === 'date')", "the date")
    for kind in ("keyDown", "keyUp"):
        desk.page.send("Input.dispatchKeyEvent", type=kind, key="1", text="1", windowsVirtualKeyCode=ord("1"))
    desk.fill("Title", "By half a date")
    desk.see("Enter a complete date")
    desk.click("Save")
    desk.see("Fix the invalid values first")
    desk.until("document.activeElement.type === 'date'", "the place where it is")


def test_the_outline_links_to_fields_and_marks_errors(desk: Desk) -> None:
    open_form(desk, make(desk, "With an outline"))
    outline = "document.querySelector('main nav')"
    desk.until(outline, "the outline")
    assert desk.do(f"[...{outline}.querySelectorAll('a')].slice(0, 3).map((one) => one.innerText)") == [
        *("Title", "Slug", "Excerpt"),
    ]
    desk.click("Blocks", within="main nav")
    desk.until("document.activeElement?.closest('[data-path=blocks]')", "the focus in the blocks")
    assert desk.do(f"((box) => box.top >= 0 && box.bottom <= innerHeight)({outline}.getBoundingClientRect())")
    desk.fill("Title", "x" * 121)
    desk.click("Save")
    desk.until(f"{outline}.querySelector('.wrong')?.innerText === 'Title'", "the mark")
    assert desk.barriers() == []
    desk.size(1024)
    desk.until(f"!{outline}", "no outline where the form has all the room")
    desk.click("On this page")
    desk.click("Cover", within="[role=menu]")
    desk.until("document.activeElement?.closest('[data-path=cover]')", "the field of the menu")


def test_a_slug_that_is_written_while_one_is_generated_stays(desk: Desk) -> None:
    open_form(desk, "create")
    desk.do(
        "(() => { const ask = fetch; const held = new Promise((free) => { window.free = free; }); "
        "window.fetch = async (address, options) => { const answer = await ask(address, options); "
        "if (String(address).includes('uid/generate')) { window.generated = true; await held; } return answer; }; "
        "return 1; })()"
    )
    desk.fill("Title", "Slow to answer")
    desk.until("window.generated", "the slug that the service generated")
    desk.fill("Slug", "written-by-hand")
    desk.do("(window.free(), 1)")
    desk.until("document.getElementById('field.slug-free').innerText !== ''", "whether the slug is free")
    assert desk.value("Slug") == "written-by-hand"
