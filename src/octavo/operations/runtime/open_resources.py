"""Open configured resources: database, attempt counts, media library.

Imports no API, so that commands that only need the database start quickly.
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
    from octavo.access.authentication.redis_rate_limits import RedisCounts

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
    return f"PostgreSQL, {options.name} at {options.host}:{options.port}, schema {options.schema or 'public'}"


def system_of_database(settings: Settings) -> str:
    """Return the database system's name in OpenTelemetry."""
    return "sqlite" if settings.database.client == "sqlite" else "postgresql"


def open_media(settings: Settings, database: Database, storage: Storage) -> MediaLibrary:
    """Return the configured media library."""
    upload = settings.plugins.upload.config
    check_images = settings.api.compat.image_types == "checked"
    media = MediaOptions(upload.size_limit, upload.breakpoints, upload.keep_metadata, check_images)
    return MediaLibrary(database, storage, media)


def open_image_variants(settings: Settings, database: Database, storage: Storage) -> ImageVariants | None:
    """Return the transformed images, or None if no setting enables them.

    They are also None, which is logged, if the files of the storage are private or Octavo cannot read them.
    """
    if not settings.api.images.is_enabled:
        return None
    if storage.signs or not isinstance(storage, ReadableStorage):
        logger.warning(
            "`images` in api.toml has no effect: %s",
            "the files of the storage are private" if storage.signs else "the storage does not let Octavo read files",
        )
        return None
    return ImageVariants(database, storage, storage, settings.api.images.cache_size, shared=settings.may_be_several)


def open_counts(settings: Settings) -> "RedisCounts | None":
    """Return the Redis connection, if attempts are counted there. Raises SettingsError."""
    given = settings.plugins.users_permissions.config.ratelimit
    if given.store != "redis":
        return None
    from octavo.access.authentication.redis_rate_limits import RedisCounts, RedisMissing

    try:
        return RedisCounts(given.url or "")
    except RedisMissing as error:
        key = "users-permissions.config.ratelimit.url"
        raise SettingsError([SettingsProblem("config/plugins.toml", key, str(error))]) from error
