"""Articles of the sample project for tests that write."""

from typing import Any

from tests.pages.desk import Desk

ARTICLE = "api::article.article"
LIST = f"/content-manager/collection-types/{ARTICLE}"
FORM = f"/admin{LIST}"
KEPT = """new Promise((done) => {
  const asked = indexedDB.open('octavo.drafts', 1);
  asked.onsuccess = () => {
    const all = asked.result.transaction('drafts').objectStore('drafts').getAll();
    all.onsuccess = () => (asked.result.close(), done(JSON.stringify(all.result)));
  };
})"""
"""The unsaved changes that the browser stores."""


def make(desk: Desk, title: str, **more: Any) -> int:
    """Create an article that no other test uses."""
    slug = title.lower().replace(" ", "-")
    made = desk.ask("POST", LIST, {"title": title, "slug": slug, "format": "note", "featured": False, **more})
    return int(made["id"])


def stored(desk: Desk, article: int) -> dict[str, Any]:
    found: dict[str, Any] = desk.ask("GET", f"{LIST}/{article}")
    return found


def open_form(desk: Desk, article: int | str) -> None:
    """Open an article's form from its URL."""
    desk.open(f"{FORM}/{article}")
    desk.see("Reading minutes")


def leave(desk: Desk) -> None:
    """Leave the form and discard its unsaved changes."""
    desk.do("indexedDB.deleteDatabase('octavo.drafts') && true")
    desk.page.send("Page.navigate", url="about:blank")
    desk.until("location.href === 'about:blank'", "another page")
