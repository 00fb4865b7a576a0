"""The day: customized lists, and bulk actions."""

from tests.pages.day.form import ARTICLE, move
from tests.pages.day.steps import ARTICLES, Day, rows, save, say_yes, told
from tests.pages.desk import Desk

MANY = Day()
HEADS = "[...document.querySelectorAll('thead th')].map((one) => one.innerText.trim()).join()"


@MANY.step("choose columns")
def _(desk: Desk) -> None:
    desk.open(ARTICLES)
    desk.click("Columns")
    for name in ("Slug", "Author"):
        desk.click(name, within="[role=dialog]")
    desk.click_at("[role=dialog] footer button:last-child")
    desk.until(f"!{HEADS}.includes('Author') && {HEADS}.includes('Slug')", "slugs instead of authors")
    desk.see("a-loaf-that-waits")


@MANY.step("a reload keeps the columns")
def _(desk: Desk) -> None:
    desk.do("location.reload()")
    desk.see("a-loaf-that-waits")
    assert "Author" not in desk.do(HEADS)


@MANY.step("save a view and open it again")
def _(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?sort=id:DESC&_q=river")
    desk.see("How a river changes its mind")
    desk.click("Saved views")
    desk.click("Save this view", within="[role=menu]")
    desk.fill("Name", "Rivers")
    desk.click("Save")
    desk.open(ARTICLES)
    rows(desk, 10)
    desk.click("Saved views")
    desk.click("Rivers", within="[role=menu]")
    desk.until("location.search.includes('_q=river')", "the search in the address")
    desk.see("How a river changes its mind")


@MANY.step("configure the list for everybody")
def _(desk: Desk) -> None:
    desk.click("Columns")
    desk.click("Configure the view")
    desk.see("Configure the list: Article")
    desk.fill("Label for title", "Headline")
    move(desk, "main li:has([aria-label^='Move Title'])", "ArrowUp")
    save(desk)
    told_of = desk.ask("GET", "/content-manager/content-types/api::article.article/configuration")["data"]
    assert told_of["contentType"]["layouts"]["list"].index("title") == 0
    desk.click("Back to the list")
    desk.see("Headline")


@MANY.step("unpublish many entries in bulk")
def _(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?sort=id:ASC&pageSize=10")
    rows(desk, 10)
    desk.click("Select all")
    desk.see("10 entries selected")
    desk.click("Unpublish")
    say_yes(desk)
    desk.see("10 entries unpublished")
    desk.until("document.querySelectorAll('tbody .warn').length === 10", "ten drafts")


@MANY.step("undo it")
def _(desk: Desk) -> None:
    desk.click("Undo")
    told(desk, "10 entries published")
    desk.until("document.querySelectorAll('tbody .good').length === 10", "ten published entries")


@MANY.step("publish many entries on several pages")
def _(desk: Desk) -> None:
    for number in (1, 2, 3):
        desk.ask("POST", ARTICLE, {"title": f"Short-lived {number}", "slug": f"short-lived-{number}"})
    desk.open(f"{ARTICLES}?_q=Short-lived&pageSize=2&sort=id:ASC")
    rows(desk, 2)
    desk.click("Select all")
    desk.click("Select all 3")
    desk.see("3 entries selected")
    desk.click("Publish")
    say_yes(desk)
    told(desk, "3 entries published")
    desk.until("document.querySelectorAll('tbody .good').length === 2", "published entries")


@MANY.step("delete many entries")
def _(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?_q=Short-lived")
    rows(desk, 3)
    desk.click("Select all")
    desk.click("Delete", within="[role=region]")
    desk.see("Delete 3 entries?", "This cannot be undone")
    say_yes(desk)
    told(desk, "3 entries deleted")
    desk.see("No results")


@MANY.step("act on one entry from its row")
def _(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?_q=loaf+that")
    rows(desk, 1)
    desk.click("Actions for A loaf that waits")
    desk.click("Unpublish", within="[role=menu]")
    desk.until("document.querySelector('tbody .warn')", "a draft")
    desk.click("Actions for A loaf that waits")
    desk.click("Publish", within="[role=menu]")
    desk.see("1 related entry is a draft")
    say_yes(desk)
    desk.until("document.querySelector('tbody .good')", "a published entry")
