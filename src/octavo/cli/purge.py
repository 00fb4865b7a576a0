"""`octavo purge`: purge CDNs and reverse proxies after changes that bypassed the service."""

from pathlib import Path

import click

from octavo.cli.base import Command, project_option, read_settings, refuse, say, with_database
from octavo.database.connection import Database
from octavo.events.outbox import Outbox
from octavo.events.purging.tags import ALL, ANY, entries_tag
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import open_purges
from octavo.operations.runtime.options import own_tables


@click.command(cls=Command, epilog="Example: octavo purge api::article.article")
@click.argument("tags", nargs=-1)
@project_option
def purge(tags: tuple[str, ...], project: Path) -> None:
    """Purge responses with one of TAGS, or all responses, from CDNs and reverse proxies.

    The running service sends the purges. Use it after SQL by hand or a deployment. A tag is a content type
    (`api::article.article`) or an entry of one (`api::article.article:5`). The tag of a type includes all its entries.
    """
    settings = read_settings(project)
    caches = settings.api.caching.purge.caches
    if not caches:
        refuse("no caches are configured. Set caching.purge.caches in config/api.toml")
    known = project_registry(settings).content_types
    for tag in tags:
        if tag not in (ALL, ANY) and _type_of(tag) not in known:
            refuse(f"{tag} is not a content type or an entry, such as api::article.article or api::article.article:5")
    wanted = [name for tag in tags for name in _with_entries(tag)]

    async def work(database: Database) -> None:
        await open_purges(settings, database, Outbox(database)).purge(*wanted)

    with_database(settings, work, own_tables(settings))
    say("Purging {}: {}", ", ".join(sorted(caches)), ", ".join(tags) or "everything")


def _with_entries(tag: str) -> tuple[str, ...]:
    """Return the tags to purge for a type with all its entries, or for an entry and responses that may include it."""
    uid = _type_of(tag)
    return (ANY, uid, entries_tag(uid)) if tag == uid else (ANY, uid, tag)


def _type_of(tag: str) -> str:
    uid, _, entry = tag.rpartition(":")
    return uid if entry.isdecimal() else tag
