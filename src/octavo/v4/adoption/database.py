"""Inspect the configured database for the adoption report. It is only read; an SQLite file is not modified at all."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from octavo.content.locales import Locales
from octavo.core.errors import ServiceUnavailable
from octavo.database.component_names import ComponentNames, OtherName
from octavo.database.connection import Database, StatementTimeout
from octavo.database.synchronize import Changes, found_tables, plan_changes
from octavo.operations.runtime.open_resources import has_database, open_project_database, place_of_database
from octavo.query.sql.ddl.changes import AddColumn, AddForeignKey, Change, ChangeType, CreateIndex, CreateTable
from octavo.query.sql.ddl.indexes import OWN_PREFIX
from octavo.query.sql.ddl.tables import Table, wanted_tables
from octavo.query.sql.physical_names import table_name
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry
from octavo.settings import Settings
from octavo.settings.files.plugin_upload import UPLOAD_PROVIDERS
from octavo.v4.adoption.report import Count, DatabaseReport, StoredFiles, TypeCount

UNUSABLE: Final = "cannot be"
"""How messages start that prevent the start."""

_CLIENT: Final = ("database", "client")
_ROLES: Final = """
SELECT r.name, count(l.user_id) FROM up_roles r LEFT JOIN up_users_role_links l ON l.role_id = r.id
GROUP BY r.id, r.name ORDER BY r.id"""
_ROLE_TABLES: Final = frozenset(("up_roles", "up_users_role_links"))
_FILES: Final = "SELECT provider, count(*), sum(size) FROM files GROUP BY provider ORDER BY 2 DESC"
_WEBHOOKS: Final = "SELECT count(*) FROM strapi_webhooks WHERE enabled"
_LOCALE_TABLES: Final = frozenset(("i18n_locale", "strapi_core_store_settings"))
_V4_TABLES: Final = ("strapi_", "sqlite_", OWN_PREFIX)
"""Prefixes of v4's and Octavo's system tables."""

Tables = Mapping[str, Table]


async def inspect_database(settings: Settings, registry: Registry) -> DatabaseReport:
    """Return the report on the database. Connection errors are reported in `problem`."""
    where, source = place_of_database(settings), settings.sources.get(_CLIENT, "default")
    if not has_database(settings):
        return DatabaseReport(where, source, "the file does not exist; the first start creates it")
    database = open_project_database(settings, untouched=True)
    try:
        await database.connect()
        report = await _inspect(database, registry, where, source)
        return replace(report, triggers=settings.database.totals == "maintained")
    except ServiceUnavailable as error:
        return DatabaseReport(where, source, f"{UNUSABLE} reached: {error.__cause__ or error.reason or error}")
    except Exception as error:  # drivers have different exceptions; the rest of the report is still useful
        return DatabaseReport(where, source, f"{UNUSABLE} inspected: {error.__cause__ or error}")
    finally:
        await database.close()


async def _inspect(database: Database, registry: Registry, where: str, source: str) -> DatabaseReport:
    tables = await found_tables(database, database.dialect)
    changes = await plan_changes(database, registry)
    locales = await Locales(database).known() if tables.keys() >= _LOCALE_TABLES else None
    added = [change for change in changes.additive if not isinstance(change, CreateIndex | AddForeignKey)]
    orders = [change for change in added if _is_order(change)]
    return DatabaseReport(
        where=where,
        source=source,
        tables=len(tables),
        types=tuple([await _count(database, item, tables) for item in registry.content_types.values()]),
        locales=tuple(sorted(locales.codes)) if locales else (),
        default_locale=locales.default if locales else "",
        roles=await _roles(database, tables),
        files=await _files(database, tables),
        webhooks=await _webhooks(database, tables),
        unclaimed=_unclaimed(registry, tables),
        added=tuple(str(change) for change in added if change not in orders and not _is_octavos(change)),
        indexes=len(changes.additive) - len(added),
        order_columns=tuple(str(change) for change in orders),
        contradicting=tuple(map(str, _contradicting(changes))),
        components=await _other_names(database, registry, tables),
        left=tuple(str(change) for change in changes.losing if change not in _contradicting(changes)),
    )


def _is_order(change: Change) -> bool:
    return isinstance(change, AddColumn) and (change.column.name == "order" or change.column.name.endswith("_order"))


def _is_octavos(change: Change) -> bool:
    return isinstance(change, CreateTable) and change.table.startswith(OWN_PREFIX)


def _contradicting(changes: Changes) -> list[Change]:
    return [change for change in changes.losing if isinstance(change, ChangeType) and change.contradicts]


def _unclaimed(registry: Registry, tables: Tables) -> tuple[str, ...]:
    known = {table.name for table in wanted_tables(registry)}
    return tuple(sorted(name for name in tables.keys() - known if not name.startswith(_V4_TABLES)))


async def _count(database: Database, content_type: ContentType, tables: Tables) -> TypeCount:
    name = table_name(content_type)
    table = tables.get(name)
    if table is None:
        return TypeCount(content_type.uid, name, None)
    columns = {column.name for column in table.columns}
    published = "count(published_at)" if "published_at" in columns and content_type.draft_and_publish else "count(*)"
    by_locale = content_type.localized and "locale" in columns
    quoted = database.dialect.quote(name)
    text = f"SELECT NULL, count(*), {published} FROM {quoted}"  # noqa: S608 - names of definitions, quoted
    if by_locale:
        text = f"{text.replace('NULL', 'locale', 1)} GROUP BY locale ORDER BY 2 DESC"
    rows = await _rows(database, text)
    if rows is None:
        return TypeCount(content_type.uid, name, None)
    entries = sum(row[1] for row in rows)
    locales = tuple(Count(str(row[0] or "none"), row[1]) for row in rows) if by_locale else ()
    return TypeCount(content_type.uid, name, entries, entries - sum(row[2] for row in rows), locales)


async def _roles(database: Database, tables: Tables) -> tuple[Count, ...]:
    rows = await _rows(database, _ROLES) if tables.keys() >= _ROLE_TABLES else None
    return tuple(Count(str(row[0]), row[1]) for row in rows or ())


async def _files(database: Database, tables: Tables) -> tuple[StoredFiles, ...]:
    rows = await _rows(database, _FILES) if "files" in tables else None
    known = {name for names in UPLOAD_PROVIDERS.values() for name in names}
    return tuple(
        StoredFiles(str(row[0] or "local"), row[1], float(row[2] or 0), (row[0] or "local") in known)
        for row in rows or ()
    )


async def _webhooks(database: Database, tables: Tables) -> int:
    rows = await _rows(database, _WEBHOOKS) if "strapi_webhooks" in tables else None
    return int(rows[0][0]) if rows else 0


async def _other_names(database: Database, registry: Registry, tables: Tables) -> tuple[OtherName, ...] | None:
    try:
        return tuple(await ComponentNames(database, database.dialect, registry).others(tables.keys()))
    except StatementTimeout:
        return None


async def _rows(database: Database, text: str) -> Sequence[Sequence[Any]] | None:
    """Return the result of a statement, or None if it takes too long."""
    try:
        return await database.fetch_all(text, long=True)
    except StatementTimeout:
        return None
