"""`octavo db`: compare the database with the definitions, upgrade it, back it up, restore and copy it."""

import asyncio
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from octavo.accounts.administrators import live_settings
from octavo.accounts.administrators.live_settings import read_live_settings
from octavo.cli.advise import advise
from octavo.cli.backups import backups, make_scheduled
from octavo.cli.base import (
    Command,
    Group,
    json_option,
    project_option,
    read_settings,
    refuse,
    say,
    say_json,
    say_table,
    warn,
)
from octavo.cli.database_copy import copy
from octavo.cli.hidden import hidden
from octavo.cli.migrations import connected, migrate, migrations
from octavo.cli.rename import rename, rename_component, rename_table
from octavo.cli.terminal import progress_bar
from octavo.content.media import storage_cleanup
from octavo.core.plurals import counted
from octavo.database.connection import Database, IntegrityViolation
from octavo.database.conversions import ConversionReport, ConversionStep, convert_column, preview_conversion
from octavo.database.declared_indexes import Finished, finish_indexes
from octavo.database.duplicate_single_types import DuplicateEntries, find_surplus_entries
from octavo.database.maintained_counts import CountMaintenance, TotalState
from octavo.database.migrations.files import State
from octavo.database.migrations.runner import migration_states
from octavo.database.option_changes import find_option_changes, preview_options
from octavo.database.rule_conflicts import Conflict, find_conflicts
from octavo.database.sqlite_copy import NotADatabase, copy_database
from octavo.database.synchronize import (
    Changes,
    SyncReport,
    find_unserved_content,
    found_tables,
    plan_changes,
    synchronize,
)
from octavo.database.unit_of_work import unit_of_work
from octavo.database.vacuum import vacuum
from octavo.events.jobs import backup_records
from octavo.events.outbox import Outbox
from octavo.modeling.refactoring.convert import find_conversion
from octavo.operations.backups import mysql
from octavo.operations.backups.postgresql_tools import dump_database
from octavo.operations.backups.restoring import (
    Source,
    find_source,
    replaces_nothing,
    require_tools,
    require_unused,
    target_of,
)
from octavo.operations.backups.restoring import restore as put_back
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import (
    migrations_folder,
    open_project_database,
    open_purges,
    purging_tables,
)
from octavo.operations.runtime.options import hides_future, own_tables
from octavo.operations.runtime.prepare_database import bring_up_to_date
from octavo.schema.registry import Registry
from octavo.settings import Settings

_READ_ONLY: Final = "The restored database is in maintenance mode, as the backup was. To end it: octavo maintenance off"
_TAKEN_AGAIN: Final = (
    'A service on this database maintains them again, unless database.toml sets totals = "counted" or Strapi v4 '
    "created the database."
)


@click.command(cls=Command, epilog="Example: octavo db restore backups/monday.db")
@click.argument("copy", type=click.Path(exists=True, path_type=Path))
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@click.option("--force", is_flag=True, help="Restore even while a service has the database open.")
@project_option
def restore(copy: Path, yes: bool, force: bool, project: Path) -> None:
    """Replace the database with a backup.

    COPY is a file or the folder of one backup. If the restore fails, nothing changes. Not on MySQL.

    PostgreSQL requires pg_restore and psql.
    """
    settings = read_settings(project)
    source, target = find_source(copy, settings), target_of(settings)
    require_tools(settings)
    if not force:
        require_unused(settings, "--force restores anyway")
    if not yes and not replaces_nothing(settings):
        click.confirm(f"Replace everything in {target}?", abort=True)
    with progress_bar("Restoring") as progress:
        put_back(settings, source, progress)
    say("Restored [bold]{}[/] from {}.", target, source.file)
    uploads = source.file.with_name("uploads")
    if source.manifest is not None and source.manifest.uploads and uploads.is_dir():
        say("Uploaded files were not restored; they are in {}.", uploads)
    for warning in asyncio.run(_after_restore(settings, source)):
        warn(warning)


