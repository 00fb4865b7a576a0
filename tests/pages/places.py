"""All admin pages: name, URL, and a text that shows that the page has loaded."""

from collections.abc import Callable
from typing import Final, NamedTuple

from tests.pages.desk import Desk

WIDTHS: Final = (390, 1024, 1600)
"""Pixels: a phone, a small computer, a large one."""
THEMES: Final = ("light", "dark")


class Place(NamedTuple):
    """A page: its URL below `/admin`, and a text that it contains once loaded."""

    address: str
    text: str


_LISTS: Final = "/content-manager/collection-types"
_SITE: Final = "/settings/users-permissions"
OUTSIDE: Final = {
    "login": Place("/auth/login", "Welcome back"),
    "forgotten": Place("/auth/forgot-password", "Reset your password"),
}
"""Pages for signed-out users."""
PLACES: Final = {
    "home": Place("/", "Next steps"),
    "list": Place(f"{_LISTS}/api::article.article?sort=id:ASC", "in total"),
    "list-empty": Place(f"{_LISTS}/api::article.article?_q=no+such+words", "No results"),
    "list-filtered": Place(
        f"{_LISTS}/api::article.article?filters[$and][0][title][$containsi]=e", 'Title contains "e"'
    ),
    "list-localized": Place(f"{_LISTS}/api::category.category", "in total"),
    "entry": Place(f"{_LISTS}/api::article.article/1", "Add a component to Blocks"),
    "entry-new": Place(f"{_LISTS}/api::article.article/create", "Create entry: Article"),
    "entry-json": Place(f"{_LISTS}/api::event.event/1", "Programme"),
    "entry-localized": Place(f"{_LISTS}/api::category.category/1", "Color"),
    "calendar": Place("/calendar", "Times are in your time zone"),
    "media": Place("/plugins/upload", "Newest first"),
    "settings": Place("/settings", "Choose a section"),
    "application": Place("/settings/application-infos", "Logos"),
    "transfer-tokens": Place("/settings/transfer-tokens", "Data transfer is disabled"),
    "users": Place("/settings/users", "ada@example.org"),
    "user": Place("/settings/users/1", "New password"),
    "roles": Place("/settings/roles", "Super Admin"),
    "role": Place("/settings/roles/3", "Author"),
    "locales": Place("/settings/internationalization", "German (de)"),
    "media-settings": Place("/settings/media-library", "Responsive images"),
    "email": Place("/settings/email", "Test email"),
    "api-tokens": Place("/settings/api-tokens", "No tokens yet"),
    "api-token": Place("/settings/api-tokens/create", "Token duration"),
    "webhooks": Place("/settings/webhooks", "No webhooks yet"),
    "webhook": Place("/settings/webhooks/create", "Add header"),
    "site-roles": Place(f"{_SITE}/roles", "Authenticated"),
    "site-role": Place(f"{_SITE}/roles/1", "Each action allows the routes"),
    "providers": Place(f"{_SITE}/providers", "github"),
    "mail-texts": Place(f"{_SITE}/email-templates", "Subject"),
    "registering": Place(f"{_SITE}/advanced-settings", "Enable sign-ups"),
    "jobs": Place("/settings/jobs", "No failed jobs"),
    "audit": Place("/settings/audit", "Actions of administrators and API clients"),
    "system": Place("/settings/system", "Slow requests"),
    "types": Place("/plugins/content-type-builder", "Fact box"),
    "type": Place("/plugins/content-type-builder/content-types/api::article.article", "readingMinutes"),
    "diagram": Place("/plugins/content-type-builder/diagram", "Author"),
    "list-configured": Place(f"{_LISTS}/api::article.article/configurations/list", "Back to the list"),
    "form-configured": Place(f"{_LISTS}/api::article.article/configurations/edit", "Preview"),
    "part-configured": Place("/content-manager/components/shared.seo/configurations/edit", "Component title"),
    "profile": Place("/me", "Last name"),
    "not-found": Place("/nowhere", "Page not found"),
}
"""Pages of the sample project, as its first administrator sees them."""


def visit(desk: Desk, place: Place) -> None:
    """Open a page, and wait until it has loaded."""
    desk.open(f"/admin{place.address}")
    desk.see(place.text)


def everywhere(desk: Desk, look: Callable[[], list[str]]) -> str:
    """Run a check on every page and return its findings, one a line with the page's name."""
    found = set()
    for name, place in PLACES.items():
        visit(desk, place)
        found |= {f"{name}: {one[:260]}".replace("\n", " ") for one in look()}
    return "\n".join(sorted(found))
