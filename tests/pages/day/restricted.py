"""The day of an author who can read and write only some fields of their own entries, and cannot publish."""

from typing import Any, Final
from urllib.error import HTTPError

from tests.pages.day.form import ARTICLE, CONTENT, control, entries, holds, link, links, path, write
from tests.pages.day.steps import ARTICLES, LISTS, Day, choose_from_menu, rows, save, told
from tests.pages.desk import Desk, Person

RESTRICTED = Day()
NELL: Final = Person("nell@example.org", "Passw0rd-of-Nell")
SECRETS: Final = ("7f3a", "9c1d", "5e0b", "Oskar Lindqvist", "Passw0rd")
"""Values that Nell cannot read: in a field, in another user's entry, in a component, behind a relation."""
EXPLORER: Final = "plugin::content-manager.explorer"
READ: Final = ["title", "slug", "excerpt", "format", "cover", "tags", "seo.metaTitle"]
UPDATE: Final = ["title", "excerpt", "cover", "tags", "seo.metaTitle"]
OWN: Final = "admin::is-creator"
PATHS: Final = "[...document.querySelectorAll('main [data-path]')].map((one) => one.dataset.path)"
FIELDS: Final = f"[...new Set({PATHS})].sort().join()"


def right(action: str, subject: str | None, fields: list[str] | None = None, *conditions: str) -> dict[str, Any]:
    """Return a permission as roles store it."""
    properties = {} if fields is None else {"fields": fields}
    return {"action": action, "subject": subject, "properties": properties, "conditions": list(conditions)}


RIGHTS: Final = [
    right(f"{EXPLORER}.create", "api::article.article", READ),
    right(f"{EXPLORER}.read", "api::article.article", READ, OWN),
    right(f"{EXPLORER}.update", "api::article.article", UPDATE, OWN),
    right(f"{EXPLORER}.read", "api::tag.tag", ["name"]),
    right("plugin::upload.read", None),
    right("plugin::upload.assets.create", None),
]


def own(desk: Desk) -> dict[str, Any]:
    """Return Nell's article as stored."""
    [found] = entries(desk, "api::article.article", "filters[slug][$eq]=a-walk-along-the-wall")
    return found


def open_own(desk: Desk) -> None:
    desk.open(f"/admin{ARTICLE}/{own(desk)['id']}")
    desk.see("Meta title")


def refusal(desk: Desk, method: str, address: str, body: Any = None) -> tuple[int, str]:
    """Return the service's status and response to a request by Nell."""
    try:
        answer = desk.ask(method, address, body, desk.token(NELL))
    except HTTPError as error:
        return error.code, error.read().decode()
    return 200, str(answer)


def refused(desk: Desk) -> None:
    """Wait for the message on a page without permission."""
    desk.until("document.querySelector('main [role=alert]')?.innerText.includes('permission to do this')", "a refusal")


@RESTRICTED.step("an author gets permissions for some fields")
def _(desk: Desk) -> None:
    role = desk.ask("POST", "/admin/roles", {"name": "Walkers", "description": "Write of walks"})["data"]["id"]
    desk.ask("PUT", f"/admin/roles/{role}/permissions", {"permissions": RIGHTS})
    desk.hire(NELL, role)
    others = {"title": "Of somebody else 9c1d", "slug": "of-somebody-else", "editorsNote": "7f3a"}
    desk.ask("POST", ARTICLE, others)
    desk.page.listen()


@RESTRICTED.step("sign in and see the permitted pages")
def _(desk: Desk) -> None:
    desk.log_in(NELL)
    desk.see("Article", "Tag", "Media library")
    links = "[...document.querySelectorAll('nav a')].map((one) => one.innerText.trim()).join()"
    assert desk.do(links) == "Home,Calendar,Media library,Settings,Article,Tag"


@RESTRICTED.step("the list contains only own entries")
def _(desk: Desk) -> None:
    desk.click("Article", within="nav")
    desk.see("No entries yet")
    desk.gone("Select all")


@RESTRICTED.step("a new entry has the writable fields")
def _(desk: Desk) -> None:
    desk.click("Create entry")
    desk.see("Create entry: Article")
    desk.click("Add SEO")
    desk.until(f"{control('seo.metaTitle')}", "a component")
    assert desk.do(FIELDS) == ",".join(sorted([*READ, "seo"]))


@RESTRICTED.step("write it and save")
def _(desk: Desk) -> None:
    write(desk, "title", "A walk along the wall")
    holds(desk, "slug", "a-walk-along-the-wall")
    write(desk, "excerpt", "Four hours, no shade")
    write(desk, "seo.metaTitle", "The wall")
    save(desk)
    found = own(desk)
    assert (found["excerpt"], found["seo"]["metaTitle"]) == ("Four hours, no shade", "The wall")
    assert found["createdBy"]["firstname"] == "Nell"


@RESTRICTED.step("link readable entries")
def _(desk: Desk) -> None:
    link(desk, "tags", "walking")
    save(desk)
    desk.until(f"{links('tags')}.join() === 'walking'", "the tag")


@RESTRICTED.step("upload an image")
def _(desk: Desk) -> None:
    desk.give(path("cover") + " input[type=file]", "wall.png")
    desk.until(f"document.querySelector({path('cover')!r}).innerText.includes('wall.png')", "the picture")
    save(desk)
    assert own(desk)["cover"]["name"] == "wall.png"