async def _after_restore(settings: Settings, source: Source) -> list[str]:
    """Update state that the backup does not know: that it finished, and which responses CDNs have cached since.

    Also forgets pending removals of files, because the storage can be that of another project, and vacuums the tables.
    Returns warnings.
    """
    database = open_project_database(settings)
    try:
        await database.connect()
        tables = await found_tables(database, database.dialect)
        if backup_records.TABLE.name in tables:
            await _finish_record(database, source)
        async with unit_of_work(database) as unit:
            if storage_cleanup.TABLE.name in tables:
                await storage_cleanup.forget_all(unit.connection)
            for table in purging_tables(settings):
                if table.name not in tables:
                    await unit.connection.execute_script(table.script(database.dialect))
            await open_purges(settings, database, Outbox(database)).purge_with(unit)
        is_read_only = live_settings.TABLE.name in tables and (await read_live_settings(database)).maintenance
        return [*((_READ_ONLY,) if is_read_only else ()), *await vacuum(database)]
    finally:
        await database.close()


async def _finish_record(database: Database, source: Source) -> None:
    """Mark the backup as finished: a scheduled backup contains the record of its own start, but not of its end."""
    if source.manifest is None:
        await backup_records.leave(database)
    else:
        await backup_records.done(database, source.manifest.made_at, source.manifest.bytes)


@click.command(cls=Command, epilog="Example: octavo db totals --check")
@click.option("--enable", "action", flag_value="enable", help="Create missing triggers and count missing totals.")
@click.option("--check", "action", flag_value="check", help="Count all tables and correct wrong totals.")
@click.option("--disable", "action", flag_value="disable", help="Remove all triggers and their data.")
@project_option
@json_option
def totals(action: str | None, project: Path, as_json: bool) -> None:
    """Show, check, enable or disable maintained totals.

    Triggers maintain the totals of lists. The database can be in use.
    """
    settings = read_settings(project)
    if action == "enable" and settings.database.totals == "counted":
        refuse('database.toml sets totals = "counted", so maintained counts have no effect')
    states, done = asyncio.run(_work(settings, action))
    if as_json:
        say_json({"totals": [{"table": each.table.name, "maintained": each.is_kept} for each in states], "done": done})
        return
    for line in done:
        say("{}", line)
    say_table(("table", "total"), [(each.table.name, "maintained" if each.is_kept else "counted") for each in states])


async def _work(settings: Settings, action: str | None) -> tuple[tuple[TotalState, ...], list[str]]:
    async with connected(settings) as database:
        registry = project_registry(settings)
        keeper = CountMaintenance(database, registry)
        if not await keeper.has_tables():
            if action != "enable":
                return (), ["No counts are maintained yet. A start or --enable creates the tables."]
            await synchronize(database, registry)
        done = await _do(keeper, action)
        return await keeper.states(), done


async def _do(keeper: CountMaintenance, action: str | None) -> list[str]:
    match action:
        case "enable":
            return [f"Counted {table.name}" for table in await keeper.keep()]
        case "check":
            wrong = await keeper.compare()
            await keeper.keep()
            return [f"The count of {table.name} was wrong and is counted again" for table in wrong] or [
                "All counts are correct."
            ]
        case "disable":
            return [f"Removed {counted(await keeper.remove(), 'trigger')}.", _TAKEN_AGAIN]
        case _:
            return []


@click.command(cls=Command, epilog="Example: octavo db convert talks level --dry-run")
@click.argument("type_name", metavar="TYPE")
@click.argument("attribute")
@click.option("--dry-run", is_flag=True, help="Show how many values convert and which do not; change nothing.")
@click.option("--null-failures", is_flag=True, help="Set values that do not convert to null.")
@project_option
@json_option
def convert(type_name: str, attribute: str, dry_run: bool, null_failures: bool, project: Path, as_json: bool) -> None:
    """Convert an attribute's column to the defined type.

    Converts value by value in one transaction.

    TYPE is a UID, or a name in the singular or plural.
    """
    step, report = asyncio.run(_convert(read_settings(project), type_name, attribute, dry_run, null_failures))
    is_done = not dry_run and (null_failures or not report.failed)
    if as_json:
        say_json(_as_json(step, report, is_done))
    elif step is None:
        say("The column already has the attribute's type.")
    else:
        say("{}", step.change)
        say("{}: {}", "Converted" if is_done else "Will convert", report.converted)
        say("{}: {}", "Emptied" if is_done else "Will not convert", report.failed)
        if report.samples:
            say_table(("id", "value"), report.samples)
    if report.failed and not dry_run and not is_done:
        failed = counted(report.failed, "value")
        refuse(f"{failed} will not convert, so nothing was changed. --null-failures sets them to null")


