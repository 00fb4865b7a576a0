"""The morning: signing in, and finding content."""

from tests.pages.day.form import ARTICLE
from tests.pages.day.steps import ARTICLES, CATEGORIES, LISTS, Day, rows
from tests.pages.desk import ADA, Desk

FINDING = Day()
FIRST_TITLE = "document.querySelector('tbody th[scope=row]').innerText"


@FINDING.step("a wrong password is refused")
def _(desk: Desk) -> None:
    desk.open("/admin/auth/login")
    desk.fill("Email", ADA.email)
    desk.fill("Password", "Wrong-passw0rd")
    desk.click("Sign in")
    desk.see("Invalid credentials")


@FINDING.step("sign in with the keyboard")
def _(desk: Desk) -> None:
    desk.open("/admin/auth/login")
    desk.fill("Email", ADA.email)
    desk.press("Tab")
    desk.page.send("Input.insertText", text=ADA.password)
    desk.press("Enter")
    desk.see("Next steps")


@FINDING.step("a reload keeps the session")
def _(desk: Desk) -> None:
    desk.do("location.reload()")
    desk.see("Next steps", "Article", "Homepage", "Settings")


@FINDING.step("find a content type by its name")
def _(desk: Desk) -> None:
    desk.press("k", control=True)
    desk.until("document.querySelector('[role=dialog] input') === document.activeElement", "the palette")
    desk.page.send("Input.insertText", text="categ")
    desk.until("__look.all('[role=dialog] [role=option]')[0]?.innerText.includes('Category')", "what is found")
    desk.press("Enter")
    desk.until("location.pathname.endsWith('api::category.category')", "the list of categories")


@FINDING.step("switch the language of a list")
def _(desk: Desk) -> None:
    desk.see("in total", "Night trains")
    desk.pick("Locale", "German (de)")
    desk.see("Nachtzüge")
    desk.until("location.search.includes('de')", "the language in the address")


@FINDING.step("go back with the browser's button")
def _(desk: Desk) -> None:
    desk.page.do("history.back()")
    desk.see("Night trains")


@FINDING.step("open a list")
def _(desk: Desk) -> None:
    desk.click("Article")
    desk.see("24 in total", "Published")
    rows(desk, 10)


@FINDING.step("sort a list")
def _(desk: Desk) -> None:
    for order, sort in (("descending", "title:DESC"), ("ascending", "title:ASC")):
        first = desk.ask("GET", f"{ARTICLE}?sort={sort}")["results"][0]["title"]
        desk.click_at("thead th:nth-child(3) button")
        desk.until(f"document.querySelector('th[aria-sort={order}]')?.innerText.includes('Title')", f"titles, {order}")
        desk.until(f"{FIRST_TITLE} === {first!r}", first)


@FINDING.step("go to the next page")
def _(desk: Desk) -> None:
    before = desk.do(FIRST_TITLE)
    desk.click("Next page")
    desk.see("Page 2 of 3")
    desk.until(f"{FIRST_TITLE} !== {before!r}", "other entries")


@FINDING.step("show more entries on a page")
def _(desk: Desk) -> None:
    desk.pick("Items per page", "50 per page")
    rows(desk, 24)


@FINDING.step("search a list")
def _(desk: Desk) -> None:
    desk.fill("Search in Article", "loaf that")
    desk.see("1 in total", "A loaf that waits")


@FINDING.step("a deep link restores a list")
def _(desk: Desk) -> None:
    desk.do("location.reload()")
    desk.see("1 in total", "A loaf that waits")
    assert desk.value("Search in Article") == "loaf that"


@FINDING.step("filter a list")
def _(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?sort=id:ASC")
    add_filter(desk, "Title", "contains", "river")
    desk.see("How a river changes its mind", 'Title contains "river"')


@FINDING.step("remove a filter")
def _(desk: Desk) -> None:
    desk.click('Remove: Title contains "river"')
    desk.see("24 in total")


@FINDING.step("filter by a relation with a URL of v4")
def _(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?page=1&pageSize=10&sort=id:ASC&filters[$and][0][author][name][$eq]=Oskar Lindqvist")
    desk.see("The last stop before morning", "Oskar Lindqvist")
    desk.gone("A loaf that waits")


@FINDING.step("an empty list suggests what to do")
def _(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?_q=no+such+words")
    desk.see("No results")
    desk.click("Clear search and filters")
    desk.see("24 in total")


@FINDING.step("see counts of relations")
def _(desk: Desk) -> None:
    desk.open(CATEGORIES)
    desk.click("Columns")
    desk.click("Articles", within="[role=dialog]")
    desk.press("Escape")
    desk.until("/\\d entries/.test(document.querySelector('tbody').innerText)", "the number of related entries")


@FINDING.step("an unknown URL shows a message")
def _(desk: Desk) -> None:
    desk.open(f"{LISTS}/api::nothing.nothing")
    desk.see("Content type not found")


@FINDING.step("open an entry from its list")
def _(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?sort=id:ASC")
    desk.click("The last stop before morning")
    desk.until("location.pathname.endsWith('api::article.article/1')", "the address of the entry")
    desk.see("Oskar Lindqvist", "sleeper car", "timetables", "Night trains")
    assert desk.value("Title") == "The last stop before morning"


def add_filter(desk: Desk, field: str, comparison: str, value: str) -> None:
    """Add a filter in the dialog."""
    desk.click("Filter")
    desk.choose("Field", field, typed=field)
    desk.pick("Operator", comparison)
    desk.fill("Value", value)
    desk.click("Apply")
