"""Bootstrap: makes a database ready for the first request: reached, its tables as defined, roles and a locale in it.

May be called by several processes at once. Refuses with `StartFailed`, whose text is meant for people.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Final

from octavo.access.grants import ensure_default_roles
from octavo.access.statements import say
from octavo.content.instants import this_moment
from octavo.database.connection import Connection, Database
from octavo.database.sequences import continue_ids
from octavo.database.synchronize import SyncReport, synchronize
from octavo.errors import ServiceUnavailable
from octavo.schema.registry import Registry
from octavo.sql.tables import OwnTable

logger = logging.getLogger(__name__)

_LOCK: Final = "octavo: locales"
_KNOWN_NAMES: Final = {"en": "English (en)"}

_ROLES: Final = "SELECT count(*) FROM up_roles"
_LOCALES: Final = "SELECT code FROM i18n_locale"
_DEFAULT: Final = "SELECT count(*) FROM strapi_core_store_settings WHERE key = 'plugin_i18n_default_locale'"
_INSERT_LOCALE: Final = "INSERT INTO i18n_locale (name, code, created_at, updated_at) VALUES (?1, ?2, at(?3), at(?3))"
_INSERT_DEFAULT: Final = """
INSERT INTO strapi_core_store_settings (key, value, type) VALUES ('plugin_i18n_default_locale', ?1, 'string')"""


class StartFailed(Exception):
    """The service cannot start."""


async def reach_database(database: Database) -> None:
    """Connect. Raises StartFailed."""
    try:
        await database.connect()
    except ServiceUnavailable as error:
        raise StartFailed(f"The database cannot be reached: {error.__cause__ or error}") from error


async def prepare_database(
    database: Database, registry: Registry, default_locale: str, own: Sequence[OwnTable] = ()
) -> SyncReport:
    """Connect, bring the tables up to date, fill what a new database needs. Raises StartFailed."""
    await reach_database(database)
    try:
        report = await bring_up_to_date(database, registry, own)
        for table in await continue_ids(database, registry):
            logger.info("New ids of %s go on behind those that are there", table)
        if not await database.fetch_value(_ROLES):
            await ensure_default_roles(database)
        if not await database.fetch_value("SELECT count(*) FROM i18n_locale"):
            await add_locales(database, {default_locale: _KNOWN_NAMES.get(default_locale, default_locale)})
    except BaseException:
        await database.close()
        raise
    for warning in report.warnings:
        logger.warning("%s", warning)
    return report


async def bring_up_to_date(
    database: Database, registry: Registry, own: Sequence[OwnTable] = (), *, allow_data_loss: bool = False
) -> SyncReport:
    """Make the tables what the definitions ask for, and those of our own. Raises StartFailed."""
    try:
        return await synchronize(database, registry, own, allow_data_loss=allow_data_loss)
    except Exception as error:  # each driver has its own; whichever it is, nothing was changed and nobody can be served
        cause = error.__cause__ or error
        raise StartFailed(f"The tables cannot be brought up to date, nothing was changed: {cause}") from error


async def add_locales(database: Database, names: Mapping[str, str]) -> None:
    """Make the locales that are not there, by code; the first becomes the default where there is none."""
    async with database.transaction() as transaction:
        await transaction.lock(_LOCK)
        await insert_locales(transaction, database.dialect, names)


async def insert_locales(connection: Connection, dialect: str, names: Mapping[str, str]) -> None:
    """The same within a transaction of the caller's."""
    present = {row[0] for row in await connection.fetch_all(_LOCALES)}
    now = this_moment()
    for code, name in names.items():
        if code not in present:
            await connection.execute(say(dialect, _INSERT_LOCALE), (name, code, now))
    if names and not await connection.fetch_value(_DEFAULT):
        await connection.execute(say(dialect, _INSERT_DEFAULT), (json.dumps(next(iter(names))),))