def _as_json(step: ConversionStep | None, report: ConversionReport, is_done: bool) -> dict[str, Any]:
    return {
        "change": None if step is None else str(step.change),
        "converted": report.converted,
        "failed": report.failed,
        "samples": [{"id": row_id, "value": value} for row_id, value in report.samples],
        "done": is_done and step is not None,
    }


async def _convert(
    settings: Settings, type_name: str, attribute: str, dry_run: bool, null_failures: bool
) -> tuple[ConversionStep | None, ConversionReport]:
    registry = project_registry(settings)
    async with connected(settings) as database:
        step = await find_conversion(database, registry, type_name, attribute)
        if step is None:
            return None, ConversionReport()
        if dry_run:
            return step, await preview_conversion(database, step)
        try:
            return step, await convert_column(database, step, null_failures=null_failures)
        except IntegrityViolation as error:
            refuse(
                f"Nothing was changed: the converted values violate a database constraint, {error.__cause__ or error}"
            )


class _Compared(NamedTuple):
    """Differences, files of pending migrations, effects of changed options, and single types with several entries.

    `conflicts` are rows that new rules of attributes do not allow, `unserved` is content without a definition.
    """

    changes: Changes
    pending: tuple[str, ...]
    entries: tuple[str, ...]
    surplus: tuple[DuplicateEntries, ...]
    conflicts: tuple[Conflict, ...]
    unserved: tuple[str, ...]

    @property
    def affects_content(self) -> bool:
        """Whether a start would publish or hide entries, stop serving content, or make entries invalid."""
        return bool(self.entries or self.conflicts or self.unserved)


@click.group(cls=Group)
def db() -> None:
    """Compare, upgrade, migrate, back up, restore and copy the database."""


for _command in (
    *(backups, restore, migrate, migrations),
    *(rename, rename_component, rename_table, convert, copy, hidden, totals, advise),
):
    db.add_command(_command)


@db.command(epilog="Example: octavo db diff --exit-code")
@click.option("--exit-code", is_flag=True, help="Exit with code 1 if there is a difference.")
@click.option("--check", is_flag=True, help="Exit with code 1 if a start would affect stored content.")
@project_option
@json_option
def diff(exit_code: bool, check: bool, project: Path, as_json: bool) -> None:
    """Show how a start would change the tables.

    Compares definitions and migrations with the database and changes nothing. It also shows which entries changed
    options would publish or hide, rows that a changed collectionName leaves in a former table, and single types with
    several entries in one locale. Such single types are no difference for --exit-code.

    --check is for CI: it accepts new tables and columns, and fails if a start would publish or hide entries, if
    definitions no longer have columns or tables with content, or if rows conflict with a new `required`, `unique` or
    shorter enumeration.
    """
    compared = asyncio.run(_compare(read_settings(project)))
    changes, pending, entries, surplus, conflicts, unserved = compared
    if as_json:
        additive = (*changes.additive, *changes.aside)
        lists = {"migrations": pending, "additive": additive, "losing": changes.losing, "entries": entries}
        lists |= {"singleTypes": surplus, "conflicts": conflicts, "unserved": unserved}
        say_json({name: list(map(str, items)) for name, items in lists.items()})
    else:
        if not (changes.every or pending or compared.affects_content):
            say("The database matches the definitions.")
        _print_list(
            "Migrations that run first at the next start, and can change the rest of this list:", "green", pending
        )
        _print_list("Changes at the next start:", "green", changes.additive)
        _print_list("Changes after the next start, in the background:", "green", changes.aside)
        _print_list("Effects of changed options at the next start:", "yellow", entries)
        _print_list("Rows that conflict with new rules; they stay as they are:", "yellow", conflicts)
        _print_list("Content that will not be served:", "yellow", unserved)
        _print_list("Changes that lose data, only with octavo db upgrade --allow-data-loss:", "red", changes.losing)
        _print_list("Single types with several entries:", "yellow", surplus)
    if (exit_code and (changes.every or pending or entries)) or (check and compared.affects_content):
        sys.exit(1)


