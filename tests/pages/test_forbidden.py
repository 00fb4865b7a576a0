"""Pages without permission show a message, and never wait for content."""

from tests.pages.desk import Desk, Person
from tests.pages.places import PLACES

AUTHOR = 3
OPEN = {
    "home",
    "list",
    "list-empty",
    "list-filtered",
    "entry",
    "entry-new",
    "media",
    "settings",
    "profile",
    "not-found",
}
"""Pages that an author can open, or some of whose content an author can read."""
NONE = Person("nobody@example.org", "Passw0rd-of-Nobody")
SAID = "/No permission for|permission to do this|not found|permission to view/.test(document.body.innerText)"


def test_pages_without_permission_show_a_message(desk: Desk) -> None:
    role = desk.ask("POST", "/admin/roles", {"name": "Nothing at all", "description": "no permissions"})["data"]["id"]
    desk.hire(NONE, role)
    desk.log_in(NONE)
    stuck = []
    for name, place in PLACES.items():
        if name in {"home", "settings", "application", "profile", "not-found"}:
            continue
        desk.open(f"/admin{place.address}")
        try:
            desk.until(f"!document.querySelector('.loading') && {SAID}", name, seconds=8)
        except AssertionError:
            stuck.append((name, desk.text()[-120:]))
    assert stuck == [], "\n".join(map(str, stuck))


def test_an_author_opens_settings(desk: Desk) -> None:
    author = Person("forbidden@example.org", "Passw0rd-of-Forbidden")
    desk.hire(author, AUTHOR)
    desk.log_in(author)
    for path in (
        "roles",
        "roles/3",
        "roles/new",
        "users",
        "webhooks",
        "webhooks/create",
        "api-tokens",
        "audit",
        "jobs",
    ):
        desk.open(f"/admin/settings/{path}")
        desk.see("No permission for this page")
        assert desk.barriers() == []