@RESTRICTED.step("others change unreadable fields")
def _(desk: Desk) -> None:
    [oskar] = desk.ask("GET", f"{CONTENT}/api::author.author?_q=Oskar")["results"]
    found = own(desk)
    seo = {"id": found["seo"]["id"], "metaTitle": "The wall", "metaDescription": "5e0b"}
    author = {"connect": [{"id": oskar["id"]}], "disconnect": []}
    desk.ask("PUT", f"{ARTICLE}/{found['id']}", {"editorsNote": "Pay nothing: 7f3a", "seo": seo, "author": author})
    open_own(desk)
    assert desk.do(FIELDS) == ",".join(sorted([*READ, "seo"]))


@RESTRICTED.step("fields without write permission are read-only")
def _(desk: Desk) -> None:
    for field in ("slug", "format"):
        desk.until(f"{control(field)}.disabled || {control(field)}.readOnly", f"{field} to be read only")
        assert "read-only" in desk.do(f"document.querySelector({path(field)!r}).innerText")
    assert not desk.do(f"{control('title')}.disabled || {control('title')}.readOnly")


@RESTRICTED.step("a save keeps unreadable values")
def _(desk: Desk) -> None:
    write(desk, "title", "A walk along the old wall")
    write(desk, "seo.metaTitle", "The old wall")
    save(desk)
    found = own(desk)
    assert (found["title"], found["editorsNote"]) == ("A walk along the old wall", "Pay nothing: 7f3a")
    assert (found["seo"]["metaTitle"], found["seo"]["metaDescription"]) == ("The old wall", "5e0b")


@RESTRICTED.step("only permitted actions are offered")
def _(desk: Desk) -> None:
    for name in ("Publish", "Unpublish", "Schedule"):
        assert not desk.do(f"__look.button({name!r}, true)"), name
    choose_from_menu(desk, "More actions", "Duplicate")
    desk.see("Duplicate: Article")
    desk.click("Article", within="nav")
    rows(desk, 1)
    desk.click_at("tbody input[type=checkbox]")
    assert desk.until("__look.button('Edit', true)", "the selection's actions")
    for name in ("Publish", "Unpublish", "Delete"):
        assert not desk.do(f"__look.button({name!r}, true)"), name
    desk.click_at("tbody input[type=checkbox]")
    desk.click_at("tbody button[aria-haspopup=menu]")
    offered = desk.until("document.querySelector('[role=menu]')?.innerText", "the menu")
    assert "Duplicate" in offered
    assert "Delete" not in offered
    desk.press("Escape")


@RESTRICTED.step("columns, filters and sorts use readable fields")
def _(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?sort=id:ASC")
    rows(desk, 1)
    desk.click("Columns")
    offered = desk.until("document.querySelector('[role=dialog]')?.innerText", "the columns")
    assert "Excerpt" in offered
    assert not [name for name in ("Editors note", "Author", "Body", "Featured") if name in offered]
    desk.press("Escape")
    desk.click("Filter")
    desk.fill("Field", "Editors note")
    desk.see("No results")
    desk.press("Escape")


@RESTRICTED.step("searches do not find unreadable values")
def _(desk: Desk) -> None:
    desk.open(f"{ARTICLES}?_q=Pay+nothing")
    desk.see("No results")


@RESTRICTED.step("a URL that filters by an unreadable field shows a message")
def _(desk: Desk) -> None:
    for field in ("[editorsNote]", "[author][name]", "[tags][slug]"):
        desk.open(f"{ARTICLES}?filters[$and][0]{field}[$containsi]=no+such+words")
        desk.see("ignored, because you don't have permission to read this field")
        rows(desk, 1)


@RESTRICTED.step("another user's entry shows a message")
def _(desk: Desk) -> None:
    [others] = entries(desk, "api::article.article", "filters[slug][$eq]=of-somebody-else")
    desk.open(f"/admin{ARTICLE}/{others['id']}")
    refused(desk)


@RESTRICTED.step("types and settings without permission show a message")
def _(desk: Desk) -> None:
    for address in (f"{LISTS}/api::author.author", f"{LISTS}/api::event.event/1"):
        desk.open(address)
        refused(desk)
    for address in ("settings/users", "settings/roles/1", "settings/audit", "plugins/content-type-builder"):
        desk.open(f"/admin/{address}")
        refused(desk)


@RESTRICTED.step("the service refuses actions that the pages do not offer")
def _(desk: Desk) -> None:
    article = f"{ARTICLE}/{own(desk)['id']}"
    assert refusal(desk, "POST", f"{article}/actions/publish")[0] == 403
    assert refusal(desk, "DELETE", article)[0] == 403
    assert refusal(desk, "GET", "/admin/users")[0] == 403
    _, answer = refusal(desk, "PUT", article, {"editorsNote": "Mine now", "slug": "mine"})
    assert not [secret for secret in SECRETS if secret in answer]
    found = own(desk)
    assert (found["editorsNote"], found["slug"]) == ("Pay nothing: 7f3a", "a-walk-along-the-wall")


@RESTRICTED.step("a revoked permission shows a message and keeps the text")
def _(desk: Desk) -> None:
    open_own(desk)
    [role] = [one["id"] for one in desk.ask("GET", "/admin/roles")["data"] if one["name"] == "Walkers"]
    less = [one for one in RIGHTS if one["action"] != f"{EXPLORER}.update"]
    desk.ask("PUT", f"/admin/roles/{role}/permissions", {"permissions": less})
    write(desk, "excerpt", "Five hours")
    desk.click("Save")
    told(desk, "You don't have permission to do this.")
    holds(desk, "excerpt", "Five hours")
    desk.see("Unsaved changes")


@RESTRICTED.step("no response contained unreadable values")
def _(desk: Desk) -> None:
    heard = desk.page.heard
    assert any("A walk along the old wall" in answer for answer in heard), "responses were recorded"
    assert [answer for answer in heard if any(secret in answer for secret in SECRETS)] == []