async def _compare(settings: Settings) -> _Compared:
    """Compare the database with the definitions, without changes."""
    registry, folder = project_registry(settings), migrations_folder(settings)
    async with connected(settings) as database:
        states = await migration_states(database, folder) if folder is not None else []
        pending = tuple(each.path.name for each, state in states if state is State.PENDING and each.path is not None)
        locale = settings.plugins.i18n.config.default_locale
        future = hides_future(settings)
        tables = await found_tables(database, database.dialect)
        options = await find_option_changes(database, database.dialect, registry, tables, hides_future=future)
        entries = await preview_options(database, options, tables.keys(), locale)
        surplus = await find_surplus_entries(
            database, database.dialect, registry, locale, hides_future=future, found=tables
        )
        changes = await plan_changes(database, registry)
        conflicts = await find_conflicts(database, database.dialect, options.new_rules, changes.losing)
        unserved = await find_unserved_content(database, database.dialect, changes.losing)
        return _Compared(changes, pending, entries, surplus, conflicts, unserved)


@db.command(epilog="Example: octavo db backup before.db && octavo db upgrade --allow-data-loss")
@click.option("--allow-data-loss", is_flag=True, help="Also drop and convert what the definitions no longer have.")
@project_option
@json_option
def upgrade(allow_data_loss: bool, project: Path, as_json: bool) -> None:
    """Update the tables, as a start does.

    Pending migrations run first. Then one transaction changes the tables to match the definitions. Declared indexes
    follow, while the tables can be in use.
    """
    settings = read_settings(project)
    report, indexes = asyncio.run(_upgrade(settings, project_registry(settings), allow_data_loss))
    applied = (*map(str, report.applied), *indexes.made)
    if as_json:
        left = [*map(str, report.left)]
        say_json({"applied": applied, "left": left, "warnings": [*report.warnings, *indexes.left]})
        return
    if not applied:
        say("Nothing to change.")
    _print_list("Changed:", "green", applied)
    _print_list("Not changed, because data would be lost (--allow-data-loss):", "yellow", report.left)
    _print_list("Not possible with the stored data:", "red", report.warnings)
    _print_list("Not created:", "red", indexes.left)


async def _upgrade(settings: Settings, registry: Registry, allow_data_loss: bool) -> tuple[SyncReport, Finished]:
    folder = migrations_folder(settings)
    async with connected(settings) as database:
        locale = settings.plugins.i18n.config.default_locale
        report = await bring_up_to_date(
            database,
            registry,
            own_tables(settings),
            migrations=folder,
            allow_data_loss=allow_data_loss,
            default_locale=locale,
            insists=True,
        )
        return report, await finish_indexes(database, registry)


def _print_list(heading: str, color: str, items: tuple[object, ...]) -> None:
    if items:
        say("[bold]{}[/]", heading)
    for item in items:
        click.echo(click.style(f"  {item}", fg=color))


@db.command(epilog="Example: octavo db backup backups/monday.db")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@click.option("--scheduled", is_flag=True, help="Follow `database.backups`: verify the backup and remove old ones.")
@click.option("--begun", is_flag=True, hidden=True)
@project_option
def backup(file: Path | None, force: bool, scheduled: bool, begun: bool, project: Path) -> None:
    """Back up the database to a file, also while it is in use.

    With --scheduled, to the folder of backups.

    PostgreSQL requires pg_dump, and MySQL mysqldump.
    """
    settings = read_settings(project)
    if scheduled:
        if file is not None:
            raise click.UsageError("--scheduled takes no file, because the settings define the folder")
        make_scheduled(settings, begun=begun)
        return
    if file is None:
        raise click.UsageError("Missing argument 'FILE'")
    if file.exists() and not force:
        refuse(f"{file} already exists; --force replaces it")
    if settings.database.client == "sqlite":
        if not settings.database_file.exists():
            refuse(f"{settings.database_file} does not exist yet. The first start or octavo db upgrade creates it")
        with progress_bar("Backing up") as progress:
            try:
                copy_database(settings.database_file, file, progress)
            except NotADatabase as error:
                refuse(str(error))
    elif settings.database.is_mysql:
        mysql.make(settings, file)
    else:
        dump_database(settings, file)
    provider = settings.plugins.upload.config.provider
    uploads = f"in {settings.server.public_folder}/uploads" if provider == "local" else f"at {provider}"
    say("Backed up to [bold]{}[/], without the uploaded files: those are {}.", file, uploads)
