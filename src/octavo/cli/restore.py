"""`octavo db restore`: replace the database with a backup."""

import asyncio
from pathlib import Path

import click

from octavo.cli.base import Command, project_option, read_settings, say
from octavo.cli.progress import progress_bar
from octavo.database.connection import Database
from octavo.database.synchronize import found_tables
from octavo.database.unit_of_work import unit_of_work
from octavo.events.jobs import backup_records
from octavo.events.outbox import Outbox
from octavo.operations.backups.restoring import (
    Source,
    find_source,
    replaces_nothing,
    require_tools,
    require_unused,
    target_of,
)
from octavo.operations.backups.restoring import restore as put_back
from octavo.operations.runtime.open_purges import open_purges, purging_tables
from octavo.operations.runtime.open_resources import open_project_database
from octavo.settings import Settings


@click.command(cls=Command, epilog="Example: octavo db restore backups/monday.db")
@click.argument("copy", type=click.Path(exists=True, path_type=Path))
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@click.option("--force", is_flag=True, help="Restore even while a service has the database open.")
@project_option
def restore(copy: Path, yes: bool, force: bool, project: Path) -> None:
    """Replace the database with a backup.

    COPY is a file or the folder of one backup. If the restore fails, nothing changes.

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
    asyncio.run(_settle(settings, source))


async def _settle(settings: Settings, source: Source) -> None:
    """Update state that the backup does not know: that it finished, and which responses CDNs have cached since."""
    database = open_project_database(settings)
    try:
        await database.connect()
        found = await found_tables(database, database.dialect)
        if backup_records.TABLE.name in found:
            await _settle_record(database, source)
        async with unit_of_work(database) as unit:
            for table in purging_tables(settings):
                if table.name not in found:
                    await unit.connection.execute_script(table.script(database.dialect.counter_column))
            await open_purges(settings, database, Outbox(database)).purge_with(unit)
    finally:
        await database.close()


async def _settle_record(database: Database, source: Source) -> None:
    """Mark the backup as finished: a scheduled backup contains the record of its own start, but not of its end."""
    if source.manifest is None:
        await backup_records.leave(database)
    else:
        await backup_records.done(database, source.manifest.made_at, source.manifest.bytes)
