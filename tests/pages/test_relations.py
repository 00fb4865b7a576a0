"""Relations: linked entries are created, opened and changed without leaving the form, if permitted."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.pages.articles import FORM, leave, make, open_form
from tests.pages.desk import Desk, Person

TAGS = "/content-manager/collection-types/api::tag.tag"
MORE = "[...document.querySelectorAll('[data-path=tags] button')].find((it) => it.innerText.startsWith('Show more'))"
PANEL = "document.querySelector('[role=dialog].side')"


@pytest.fixture(autouse=True)
def leaves_without_asking(desk: Desk) -> Iterator[None]:
    yield
    leave(desk)


def new_tag(desk: Desk, name: str) -> int:
    return int(desk.ask("POST", TAGS, {"name": name, "slug": name.lower().replace(" ", "-")})["id"])


def linked(desk: Desk, field: str = "tags") -> list[str]:
    """Return the linked entries as shown in the form."""
    rows = f"document.querySelectorAll('[data-path={json.dumps(field)}] .linked')"
    return list(desk.do(f"[...{rows}].map((one) => one.querySelector('.title').innerText)"))


def links(desk: Desk, article: int) -> list[str]:
    """Return the linked entries as stored."""
    answer = desk.ask("GET", f"/content-manager/relations/api::article.article/{article}/tags?pageSize=100")
    return [row["name"] for row in reversed(answer["results"])]


def focus(desk: Desk, id_: str) -> None:
    found = f"document.getElementById({json.dumps(id_)})"
    desk.until(f"({found}?.focus(), document.activeElement === {found})", id_)


def write(desk: Desk, id_: str, text: str) -> None:
    """Replace the value of a field with an id."""
    focus(desk, id_)
    desk.do("(document.activeElement.select(), true)")
    desk.page.send("Input.insertText", text=text)


def in_panel(desk: Desk, what: str) -> None:
    desk.until(f"{PANEL} && ({what})", what)


def press_in_panel(desk: Desk, button: str) -> None:
    """Click a button of the topmost panel."""
    found = (
        "[...[...document.querySelectorAll('[role=dialog].side')].at(-1)?.querySelectorAll('.actions button') ?? []]"
        f".find((one) => one.innerText.trim() === {json.dumps(button)} && !one.disabled)"
    )
    desk.until(f"(({found})?.click(), Boolean({found}))", button)


def no_panel(desk: Desk) -> None:
    desk.until(f"!{PANEL}", "no panel")


def open_row(desk: Desk, title: str) -> None:
    found = f"[...document.querySelectorAll('.linked a')].find((one) => one.innerText === {json.dumps(title)})"
    desk.until(f"(({found})?.click(), {PANEL})", f"the panel of {title}")


def test_missing_entries_are_created_in_a_panel_and_linked(desk: Desk) -> None:
    article = make(desk, "Made in place")
    open_form(desk, article)
    focus(desk, "field.tags")
    desk.page.send("Input.insertText", text="Night buses")
    desk.see("Create Tag: “Night buses”")
    desk.press("Enter")
    in_panel(desk, "document.getElementById('panel1.field.slug')?.value === 'night-buses'")
    assert desk.do("document.getElementById('panel1.field.name').value") == "Night buses"
    assert desk.do(f"{PANEL}.contains(document.activeElement)")
    press_in_panel(desk, "Save and add")
    no_panel(desk)
    desk.until("document.querySelector('[data-path=tags] .linked')", "the link")
    assert linked(desk) == ["Night buses"]
    assert links(desk, article) == []
    desk.see("Unsaved changes")
    desk.press("s", control=True)
    desk.gone("Unsaved changes")
    assert links(desk, article) == ["Night buses"]
    assert desk.do("document.activeElement.id") == "field.tags"


def test_linked_entries_are_changed_in_a_panel(desk: Desk) -> None:
    tag = new_tag(desk, "Old name")
    article = make(desk, "Changed in place", tags={"connect": [{"id": tag}], "disconnect": []})
    open_form(desk, article)
    desk.fill("Excerpt", "Typed before.")
    desk.see("Old name")
    at = desk.do("location.href")
    open_row(desk, "Old name")
    assert desk.do("location.href") == at
    write(desk, "panel1.field.name", "New name")
    desk.press("s", control=True)
    desk.until(f"{PANEL}?.querySelector('h2').innerText === 'New name'", "the new name")
    assert desk.ask("GET", f"{TAGS}/{tag}")["name"] == "New name"
    desk.until("document.querySelector('[data-path=tags] .linked .title')?.innerText === 'New name'", "the row")
    desk.press("Escape")
    no_panel(desk)
    assert desk.value("Excerpt") == "Typed before."
    desk.see("Unsaved changes")
    assert desk.ask("GET", f"/content-manager/collection-types/api::article.article/{article}")["excerpt"] is None


def test_going_back_closes_a_panel_and_asks_about_unsaved_changes(desk: Desk) -> None:
    tag = new_tag(desk, "Left open")
    article = make(desk, "Way back", tags={"connect": [{"id": tag}], "disconnect": []})
    desk.open(f"{FORM}?_q=Way%20back")
    desk.see("Way back")
    desk.click("Way back", exact=False)
    desk.see("Left open")
    open_row(desk, "Left open")
    write(desk, "panel1.field.name", "Typed and left")
    desk.do("history.back()")
    desk.see("Leave without saving?")
    desk.click("Cancel")
    desk.gone("Leave without saving?")
    assert desk.do("document.getElementById('panel1.field.name').value") == "Typed and left"
    desk.do("history.back()")
    desk.see("Leave without saving?")
    desk.click("Leave")
    no_panel(desk)
    assert linked(desk) == ["Left open"]
    assert desk.do("location.pathname").endswith(f"/{article}")
    desk.do("history.forward()")
    in_panel(desk, "document.getElementById('panel1.field.name')?.value === 'Left open'")
    desk.do("location.reload()")
    in_panel(desk, "document.getElementById('panel1.field.name')?.value === 'Left open'")
    desk.do("history.back()")
    no_panel(desk)
    desk.do("history.back()")
    desk.until("location.pathname.endsWith('api::article.article')", "the list")


def test_entries_created_in_nested_panels_are_linked_to_the_panel_below(desk: Desk) -> None:
    article = make(desk, "Piled up")
    open_form(desk, article)
    button = "document.querySelector('[data-path=author] .search button')"
    desk.until(f"({button}?.click(), {PANEL})", "a new author")
    write(desk, "panel1.field.name", "Piled Author")
    desk.until("document.getElementById('panel1.field.slug').value === 'piled-author'", "the slug")
    focus(desk, "panel1.field.articles")
    desk.page.send("Input.insertText", text="Piled article")
    desk.see("Create Article: “Piled article”")
    desk.press("Enter")
    desk.until("document.getElementById('panel2.field.slug')?.value === 'piled-article'", "the second panel")
    press_in_panel(desk, "Save and add")
    desk.until("!document.getElementById('panel2.field.title')", "the second is closed")
    assert linked(desk, "panel1.articles") == ["Piled article"]
    assert desk.barriers() == []
    press_in_panel(desk, "Save and add")
    no_panel(desk)
    assert linked(desk, "author") == ["Piled Author"]


def test_conflicts_in_a_panel_open_a_dialog_there(desk: Desk) -> None:
    tag = new_tag(desk, "Both change")
    article = make(desk, "Conflict below", tags={"connect": [{"id": tag}], "disconnect": []})
    open_form(desk, article)
    open_row(desk, "Both change")
    write(desk, "panel1.field.name", "Mine")
    desk.ask("PUT", f"{TAGS}/{tag}", {"name": "Theirs"})
    press_in_panel(desk, "Save")
    desk.see("Theirs")
    desk.click("Save selected values")
    desk.until("document.querySelector('[data-path=tags] .linked .title')?.innerText === 'Mine'", "mine")
    assert desk.ask("GET", f"{TAGS}/{tag}")["name"] == "Mine"


def test_an_entry_that_was_deleted_is_reported_in_its_panel(desk: Desk) -> None:
    tag = new_tag(desk, "Deleted below")
    article = make(desk, "Deleted in a panel", tags={"connect": [{"id": tag}], "disconnect": []})
    open_form(desk, article)
    open_row(desk, "Deleted below")
    write(desk, "panel1.field.name", "Still here")
    desk.ask("DELETE", f"{TAGS}/{tag}")
    press_in_panel(desk, "Save")
    in_panel(desk, f"{PANEL}?.innerText.includes('This entry was deleted')")
    assert desk.do("document.getElementById('panel1.field.name').value") == "Still here"
    buttons = desk.do(f"[...{PANEL}.querySelectorAll('.actions button')].map((one) => one.innerText.trim())")
    assert "Save" not in buttons
    assert "Back to the list" not in desk.do(f"{PANEL}.innerText")
    assert desk.barriers() == []


def test_stacked_dialogs_add_no_landmarks(desk: Desk) -> None:
    article = make(desk, "Under dialogs", tags={"connect": [{"id": new_tag(desk, "Below")}], "disconnect": []})
    open_form(desk, article)
    open_row(desk, "Below")
    write(desk, "panel1.field.name", "Changed")
    desk.press("Escape")
    desk.see("Leave without saving?")
    desk.settle()
    nodes = desk.page.send("Accessibility.getFullAXTree")["nodes"]
    roles = {node["role"]["value"] for node in nodes if not node["ignored"]}
    assert roles.isdisjoint({"contentinfo", "banner"})
    assert desk.barriers() == []


def test_notifications_are_part_of_the_topmost_dialog(desk: Desk) -> None:
    article = make(desk, "Notified", tags={"connect": [{"id": new_tag(desk, "Notifies")}], "disconnect": []})
    open_form(desk, article)
    open_row(desk, "Notifies")
    write(desk, "panel1.field.name", "")
    desk.press("Backspace")
    press_in_panel(desk, "Save")
    toast = "querySelector('.toasts .toast')"
    in_panel(desk, f"{PANEL}.{toast}")
    covered = (
        f"(() => {{ const at = (one) => one.getBoundingClientRect(); const over = at(document.{toast});"
        f" return [...{PANEL}.querySelectorAll('.actions button, .head button')].map(at)"
        ".some((one) => one.right > over.left && one.left < over.right"
        " && one.bottom > over.top && one.top < over.bottom); })()"
    )
    for width in (1400, 390):
        desk.size(width)
        desk.settle()
        assert not desk.do(covered)
    assert desk.barriers() == []
    focus_in = f"{PANEL}.{toast}.contains(document.activeElement)"
    for _ in range(30):
        if desk.do(focus_in):
            break
        desk.press("Tab")
    desk.press("Enter")
    desk.until(f"!document.{toast}", "no notification")
    assert desk.do(f"{PANEL} !== null")


def test_many_links_come_by_growing_pages(desk: Desk) -> None:
    known = desk.ask("GET", f"{TAGS}?pageSize=1")["pagination"]["total"]
    for number in range(known, 170):
        new_tag(desk, f"Many {number:04}")
    tags = desk.ask("GET", f"{TAGS}?pageSize=100&sort=id:ASC")["results"]
    tags += desk.ask("GET", f"{TAGS}?pageSize=100&page=2&sort=id:ASC")["results"]
    connect = [{"id": tag["id"]} for tag in tags]
    article = make(desk, "Many links", tags={"connect": connect, "disconnect": []})
    open_form(desk, article)
    rows = "document.querySelectorAll('[data-path=tags] .linked').length"
    for count in (20, 40, 80, 160, len(tags)):
        desk.until(f"{rows} === {count}", f"{count} links")
        desk.do(f"{MORE}?.click()")
    assert linked(desk) == links_of(desk, article)


def links_of(desk: Desk, article: int) -> list[str]:
    pages = [
        desk.ask("GET", f"/content-manager/relations/api::article.article/{article}/tags?pageSize=100&page={page}")
        for page in (1, 2)
    ]
    return [row["name"] for page in pages for row in page["results"]][::-1]


def role(desk: Desk, name: str, rights: list[dict[str, Any]]) -> int:
    made = desk.ask("POST", "/admin/roles", {"name": name, "description": ""})["data"]
    desk.ask("PUT", f"/admin/roles/{made['id']}/permissions", {"permissions": rights})
    return int(made["id"])


def right(action: str, subject: str, *fields: str) -> dict[str, Any]:
    properties = {"fields": list(fields)} if fields else {}
    action = f"plugin::content-manager.explorer.{action}"
    return {"action": action, "subject": subject, "properties": properties, "conditions": []}


def test_permissions_decide_offered_actions_and_shown_names(desk: Desk) -> None:
    hidden = new_tag(desk, "Secret tag")
    article = make(desk, "Rights of links", tags={"connect": [{"id": hidden}], "disconnect": []}, author=1)
    fields = ("title", "tags", "author", "readingMinutes")
    rights = [right(action, "api::article.article", *fields) for action in ("read", "update")]
    rights.append(right("read", "api::author.author", "name"))
    reader = Person("reader@example.org", "Passw0rd-of-Reader")
    desk.hire(reader, role(desk, "Links only", rights))
    desk.log_in(reader)
    open_form(desk, article)
    desk.see(f"Entry {hidden} (no permission to read)")
    desk.until("document.querySelector('[data-path=author] .linked a')", "an author that may be read")
    assert not desk.do("document.querySelector('[data-path=tags] .linked a')")
    assert not desk.do("document.querySelector('.search button')")
    focus(desk, "field.tags")
    desk.page.send("Input.insertText", text="Nobody is called that")
    desk.see("No results")
    assert "New Tag" not in desk.text()
    assert desk.barriers() == []


def test_panels_are_accessible(desk: Desk) -> None:
    for theme in ("dark", "light"):
        desk.theme(theme)
        for width in (1400, 390):
            desk.size(width)
            open_form(desk, 1)
            desk.until("document.querySelector('[data-path=author] .linked a')", "the author")
            desk.do("document.querySelector('[data-path=author] .linked a').click()")
            in_panel(desk, "document.getElementById('panel1.field.name')")
            desk.settle()
            assert desk.barriers() == [], (theme, width)
            assert not desk.overflows(), (theme, width)


def test_administrators_are_chosen_by_their_names(desk: Desk) -> None:
    desk.open("/admin")
    grace = desk.hire(Person("grace@example.org", "Passw0rd-of-Grace"), 3)
    leads = {"type": "relation", "target": "admin::user"}
    one, many = {**leads, "relation": "oneToOne"}, {**leads, "relation": "oneToMany"}
    names = {"displayName": "Review", "singularName": "review", "pluralName": "reviews"}
    made = {**names, "kind": "collectionType", "attributes": {"reviewer": one, "readers": many}}
    desk.ask("POST", "/content-type-builder/content-types", {"contentType": made, "components": []})
    reviews = "/content-manager/collection-types/api::review.review"
    desk.until(f"fetch('{reviews}').then((answer) => answer.status === 401)", "the new content-type")
    desk.open(f"/admin{reviews}/create")
    write(desk, "field.reviewer", "grace")
    desk.until("document.querySelector('[role=option]')?.innerText.includes('Grace')", "Grace")
    desk.press("Enter")
    assert linked(desk, "reviewer") == ["Grace"]
    write(desk, "field.readers", "grace")
    desk.until("document.querySelector('[role=option]')?.innerText.includes('Grace')", "Grace once more")
    desk.press("Enter")
    desk.press("s", control=True)
    desk.until("/review.review\\/\\d+$/.test(location.pathname)", "the address of the entry")
    desk.open(str(desk.do("location.pathname")))
    desk.until("document.querySelectorAll('.linked .title').length === 2", "both links")
    assert linked(desk, "reviewer") == linked(desk, "readers") == ["Grace"]
    kept = desk.ask("GET", "/content-manager/relations/api::review.review/1/reviewer")["data"]
    assert kept["id"] == grace
