"""Prepare a database for requests: connect, update the tables, add default roles and a locale.

Several processes can do this at once. Errors are StartFailed, with a message for display.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

from octavo.access.authorization.role_grants import ensure_default_roles
from octavo.content.i18n.locale_management import locale_name
from octavo.core.clock import this_moment
from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.database.change_feed import ChangeKind
from octavo.database.component_names import describe_other_names, learn_former_names
from octavo.database.connection import Database, DatabaseMisconfigured
from octavo.database.declared_indexes import not_made
from octavo.database.duplicate_single_types import find_surplus_entries
from octavo.database.migrations.files import MigrationFailed, State
from octavo.database.migrations.runner import migration_states, run_migrations
from octavo.database.option_changes import describe_hidden, find_option_changes, learn_hidden_entries, preview_options
from octavo.database.rule_conflicts import find_conflicts
from octavo.database.synchronize import SyncReport, continue_ids, found_tables, preview_changes, synchronize
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.query.sql.ddl.changes import AddColumn, ChangeType, summary
from octavo.query.sql.ddl.tables import SystemTable
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import LOCALE
from octavo.schema.registry import Registry

logger = logging.getLogger(__name__)

_LOCK: Final = "octavo: locales"

_ROLES: Final = "SELECT count(*) FROM up_roles"
_LOCALES: Final = "SELECT code FROM i18n_locale"
_DEFAULT: Final = RawStatement(
    "SELECT count(*) FROM strapi_core_store_settings WHERE {key:name} = 'plugin_i18n_default_locale'"
)
_INSERT_LOCALE: Final = RawStatement("""
INSERT INTO i18n_locale (name, code, created_at, updated_at)
VALUES ({name}, {code}, {now:instant}, {now:instant}) {id:returning}""")
_INSERT_DEFAULT: Final = RawStatement("""
INSERT INTO strapi_core_store_settings ({key:name}, value, type)
VALUES ('plugin_i18n_default_locale', {code}, 'string')""")

_NOT_UPDATED: Final = "Could not update the tables; nothing was changed"
_OUT_OF_DATE: Final = """\
The database is not up to date, and the start does not change it (`database.updateTables` is false, or --no-migrate).
Run `octavo db upgrade` as the owner of the tables. It would make these changes:"""
_CONTRADICTING: Final = "Columns of the database contradict the definitions:"
_CONVERT: Final = """\
Convert each with `octavo db convert TYPE ATTRIBUTE` (--dry-run shows the values that do not fit the new type). Or
convert all with `octavo db upgrade --allow-data-loss`, which deletes values that do not fit, and everything else that
`octavo db diff` shows as lost. Or revert the change of the definitions."""

T = TypeVar("T")


class StartFailed(Exception):
    """The service cannot start."""


class DatabaseUnavailable(StartFailed):
    """The service cannot start now, because the database is down, full or locked. A later attempt can succeed."""


class Repeat(Protocol):
    """Runs an attempt. It can repeat an attempt that raises DatabaseUnavailable."""

    def __call__(self, attempt: Callable[[], Awaitable[T]], /) -> Awaitable[T]: ...


async def _once(attempt: Callable[[], Awaitable[T]]) -> T:
    return await attempt()


def _failure(what: str, error: ServiceUnavailable) -> StartFailed:
    kind = StartFailed if isinstance(error, DatabaseMisconfigured) else DatabaseUnavailable
    return kind(f"{what}: {reason_of(error)}")


class Connectable(Protocol):
    """A database, or the source of a copy."""

    async def connect(self) -> None:
        """Connect. Raises ServiceUnavailable."""


async def reach_database(database: Connectable) -> None:
    """Connect. Raises StartFailed."""
    try:
        await database.connect()
    except ServiceUnavailable as error:
        raise _failure("The database cannot be reached", error) from error


async def prepare_database(
    database: Database,
    registry: Registry,
    default_locale: str,
    own: Sequence[SystemTable] = (),
    migrations: Path | None = None,
    *,
    hides_future: bool | None = None,
    update_tables: bool = True,
    repeat: Repeat = _once,
) -> SyncReport:
    """Connect, update the tables, and add the initial data of a new database. Raises StartFailed.

    Without `update_tables`, the tables must be up to date.
    `repeat` runs both steps, and decides whether to repeat one for which the database is unavailable.
    """
    await repeat(partial(reach_database, database))
    update = partial(
        update_database,
        database,
        registry,
        default_locale,
        own,
        migrations,
        hides_future=hides_future,
        update_tables=update_tables,
    )
    try:
        return await repeat(update)
    except BaseException:
        await database.close()
        raise


async def update_database(
    database: Database,
    registry: Registry,
    default_locale: str,
    own: Sequence[SystemTable] = (),
    migrations: Path | None = None,
    *,
    insists: bool = False,
    hides_future: bool | None = None,
    update_tables: bool = True,
) -> SyncReport:
    """Update the tables and add the initial data of a new database, which may be in use. Raises StartFailed.

    `migrations` is the folder of the project's migrations, which run first. `insists` and `hides_future` are passed to
    `synchronize`.
    """
    try:
        if update_tables:
            report = await bring_up_to_date(
                database,
                registry,
                own,
                migrations=migrations,
                default_locale=default_locale,
                insists=insists,
                hides_future=hides_future,
            )
        else:
            report = await check_tables(
                database, registry, own, migrations, default_locale=default_locale, hides_future=hides_future
            )
        await _add_initial_data(database, registry, default_locale)
        await _warn(database, registry, default_locale, report, hides_future=bool(hides_future))
        return report
    except ServiceUnavailable as error:
        raise _failure("The database cannot be prepared", error) from error


async def check_tables(
    database: Database,
    registry: Registry,
    own: Sequence[SystemTable],
    migrations: Path | None,
    *,
    default_locale: str,
    hides_future: bool | None,
) -> SyncReport:
    """Return the report of an update that changes nothing. Raises StartFailed if an update would change something."""
    try:
        states = await migration_states(database, migrations) if migrations is not None else []
    except MigrationFailed as error:
        raise StartFailed(str(error)) from error
    pending = [f"run {each.files[0]}" for each, state in states if state is State.PENDING]
    preview = await preview_changes(database, registry, own)
    tables = await found_tables(database, database.dialect)
    options = await find_option_changes(database, database.dialect, registry, tables, hides_future=hides_future)
    entries = await preview_options(database, options, tables.keys(), default_locale)
    missing = [*preview.missing]
    lines = [*pending, *map(str, preview.report.applied), *missing, *entries]
    if lines:
        raise StartFailed("\n".join([_OUT_OF_DATE, *(f"  {line}" for line in lines)]))
    return replace(preview.report, applied=())


async def _add_initial_data(database: Database, registry: Registry, default_locale: str) -> None:
    """Add the default roles and the default locale of a new database, and correct its sequences."""
    for table in await continue_ids(database, registry):
        logger.info("New IDs of %s continue after the existing ones", table)
    if not await database.fetch_value(_ROLES):
        await ensure_default_roles(database)
    if not await database.fetch_value("SELECT count(*) FROM i18n_locale"):
        await add_locales(database, {default_locale: locale_name(default_locale)})


async def _warn(
    database: Database, registry: Registry, default_locale: str, report: SyncReport, *, hides_future: bool
) -> None:
    """Log what an update has changed, what it could not do, and which entries it has hidden."""
    if report.applied:
        grown = any(isinstance(change, AddColumn) for change in report.applied)  # existing tables changed
        logger.log(logging.WARNING if grown else logging.INFO, "%s", summary(report.applied))
    async with database.snapshot() as snapshot:  # without a statement timeout
        former = await learn_former_names(snapshot, database.dialect, registry)
        hidden = await learn_hidden_entries(snapshot, registry)
        surplus = await find_surplus_entries(
            snapshot, database.dialect, registry, default_locale, hides_future=hides_future
        )
        rules = report.options.new_rules if report.options is not None else ()
        conflicts = await find_conflicts(snapshot, database.dialect, rules, report.type_changes)
    about_entries = (*describe_other_names(former), *describe_hidden(hidden), *map(str, surplus), *map(str, conflicts))
    warnings = (*report.warnings, *not_made(registry, database.dialect), *about_entries)
    for warning in warnings:
        logger.warning("%s", warning)


def check_types(report: SyncReport) -> None:
    """Raise StartFailed for columns that contradict their definitions. Log other differing types, which can be used."""
    contradicting = [change for change in report.type_changes if change.contradicts]
    if contradicting:
        raise StartFailed("\n".join([_CONTRADICTING, *map(_describe_type, contradicting), _CONVERT]))
    for change in report.type_changes:
        logger.warning("%s; octavo db convert converts it", _describe_type(change).strip())


def _describe_type(change: ChangeType) -> str:
    return f"  {change.table}.{change.wanted.name} is {change.found.type}, should be {change.wanted.type}"


async def migrate(database: Database, migrations: Path) -> tuple[str, ...]:
    """Run the project's pending migrations and return their files. Raises StartFailed."""
    try:
        return await run_migrations(database, migrations)
    except MigrationFailed as error:
        raise StartFailed(str(error)) from error
    except ServiceUnavailable as error:
        raise _failure("Could not run the migrations", error) from error


