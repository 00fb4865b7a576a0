"""`octavo db`: what separates the database from the definitions, and copies of it."""

import asyncio
from pathlib import Path

import click

from octavo.cli.base import Group, json_option, project_option, read_settings, refuse, say, say_json
from octavo.cli.postgresql_tools import dump_database, restore_database
from octavo.cli.progress import progress_bar
from octavo.database.connection import Database
from octavo.database.sqlite_copy import NotADatabase, copy_database
from octavo.database.synchronize import Changes, SyncReport, plan_changes
from octavo.runtime.definitions import project_registry
from octavo.runtime.open_resources import open_project_database
from octavo.runtime.prepare_database import bring_up_to_date, reach_database
from octavo.schema.registry import Registry
from octavo.settings import Settings


@click.group(cls=Group)
def db() -> None:
    """Compare, upgrade, back up and restore the database."""


@db.command(epilog="Example: octavo db diff")
@project_option
@json_option
def diff(project: Path, as_json: bool) -> None:
    """Show what the definitions ask of the database, without changing anything."""
    changes = asyncio.run(_compare(read_settings(project)))
    if as_json:
        say_json({"additive": list(map(str, changes.additive)), "losing": list(map(str, changes.losing))})
        return
    if not changes.ordered:
        say("The database is what the definitions ask for.")
    _tell("Made at the next start:", "green", changes.additive)
    _tell("Loses data, made only by octavo db upgrade --allow-data-loss:", "red", changes.losing)


async def _compare(settings: Settings) -> Changes:
    registry = project_registry(settings)
    database = await _connected(settings)
    try:
        return await plan_changes(database, registry)
    finally:
        await database.close()


async def _connected(settings: Settings) -> Database:
    database = open_project_database(settings)
    await reach_database(database)
    return database


@db.command(epilog="Example: octavo db backup before.db && octavo db upgrade --allow-data-loss")
@click.option("--allow-data-loss", is_flag=True, help="Also drop and convert what the definitions no longer have.")
@project_option
@json_option
def upgrade(allow_data_loss: bool, project: Path, as_json: bool) -> None:
    """Bring the database up to date with the definitions, in one transaction."""
    settings = read_settings(project)
    report = asyncio.run(_upgrade(settings, project_registry(settings), allow_data_loss))
    if as_json:
        parts = {"applied": report.applied, "left": report.left, "warnings": report.warnings}
        say_json({name: list(map(str, part)) for name, part in parts.items()})
        return
    if not report.applied:
        say("Nothing to change.")
    _tell("Made:", "green", report.applied)
    _tell("Left, because data would be lost (--allow-data-loss):", "yellow", report.left)
    _tell("Not possible with the data that is stored:", "red", report.warnings)


async def _upgrade(settings: Settings, registry: Registry, allow_data_loss: bool) -> SyncReport:
    database = await _connected(settings)
    try:
        return await bring_up_to_date(database, registry, allow_data_loss=allow_data_loss)
    finally:
        await database.close()


def _tell(heading: str, color: str, items: tuple[object, ...]) -> None:
    if items:
        say("[bold]{}[/]", heading)
    for item in items:
        click.echo(click.style(f"  {item}", fg=color))


@db.command(epilog="Example: octavo db backup backups/monday.db")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@project_option
def backup(file: Path, force: bool, project: Path) -> None:
    """Copy the database to a file, while it may be in use.

    On PostgreSQL by pg_dump, which has to be installed.
    """
    settings = read_settings(project)
    if file.exists() and not force:
        refuse(f"{file} is there already; --force replaces it")
    if settings.database.client == "sqlite":
        _copy("Backing up", settings.database_file, file)
    else:
        dump_database(settings, file)
    say("Backed up to [bold]{}[/]. Uploaded files are in public/uploads, not in it.", file)


@db.command(epilog="Example: octavo db restore backups/monday.db")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_option
def restore(file: Path, yes: bool, project: Path) -> None:
    """Replace the database by a copy made before. All of it or, if that fails, nothing.

    On PostgreSQL by pg_restore and psql, which have to be installed.
    """
    settings = read_settings(project)
    on_sqlite = settings.database.client == "sqlite"
    target = str(settings.database_file) if on_sqlite else f"database {settings.database.name}"
    if not yes and (not on_sqlite or settings.database_file.exists()):
        click.confirm(f"Replace everything in {target}?", abort=True)
    if on_sqlite:
        _copy("Restoring", file, settings.database_file)
    else:
        restore_database(settings, file)
    say("Restored [bold]{}[/] from {}.", target, file)


def _copy(what: str, source: Path, target: Path) -> None:
    with progress_bar(what) as progress:
        try:
            copy_database(source, target, progress)
        except NotADatabase as error:
            refuse(str(error))
