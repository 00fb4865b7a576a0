"""`octavo media`: maintain uploaded files."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import click

from octavo.cli.base import Command, Group, project_option, read_settings, refuse, say, warn, with_database
from octavo.content.media.file_cleaner import CleanedFile, FileCleaner
from octavo.content.media.placeholder_creator import PlaceholderCreator
from octavo.content.media.storage.base import ReadableStorage
from octavo.content.writer import EntryWriter
from octavo.core.errors import ApplicationError
from octavo.core.plurals import counted
from octavo.database.connection import Database
from octavo.events.outbox import Outbox
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import open_media, open_purges
from octavo.operations.runtime.open_storage import open_storage
from octavo.operations.runtime.options import own_tables


@click.group(cls=Group)
def media() -> None:
    """Maintain uploaded files."""


@media.command(cls=Command, epilog="Example: octavo media strip --dry-run")
@click.option("--dry-run", "dry", is_flag=True, help="Only report the files that contain metadata.")
@project_option
def strip(dry: bool, project: Path) -> None:
    """Remove the location and other metadata from stored files.

    Uploads do this already. Use the command after an import, or for files from Strapi v4 and older versions of Octavo.
    URLs stay the same. The service can keep running. You can stop the command and run it again.
    """
    settings = read_settings(project)
    if settings.plugins.upload.config.keep_metadata:
        refuse("upload.config.keepMetadata in config/plugins.toml is true: metadata is to be kept")
    storage = open_storage(settings)
    if not isinstance(storage, ReadableStorage):
        refuse(f"files cannot be read from the storage {storage.provider}; only the local storage and S3 are supported")

    async def work(database: Database) -> tuple[int, int]:
        registry = project_registry(settings)
        purges = open_purges(settings, database, Outbox(database))
        library = open_media(settings, database, storage)
        cleaner = FileCleaner(EntryWriter(database, registry), library, purges.purge_files_with)
        cleaned = failed = 0
        async for file in _results(cleaner, dry, warn):
            cleaned += bool(file and file.cleaned)
            failed += file is None
        return cleaned, failed

    cleaned, failed = with_database(settings, work, own_tables(settings), hooked=True)
    if dry:
        say("{} with metadata.", counted(cleaned, "file"))
    else:
        say("Removed metadata from {}.", counted(cleaned, "file"))
    if failed:
        refuse(f"{counted(failed, 'file')} could not be processed")


@media.command(cls=Command, epilog="Example: octavo media placeholders")
@project_option
def placeholders(project: Path) -> None:
    """Create the placeholders of stored images.

    Uploads do this already. Use the command after an import, or for files from Strapi v4 and older versions of Octavo.
    The service can keep running. You can stop the command and run it again: it continues with the missing ones.
    """
    settings = read_settings(project)
    storage = open_storage(settings)
    if not isinstance(storage, ReadableStorage):
        refuse(f"files cannot be read from the storage {storage.provider}")

    async def work(database: Database) -> tuple[int, int]:
        creator = PlaceholderCreator(database, storage, storage)
        created = failed = 0
        async for row in creator.missing():
            try:
                created += await creator.create(row)
            except (ApplicationError, FileNotFoundError) as error:
                reason = error.message if isinstance(error, ApplicationError) else "it is missing in the storage"
                warn(f"file {row['id']}: {reason}")
                failed += 1
        return created, failed

    created, failed = with_database(settings, work, own_tables(settings))
    say("Created {}.", counted(created, "placeholder"))
    if failed:
        refuse(f"{counted(failed, 'file')} could not be processed")


async def _results(cleaner: FileCleaner, dry: bool, report: Callable[[str], None]) -> AsyncIterator[CleanedFile | None]:
    """Clean all files and yield the results; None for a file that cannot be processed."""
    async for file_id in cleaner.ids():
        try:
            cleaned = await cleaner.clean(file_id, dry=dry)
        except ApplicationError as error:
            report(f"file {file_id}: {error.message}")
            yield None
            continue
        if cleaned is None:
            continue
        for name in cleaned.missing:
            report(f"file {file_id}: {name} is missing in the storage")
        if cleaned.cleaned:
            say("{} (id {}): {} with metadata", cleaned.name, cleaned.id, counted(cleaned.cleaned, "part"))
        yield cleaned
