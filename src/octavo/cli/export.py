"""`octavo export`: export a project's content, files and settings in the format of `strapi export`."""

import asyncio
from collections.abc import Set
from datetime import UTC, datetime
from pathlib import Path

import click

from octavo.cli.base import Command, project_option, read_settings, refuse, say
from octavo.cli.terminal import progress_bar
from octavo.core.plurals import counted
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import open_project_database
from octavo.operations.runtime.open_storage import open_storage
from octavo.operations.runtime.prepare_database import reach_database
from octavo.operations.transfer.archive.parts import Part, chosen_parts
from octavo.operations.transfer.archive.writer import archive_path, new_archive
from octavo.operations.transfer.exporter import ExportReport, Progress, export_project
from octavo.settings import Settings
from octavo.settings.v4_versions import known_version

parts_options = (
    click.option("--only", metavar="PARTS", help=f"Only these parts, separated by commas: {', '.join(Part)}."),
    click.option("--exclude", metavar="PARTS", help="All parts except these."),
)


def parts_of(only: str | None, exclude: str | None) -> frozenset[Part]:
    """Return the parts that `--only` and `--exclude` select."""
    try:
        parts = chosen_parts(only, exclude)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if not parts:
        raise click.UsageError("no parts of the archive remain")
    return parts


@click.command("export", cls=Command, epilog="Example: octavo export --file backups/monday --key secret")
@click.option("-f", "--file", type=click.Path(path_type=Path), help="Name of the archive without its extensions.")
@click.option("--no-encrypt", is_flag=True, help="Do not encrypt.")
@click.option("--no-compress", is_flag=True, help="Do not compress.")
@click.option("-k", "--key", help="Encryption key; prompts for it if not given.")
@parts_options[0]
@parts_options[1]
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@click.option("--skip-invalid", is_flag=True, help="Leave invalid values empty, and list them.")
@project_option
def export(
    file: Path | None,
    no_encrypt: bool,
    no_compress: bool,
    key: str | None,
    only: str | None,
    exclude: str | None,
    force: bool,
    skip_invalid: bool,
    project: Path,
) -> None:
    """Export content, files and settings to an archive for `strapi import` and `octavo import`.

    The service can keep running. As in v4, the archive has no administrators, administrator roles, API tokens and
    releases.
    """
    if no_encrypt and key is not None:
        raise click.UsageError("--no-encrypt and --key cannot be combined")
    parts = parts_of(only, exclude)
    settings = read_settings(project)
    name = file or Path(f"export_{datetime.now(UTC):%Y%m%d%H%M%S}")
    path = archive_path(name, compressed=not no_compress, encrypted=not no_encrypt)
    if path.exists() and not force:
        refuse(f"{path} already exists; --force replaces it")
    if not no_encrypt and not key:
        key = click.prompt("Encryption key", hide_input=True, confirmation_prompt=True, err=True)
    with progress_bar("Exporting") as progress:
        password = None if no_encrypt else key
        report = asyncio.run(_export(settings, path, parts, password, not no_compress, skip_invalid, progress))
    _print_report(report)
    say("Exported to [bold]{}[/].", path)


async def _export(
    settings: Settings,
    path: Path,
    parts: Set[Part],
    password: str | None,
    compressed: bool,
    skip_invalid: bool,
    progress: Progress,
) -> ExportReport:
    registry, storage = project_registry(settings), open_storage(settings)
    database = open_project_database(settings)
    await reach_database(database)
    try:
        with new_archive(path, compressed=compressed, password=password) as archive:
            version = ".".join(map(str, known_version(settings.api.compat.v4_version)))
            return await export_project(
                database, registry, storage, archive, parts, version, progress, skip_invalid=skip_invalid
            )
    finally:
        await database.close()


def _print_report(report: ExportReport) -> None:
    counts = (
        counted(sum(report.entries.values()), "entry", "entries"),
        counted(report.links, "link"),
        counted(report.files, "file"),
        counted(report.settings, "setting or webhook", "settings and webhooks"),
    )
    say("{}.", ", ".join(counts))
    if report.hidden:
        entries = counted(report.hidden, "hidden entry", "hidden entries")
        say(
            "[yellow]Hidden[/] {}: Octavo hides them after an import, but Strapi v4 would serve them; see "
            "octavo db hidden.",
            entries,
        )
    for table, count in sorted(report.dangling.items()):
        say("[yellow]Skipped[/] {} of {}: the target is not exported.", counted(count, "link"), table)
    for problem in report.invalid.summary():
        say("[yellow]Left empty[/] {}", problem)
    for problem in report.missing_files.summary():
        say("[yellow]Skipped[/] file {}", problem)
