"""`octavo import`: replace a project's content, files and settings with an archive of `strapi export`."""

import asyncio
from collections.abc import Set
from pathlib import Path
from typing import Final

import click

from octavo.cli.base import Command, project_option, read_settings, say, warn
from octavo.cli.export import parts_of, parts_options
from octavo.cli.terminal import progress_bar
from octavo.cli.webhooks import active_webhooks, print_active_webhooks
from octavo.core.plurals import counted
from octavo.database.vacuum import vacuum
from octavo.events.outbox import Outbox
from octavo.operations.backups.restoring import require_unused
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import migrations_folder, open_project_database, open_purges
from octavo.operations.runtime.open_storage import open_storage
from octavo.operations.runtime.options import own_tables
from octavo.operations.runtime.prepare_database import bring_up_to_date, check_types, reach_database
from octavo.operations.transfer.archive.parts import ENCRYPTED, SCHEMAS, Part
from octavo.operations.transfer.archive.reader import ArchiveReader, check_version, open_archive
from octavo.operations.transfer.archive.schemas import differences
from octavo.operations.transfer.importing.importer import ImportReport, Progress, check_parts, import_archive
from octavo.schema.registry import Registry
from octavo.settings import Settings

_REPLACED: Final = {
    Part.CONTENT: "all entries, users, roles and locales",
    Part.FILES: "uploaded files",
    Part.CONFIG: "all stored settings and webhooks",
}


@click.command("import", cls=Command, epilog="Example: octavo import --file monday.tar.gz.enc --key secret")
@click.option(
    "-f",
    "--file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The archive.",
)
@click.option("-k", "--key", help="Encryption key; prompts for it if not given.")
@parts_options[0]
@parts_options[1]
@click.option("--force", is_flag=True, help="Skip all confirmations.")
@click.option("--in-use", is_flag=True, help="Import even while a service has the database open.")
@project_option
def import_(
    file: Path, key: str | None, only: str | None, exclude: str | None, force: bool, in_use: bool, project: Path
) -> None:
    """Replace content, files and settings with an archive of `strapi export` or `octavo export`.

    If the import fails, nothing changes. Ids stay the same. Administrators, their roles, API tokens and releases
    stay unchanged. Stop the service first: otherwise the import is refused.
    """
    parts = parts_of(only, exclude)
    settings = read_settings(project)
    registry = project_registry(settings)
    if not in_use:
        require_unused(settings, "--in-use imports anyway")
    if file.suffix == ENCRYPTED and not key:
        key = click.prompt("Encryption key", hide_input=True, err=True)
    with open_archive(file, key, settings.project / ".octavo") as archive:
        check_version(archive.metadata())
        check_parts(archive, parts)
        _confirm(archive, registry, parts, force)
        with progress_bar("Importing") as progress:
            report, warnings, webhooks = asyncio.run(_import(settings, registry, archive, parts, progress))
    print_active_webhooks(webhooks)
    _print_report(report)
    for warning in warnings:
        warn(warning)


def _confirm(archive: ArchiveReader, registry: Registry, parts: Set[Part], force: bool) -> None:
    """Ask for confirmation before data is replaced, unless options answer already."""
    differing = differences(archive.lines(SCHEMAS), registry)
    if differing:
        say("[yellow]The archive's definitions differ from the project's:[/]")
        for difference in differing:
            say("  {}", difference)
        if not force:
            click.confirm("Data without a definition here is skipped. Continue?", abort=True)
    if not force:
        replaced = ", ".join(text for part, text in _REPLACED.items() if part in parts)
        click.confirm(f"This replaces {replaced}. Continue?", abort=True)


async def _import(
    settings: Settings, registry: Registry, archive: ArchiveReader, parts: Set[Part], progress: Progress
) -> tuple[ImportReport, list[str], list[str]]:
    storage, database = open_storage(settings), open_project_database(settings)
    await reach_database(database)
    try:
        check_types(
            await bring_up_to_date(database, registry, own_tables(settings), migrations=migrations_folder(settings))
        )
        purges = open_purges(settings, database, Outbox(database))
        report = await import_archive(database, registry, storage, archive, parts, progress, purges)
        warnings = await vacuum(database)
        return report, warnings, await active_webhooks(database) if Part.CONFIG in parts else []
    finally:
        await database.close()


def _print_report(report: ImportReport) -> None:
    entries = sum(report.entries.values())
    say(
        "Imported {}, {}, {}, {}.",
        counted(entries, "entry", "entries"),
        counted(report.links, "link"),
        counted(report.files, "file"),
        counted(report.settings, "setting or webhook", "settings and webhooks"),
    )
    if report.hidden:
        say(
            "[yellow]Hidden[/] {}: drafts of types without drafts, or other locales of types that are not localized.",
            counted(report.hidden, "entry", "entries"),
        )
    for what, count in sorted(report.left_out.items()):
        say("[yellow]Skipped[/] {}: {}", what, count)
