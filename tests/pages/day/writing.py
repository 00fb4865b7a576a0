"""The day: an article is written, with every kind of field."""

from typing import Any

from tests.pages.articles import KEPT
from tests.pages.day.form import add_part, control, entries, holds, link, links, move, path, write
from tests.pages.day.steps import ARTICLES, Day, choose_from_menu, save, saved, say_yes
from tests.pages.desk import Desk

WRITING = Day()
TITLE = "A day at the desk"


def article(desk: Desk) -> dict[str, Any]:
    """Return the day's article as stored."""
    [found] = entries(desk, "api::article.article", "filters[slug][$eq]=a-day-at-the-desk")
    return found


@WRITING.step("start an entry")
def _(desk: Desk) -> None:
    desk.open(ARTICLES)
    desk.click("Create entry")
    desk.see("Create entry: Article")
    desk.fill("Title", TITLE)


@WRITING.step("a unique slug is generated from the title")
def _(desk: Desk) -> None:
    holds(desk, "slug", "a-day-at-the-desk")
    desk.see("Available")


@WRITING.step("a number out of range is reported at its field")
def _(desk: Desk) -> None:
    write(desk, "readingMinutes", "61")
    desk.see("The maximum is 60")
    write(desk, "readingMinutes", "12")
    desk.gone("The maximum is 60")


@WRITING.step("save a draft")
def _(desk: Desk) -> None:
    save(desk)
    desk.until("/\\d+$/.test(location.pathname)", "the address of the entry")
    desk.see("Draft")
    assert article(desk)["readingMinutes"] == 12


@WRITING.step("change a text and save with the keyboard")
def _(desk: Desk) -> None:
    write(desk, "excerpt", "Written in the morning")
    desk.see("Unsaved changes")
    desk.press("s", control=True)
    saved(desk)
    assert article(desk)["excerpt"] == "Written in the morning"


@WRITING.step("write Markdown and preview it")
def _(desk: Desk) -> None:
    write(desk, "body", "# Morning\n\nThe first *tram*.")
    desk.click("Preview", within=path("body"))
    desk.until("document.querySelector('iframe[sandbox=\"\"]')?.srcdoc.includes('<em>tram</em>')", "the preview")
    save(desk)
    assert article(desk)["body"] == "# Morning\n\nThe first *tram*."


@WRITING.step("choose an enumeration value, a date and a boolean")
def _(desk: Desk) -> None:
    desk.pick("Format", "essay")
    desk.click("Yes")
    desk.do(
        "((one) => { one.value = '2026-05-04'; one.dispatchEvent(new Event('input', {bubbles: true})); "
        f"one.dispatchEvent(new Event('change', {{bubbles: true}})); }})({control('issueDate')})"
    )
    save(desk)
    now = article(desk)
    assert (now["format"], now["featured"], now["issueDate"]) == ("essay", True, "2026-05-04")


@WRITING.step("add a component")
def _(desk: Desk) -> None:
    desk.click("Add SEO")
    write(desk, "seo.metaTitle", "For engines")
    save(desk)


@WRITING.step("add components to a zone")
def _(desk: Desk) -> None:
    add_part(desk, "blocks", "Quote")
    write(desk, "blocks.0.text", "All change")
    add_part(desk, "blocks", "Fact box")
    write(desk, "blocks.1.title", "In numbers")


@WRITING.step("add rows to a repeatable component")
def _(desk: Desk) -> None:
    for row, (label, value) in enumerate((("Stops", "9"), ("Trams", "4"))):
        desk.click("Add Fact")
        write(desk, f"blocks.1.facts.{row}.label", label)
        write(desk, f"blocks.1.facts.{row}.value", value)
    save(desk)


@WRITING.step("sort the rows")
def _(desk: Desk) -> None:
    move(desk, path("blocks.1.facts.1"), "ArrowUp")
    holds(desk, "blocks.1.facts.0.label", "Trams")


@WRITING.step("duplicate a row and remove it")
def _(desk: Desk) -> None:
    count = f"document.querySelectorAll({path('blocks.1.facts')!r} + ' li').length"
    choose_from_menu(desk, "Actions for Stops", "Duplicate")
    holds(desk, "blocks.1.facts.2.label", "Stops")
    assert desk.do(count) == 3
    desk.click_at(f"{path('blocks.1.facts.2')} button[aria-haspopup=menu]")
    desk.click("Remove", within="[role=menu]")
    desk.until(f"{count} === 2", "two rows")