async def bring_up_to_date(
    database: Database,
    registry: Registry,
    own: Sequence[SystemTable] = (),
    *,
    migrations: Path | None = None,
    allow_data_loss: bool = False,
    default_locale: str = "en",
    insists: bool = False,
    hides_future: bool | None = None,
) -> SyncReport:
    """Run the migrations in a folder, then update the tables of the definitions and Octavo's own.

    Raises StartFailed.
    """
    if migrations is not None:
        await migrate(database, migrations)
    try:
        return await synchronize(
            database,
            registry,
            own,
            allow_data_loss=allow_data_loss,
            default_locale=default_locale,
            insists=insists,
            hides_future=hides_future,
        )
    except ServiceUnavailable as error:
        raise _failure(_NOT_UPDATED, error) from error
    except Exception as error:  # drivers have different errors; all of them mean that nothing was changed
        raise StartFailed(f"{_NOT_UPDATED}: {error.__cause__ or error}") from error


async def add_locales(database: Database, names: Mapping[str, str]) -> None:
    """Create missing locales, by code. The first becomes the default if there is none."""
    async with unit_of_work(database) as unit:
        await unit.connection.lock(_LOCK)
        await insert_locales(unit, database.dialect, names)


async def insert_locales(unit: UnitOfWork, dialect: Dialect, names: Mapping[str, str]) -> None:
    """Create missing locales within the caller's unit of work."""
    connection = unit.connection
    present = {row[0] for row in await connection.fetch_all(_LOCALES)}
    now = this_moment()
    for code, name in names.items():
        if code not in present:
            locale_id = await connection.fetch_value(*_INSERT_LOCALE.bind(dialect, name=name, code=code, now=now))
            unit.record(LOCALE, locale_id, ChangeKind.CREATE)
    if names and not await connection.fetch_value(*_DEFAULT.bind(dialect)):
        await connection.execute(*_INSERT_DEFAULT.bind(dialect, code=json.dumps(next(iter(names)))))
