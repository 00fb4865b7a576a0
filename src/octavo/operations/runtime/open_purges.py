"""Open the purge queue for CDNs and reverse proxies. The HTTP client is imported at the first purge."""

from typing import Final
from urllib.parse import urlsplit

from octavo.database.connection import Database
from octavo.events.outbox import TABLE, Outbox
from octavo.events.purging.cdn_clients import HttpCache, PurgeRequest
from octavo.events.purging.purges import Purges
from octavo.events.purging.queue import PurgeFailed, PurgeQueueOptions
from octavo.query.sql.ddl.tables import SystemTable
from octavo.settings import Settings

_SERVICES: Final = {"fastly": "https://api.fastly.com", "cloudflare": "https://api.cloudflare.com/client/v4"}
_MOST_ANSWER: Final = 64 * 1024
_SECONDS: Final = 5.0


def open_purges(settings: Settings, database: Database, outbox: Outbox) -> Purges:
    """Return the purges of the configured caches."""
    given = settings.api.caching
    options = PurgeQueueOptions(given.purge.delay, given.purge.repeat, given.surrogate_keys.prefix)
    return Purges(database, outbox, configured_caches(settings), _send, options)


def purging_tables(settings: Settings) -> tuple[SystemTable, ...]:
    """Return the table that queued purges need, or none without configured caches."""
    return (TABLE,) if settings.api.caching.purge.caches else ()


def configured_caches(settings: Settings) -> list[HttpCache]:
    """Return the configured caches."""
    return [
        HttpCache(
            name=name,
            kind=given["kind"],
            url=given.get("url", _SERVICES.get(given["kind"], "")),
            token=str(given["token"]) if "token" in given else None,
            scope=str(given.get("service", given.get("zone", ""))),
            **{key: given[key] for key in ("method", "header") if key in given},
        )
        for name, given in settings.api.caching.purge.caches.items()
    ]


async def _send(cache: HttpCache, request: PurgeRequest) -> None:
    """Send a request to an address that the operator configured: it can be private, with plain HTTP.

    Raises PurgeFailed.
    """
    from octavo.core.net.outgoing import Limits, Outgoing, RequestFailed, ask  # the HTTP client is slow to load

    host = urlsplit(cache.url).hostname or ""
    limits = Limits(frozenset({host}), _SECONDS, _MOST_ANSWER)
    asked = Outgoing(request.method, request.url, headers=request.headers, json=request.json)
    try:
        answer = await ask(asked, limits)
    except RequestFailed as error:
        raise PurgeFailed(str(error)) from None
    if not 200 <= answer.status < 300:
        raise PurgeFailed(f"{host} returned {answer.status}", refused=True)
