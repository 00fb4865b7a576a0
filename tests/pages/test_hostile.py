"""Texts that look like scripts in everything that has a name: entries, users, roles, tokens, folders, URLs, errors.

The content security policy would block such scripts; here none may become more than text.
"""

from typing import Final
from urllib.parse import quote

import pytest

from tests.pages.desk import Desk

IMAGE: Final = "<img src=x onerror=hacked=1>"
EVIL: Final = f"\"'></script><script>hacked=1</script>{IMAGE}<svg onload=hacked=1>{{{{7*7}}}}${{7*7}}"
MARKUP: Final = "script:not([src]), svg[onload], [onerror], [onload], a[href^='javascript:' i], base ~ base"
CM: Final = "/content-manager/collection-types"
PAGES: Final = {
    "home": ("/", IMAGE),
    "list": (f"{CM}/api::article.article?sort=id:DESC", IMAGE),
    "search": (f"{CM}/api::article.article?_q={quote(IMAGE)}", "in total"),
    "filter": (f"{CM}/api::article.article?filters[$and][0][title][$contains]={quote(IMAGE)}", "in total"),
    "tags": (f"{CM}/api::tag.tag", IMAGE),
    "no type": (f"{CM}/{quote(IMAGE)}", ""),
    "no page": (f"/{quote(EVIL, safe='')}", "Page not found"),
    "roles": ("/settings/roles", IMAGE),
    "users": ("/settings/users", IMAGE),
    "tokens": ("/settings/api-tokens", IMAGE),
    "webhooks": ("/settings/webhooks", IMAGE),
    "audit": ("/settings/audit", "Actions of administrators"),
    "library": ("/plugins/upload", "onerror=hacked"),
    "search of files": (f"/plugins/upload?_q={quote(IMAGE)}", "0 folders, 0 files"),
}


@pytest.fixture(scope="module", autouse=True)
def named(desk: Desk) -> int:
    """Give this name to everything that can have one; return the article's id."""
    made = desk.ask("POST", f"{CM}/api::article.article", {"title": EVIL, "slug": "evil", "excerpt": EVIL})
    tag = desk.ask("POST", f"{CM}/api::tag.tag", {"name": IMAGE, "slug": "evil"})
    linked = {"tags": {"connect": [{"id": tag["id"]}], "disconnect": []}}
    desk.ask("PUT", f"{CM}/api::article.article/{made['id']}", linked)
    role = desk.ask("POST", "/admin/roles", {"name": EVIL, "description": EVIL})["data"]["id"]
    desk.ask("POST", "/admin/users", {"firstname": EVIL, "lastname": EVIL, "email": "e@example.org", "roles": [role]})
    token = {"name": EVIL, "description": EVIL, "type": "read-only", "lifespan": None}
    desk.ask("POST", "/admin/api-tokens", token)
    hook = {"name": EVIL, "url": "https://example.org/?<svg>", "headers": {}, "events": ["entry.create"]}
    desk.ask("POST", "/admin/webhooks", hook)
    desk.ask("POST", "/upload/folders", {"name": EVIL.replace("/", ""), "parent": None})
    return int(made["id"])


@pytest.mark.parametrize("name", PAGES)
def test_names_are_texts_on_every_page(desk: Desk, name: str) -> None:
    address, text = PAGES[name]
    desk.open(f"/admin{address}")
    desk.see(text)
    desk.settle()
    assert_inert(desk)


def test_an_entry_shows_hostile_texts_unchanged(desk: Desk, named: int) -> None:
    desk.open(f"/admin{CM}/api::article.article/{named}")
    desk.see("Add a component to Blocks")
    desk.until(f"document.querySelector('main h1').innerText.includes({IMAGE!r})", "the title")
    assert desk.value("Title") == EVIL
    desk.until(f"document.querySelector('[data-path=tags]').innerText.includes({IMAGE!r})", "the tag that it leads to")
    desk.click("More actions")
    desk.click("Delete")
    desk.see("Delete")
    assert_inert(desk)
    desk.press("Escape")


def test_hostile_error_messages_are_texts(desk: Desk) -> None:
    desk.open(f"/admin{CM}/api::article.article/create")
    desk.fill("Title", "Refused")
    desk.fill("Slug", IMAGE)
    desk.click("Save")
    desk.until("document.querySelector('[data-path=slug] .problem')", "what is wrong")
    assert_inert(desk)
    desk.open("/admin/plugins/upload")
    desk.see("Newest first")
    desk.give("input[type=file][multiple]", f"{IMAGE}.png")
    desk.see("invalid characters", "1 upload failed")
    assert_inert(desk)


def test_the_palette_shows_hostile_texts(desk: Desk) -> None:
    desk.open("/admin/")
    desk.see("Next steps")
    desk.press("k", control=True)
    desk.until("document.activeElement.matches('[role=dialog] input')", "the palette")
    desk.page.send("Input.insertText", text="onerror")
    desk.until(f"document.querySelector('[role=dialog]').innerText.includes({IMAGE!r})", "the entry")
    assert_inert(desk)
    desk.press("Escape")


def assert_inert(desk: Desk) -> None:
    assert desk.do("typeof window.hacked") == "undefined"
    assert desk.do(f"[...document.querySelectorAll({MARKUP!r})].map((one) => one.outerHTML)") == []
