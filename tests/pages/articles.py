"""Articles of the sample project that tests of pages write in."""

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
"""What the browser keeps of forms that were not saved."""


def make(desk: Desk, title: str, **more: Any) -> int:
    """An article that nobody else of these tests touches."""
    slug = title.lower().replace(" ", "-")
    made = desk.ask("POST", LIST, {"title": title, "slug": slug, "format": "note", "featured": False, **more})
    return int(made["id"])


def stored(desk: Desk, article: int) -> dict[str, Any]:
    found: dict[str, Any] = desk.ask("GET", f"{LIST}/{article}")
    return found


def open_form(desk: Desk, article: int | str) -> None:
    """The form of an article, as from a bookmark."""
    desk.open(f"{FORM}/{article}")
    desk.see("Reading minutes")


def leave(desk: Desk) -> None:
    """Whatever is in a form is thrown away with the page and what the browser keeps."""
    desk.do("indexedDB.deleteDatabase('octavo.drafts') && true")
    desk.page.send("Page.navigate", url="about:blank")
    desk.until("location.href === 'about:blank'", "another page")
