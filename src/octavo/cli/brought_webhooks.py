"""Report active webhooks after an import or a copy, before they send unexpected messages."""

from octavo.cli.base import say
from octavo.database.connection import Database


async def active_webhooks(database: Database) -> list[str]:
    """Return the active webhooks of a database, each with its id, name and URL."""
    rows = await database.fetch_all("SELECT id, name, url, enabled FROM strapi_webhooks ORDER BY id")
    return [f"{number} {name} ({url})" for number, name, url, enabled in rows if enabled]


def print_active_webhooks(active: list[str]) -> None:
    """Print which webhooks are active, and how to disable them before the service starts."""
    if active:
        say("[yellow]Active webhooks[/]: a service on this database sends its changes to")
        for webhook in active:
            say("  {}", webhook)
        say("Disable them with `octavo webhooks disable ID`, before you start it, if this is not the live site.")