@WRITING.step("collapse and expand a row")
def _(desk: Desk) -> None:
    row = path("blocks.1.facts.0")
    desk.click_at(f"{row} button.fold")
    desk.until(f"!{control('blocks.1.facts.0.label')}", "a folded row")
    assert "Trams" in desk.do(f"document.querySelector({row!r}).innerText")
    desk.click_at(f"{row} button.fold")
    holds(desk, "blocks.1.facts.0.label", "Trams")


@WRITING.step("sort a zone")
def _(desk: Desk) -> None:
    move(desk, path("blocks.1"), "ArrowUp")
    holds(desk, "blocks.0.title", "In numbers")
    save(desk)
    box, quote = article(desk)["blocks"]
    assert [fact["label"] for fact in box["facts"]] == ["Trams", "Stops"]
    assert quote["text"] == "All change"


@WRITING.step("link one entry")
def _(desk: Desk) -> None:
    link(desk, "author", "Oskar Lindqvist")


@WRITING.step("link many entries")
def _(desk: Desk) -> None:
    for tag in ("sleeper car", "timetables", "harbor"):
        link(desk, "tags", tag)
    save(desk)


@WRITING.step("sort the links")
def _(desk: Desk) -> None:
    move(desk, f"{path('tags')} li:nth-child(3)", "ArrowUp")
    desk.until(f"{links('tags')}.join() === 'sleeper car,harbor,timetables'", "another order")


@WRITING.step("remove a link")
def _(desk: Desk) -> None:
    desk.click("Remove sleeper car")
    desk.until(f"{links('tags')}.join() === 'harbor,timetables'", "two links")
    save(desk)
    reported = desk.ask("GET", f"/content-manager/relations/api::article.article/{article(desk)['id']}/tags")["results"]
    assert [tag["name"] for tag in reversed(reported)] == ["harbor", "timetables"]


@WRITING.step("upload an image into a field")
def _(desk: Desk) -> None:
    desk.give(path("cover") + " input[type=file]", "mill.png")
    desk.until(f"document.querySelector({path('cover')!r}).innerText.includes('mill.png')", "the picture")
    save(desk)
    assert article(desk)["cover"]["name"] == "mill.png"


@WRITING.step("choose images from the library")
def _(desk: Desk) -> None:
    desk.click("Choose from library", within=path("gallery"))
    for name in ("ferry.jpg", "canal.jpg"):
        desk.click(f"Select {name}", within="[role=dialog]")
    desk.click_at("[role=dialog] footer button:last-child")
    desk.until(f"document.querySelector({path('gallery')!r}).innerText.includes('canal.jpg')", "the pictures")
    save(desk)
    assert [file["name"] for file in article(desk)["gallery"]] == ["ferry.jpg", "canal.jpg"]


@WRITING.step("a reload shows the saved values")
def _(desk: Desk) -> None:
    desk.do("location.reload()")
    desk.see(TITLE, "Oskar Lindqvist", "harbor", "timetables", "mill.png", "ferry.jpg", "In numbers", "Draft")
    holds(desk, "seo.metaTitle", "For engines")


@WRITING.step("leaving without saving opens a dialog")
def _(desk: Desk) -> None:
    write(desk, "excerpt", "Something else")
    desk.click("Media library")
    desk.see("Leave without saving?")
    desk.click("Cancel")
    desk.gone("Leave without saving?")
    holds(desk, "excerpt", "Something else")


@WRITING.step("changes are discarded")
def _(desk: Desk) -> None:
    choose_from_menu(desk, "More actions", "Discard changes")
    say_yes(desk)
    holds(desk, "excerpt", "Written in the morning")


@WRITING.step("unsaved changes survive a reload")
def _(desk: Desk) -> None:
    write(desk, "excerpt", "Almost lost")
    desk.until(f"{KEPT}.then((all) => all.includes('Almost lost'))", "what the browser keeps")
    desk.do("location.reload()")
    desk.see("You have unsaved changes.")
    desk.click("Restore")
    holds(desk, "excerpt", "Almost lost")
    save(desk)
    assert article(desk)["excerpt"] == "Almost lost"
