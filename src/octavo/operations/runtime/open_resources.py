"""Open configured resources: database, attempt counts, media library, webhooks, purges of CDNs.

Imports no API, so that commands that only need the database start quickly.

The HTTP client is imported when needed.
"""

import logging
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.content.media.image_variants import ImageVariants
from octavo.content.media.library import MediaLibrary, MediaOptions
from octavo.content.media.storage.base import ReadableStorage, Storage
from octavo.database import open_database
from octavo.database.connection import START_PATIENCE, Database
from octavo.database.migrations.files import FOLDER
from octavo.operations.runtime.database_servers import read_servers
from octavo.settings import Settings, SettingsError, SettingsProblem

if TYPE_CHECKING:
    from octavo.access.authentication.attempt_counts import RedisCounts
from typing import TYPE_CHECKING

from octavo.events.outbox import Outbox
from octavo.events.webhooks.messages import Answer, Sent
from octavo.events.webhooks.store import Webhooks
from octavo.events.webhooks.webhook import Webhook

if TYPE_CHECKING:
    from octavo.events.webhooks.http_sender import WebhookSender
from typing import Final
from urllib.parse import urlsplit

from octavo.events.outbox import TABLE
from octavo.events.purging.cdn_clients import HttpCache, PurgeRequest
from octavo.events.purging.purges import Purges
from octavo.events.purging.queue import PurgeFailed, PurgeQueueOptions
from octavo.query.sql.ddl.tables import SystemTable

logger = logging.getLogger(__name__)


def open_project_database(
    settings: Settings, *, untouched: bool = False, start_patience: float = START_PATIENCE
) -> Database:
    """Return the configured database, not connected.

    `untouched`: for read-only inspection. `start_patience`: for how many seconds `connect` waits for a server that is
    starting.
    """
    options = settings.database
    open_limited = partial(
        open_database,
        statement_timeout=options.statement_timeout / 1000,
        largest_answer=settings.api.max_response_size,
        simple=settings.server.performance.simple,
    )
    if options.client == "sqlite":
        return open_limited(f"sqlite:///{settings.database_file}", untouched=untouched)
    servers = read_servers(settings)
    return open_limited(
        client=options.client,
        parameters=servers.parameters,
        schema=options.schema,
        pool_minimum=options.pool.min,
        pool_maximum=options.pool.max,
        pool_patience=options.pool.acquire_timeout / 1000,
        topology=servers.untouched if untouched else servers.topology,
        start_patience=start_patience,
    )


def migrations_folder(settings: Settings) -> Path | None:
    """Return the folder of the project's migrations, or None if they are not to run."""
    return settings.project / FOLDER if settings.database.run_migrations else None


def has_database(settings: Settings) -> bool:
    """Return whether the database exists. Opening a SQLite database would create its file."""
    return settings.database.client != "sqlite" or settings.database_file.is_file()


def place_of_database(settings: Settings) -> str:
    """Return the database's location for display, without user and password."""
    options = settings.database
    if options.client == "sqlite":
        return f"SQLite, {options.filename}"
    if options.is_mysql:
        return f"MySQL, {options.name} at {options.host}:{options.port}"
    return f"PostgreSQL, {options.name} at {options.host}:{options.port}, schema {options.schema or 'public'}"


def system_of_database(settings: Settings) -> str:
    """Return the database system's name in OpenTelemetry."""
    client = settings.database.client
    return "postgresql" if client == "postgres" else client


def open_media(settings: Settings, database: Database, storage: Storage) -> MediaLibrary:
    """Return the configured media library."""
    upload = settings.plugins.upload.config
    compat = settings.api.compat
    check_images, same_kind = compat.image_types == "checked", compat.replaced_kinds == "same"
    media = MediaOptions(
        upload.size_limit,
        upload.breakpoints,
        upload.keep_metadata,
        check_images,
        same_kind,
        describes_videos=settings.api.images.in_formats,
        heic_formats=compat.heic_formats == "jpeg",
    )
    return MediaLibrary(database, storage, media)


def open_image_variants(settings: Settings, database: Database, storage: Storage) -> ImageVariants | None:
    """Return the transformed images, or None if no setting enables them.

    They are also None, which is logged, if Octavo cannot read the storage, or if its files are private and URLs cannot
    be signed.
    """
    images = settings.api.images
    if not images.is_enabled:
        return None
    if not isinstance(storage, ReadableStorage):
        logger.warning("`images` in api.toml has no effect: the storage does not let Octavo read files")
        return None
    if storage.signs and images.secret is None:
        logger.warning(
            "`images` in api.toml has no effect: the files of the storage are private, so their URLs need signatures. "
            "Set `images.secret`"
        )
        return None
    return ImageVariants(database, storage, storage, settings.api.images.cache_size, shared=settings.may_be_several)


def open_counts(settings: Settings) -> "RedisCounts | None":
    """Return the Redis connection, if attempts are counted there. Raises SettingsError."""
    given = settings.plugins.users_permissions.config.ratelimit
    if given.store != "redis":
        return None
    from octavo.access.authentication.attempt_counts import RedisCounts, RedisMissing

    try:
        return RedisCounts(given.url or "")
    except RedisMissing as error:
        key = "users-permissions.config.ratelimit.url"
        raise SettingsError([SettingsProblem("config/plugins.toml", key, str(error))]) from error


def open_webhooks(settings: Settings, database: Database, outbox: Outbox) -> Webhooks:
    """Return the webhooks of a database, sent as configured."""
    return Webhooks(database, outbox, _LatePoster(settings))


class _LatePoster:
    """Send messages. The actual sender is created for the first one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._poster: WebhookSender | None = None

    async def post(self, webhook: Webhook, sent: Sent) -> Answer:
        """Send a message once."""
        return await self._made().post(webhook, sent)

    async def refusal(self, url: str) -> str | None:
        """Return why Octavo refuses to send to a URL, or None."""
        return await self._made().refusal(url)

    def _made(self) -> "WebhookSender":
        if self._poster is None:
            self._poster = open_poster(self._settings)
        return self._poster


def open_poster(settings: Settings) -> "WebhookSender":
    """Return the sender with the configured options."""
    from octavo.events.webhooks.http_sender import SenderOptions, WebhookSender  # the HTTP client is slow to load

    given = settings.server.webhooks
    return WebhookSender(
        SenderOptions(
            seconds=float(given.timeout), private_hosts=frozenset(given.private_hosts), headers=given.default_headers
        )
    )


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
