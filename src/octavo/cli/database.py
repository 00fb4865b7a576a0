"""`octavo db`: what separates the database from the definitions, and copies of it."""

import asyncio
from pathlib import Path

import click

from octavo.app import open_project_database
from octavo.bootstrap import bring_up_to_date, reach_database
from octavo.cli.base import Group, json_option, project_option, read_settings, refuse, say, say_json
from octavo.cli.progress import progress_bar
from octavo.database.connection import Database
from octavo.database.sqlite_copy import NotADatabase, copy_database
from octavo.database.synchronize import Changes, SyncReport, plan_changes
from octavo.schema.loader import load_registry
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
    registry = load_registry(settings.project)
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
    report = asyncio.run(_upgrade(settings, load_registry(settings.project), allow_data_loss))
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
    """Copy an SQLite database to a file, while it may be in use."""
    settings = read_settings(project)
    _require_sqlite(settings, "pg_dump --format=custom --file={file} {address}", file)
    if file.exists() and not force:
        refuse(f"{file} is there already; --force replaces it")
    _copy("Backing up", settings.database_file, file)
    say("Backed up to [bold]{}[/]. Uploaded files are in public/uploads, not in it.", file)


@db.command(epilog="Example: octavo db restore backups/monday.db")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask.")
@project_option
def restore(file: Path, yes: bool, project: Path) -> None:
    """Replace an SQLite database by a copy made before. All of it or, if that fails, nothing."""
    settings = read_settings(project)
    _require_sqlite(settings, "pg_restore --clean --if-exists --dbname={address} {file}", file)
    if settings.database_file.exists() and not yes:
        click.confirm(f"Replace everything in {settings.database_file}?", abort=True)
    _copy("Restoring", file, settings.database_file)
    say("Restored [bold]{}[/] from {}.", settings.database_file, file)


def _require_sqlite(settings: Settings, command: str, file: Path) -> None:
    options = settings.database
    if options.client != "sqlite":
        address = f"postgresql://{options.user or ''}@{options.host}:{options.port}/{options.name}"
        refuse(f"PostgreSQL has its own tools: {command.format(file=file, address=address)}")


def _copy(what: str, source: Path, target: Path) -> None:
    with progress_bar(what) as progress:
        try:
            copy_database(source, target, progress)
        except NotADatabase as error:
            refuse(str(error))
