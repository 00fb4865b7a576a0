"""`octavo db rename-component`: rows follow a component that was renamed without them."""

import asyncio
from pathlib import Path

import click

from octavo.cli.base import Command, project_option, read_settings, refuse, say
from octavo.cli.migrations import connected
from octavo.core.plurals import counted
from octavo.database.component_rename import ComponentRenameRefused, RenamedRows
from octavo.database.component_rename import rename_component as rename_rows
from octavo.operations.runtime.definitions import project_registry
from octavo.settings import Settings


@click.command(cls=Command, epilog="Example: octavo db rename-component shared.seo meta.seo --dry-run")
@click.argument("old")
@click.argument("new")
@click.option("--dry-run", is_flag=True, help="Show the number of rows and roll back.")
@project_option
def rename_component(old: str, new: str, dry_run: bool, project: Path) -> None:
    """Update the name of a renamed component in the tables.

    Rows get the component's name in the definitions.

    Where a component was moved or renamed in its files alone, as v4 does it, dynamic zones no longer show it, and it
    shows no files. This finds them again. OLD is the name that rows say, as octavo adopt and octavo start tell it, NEW
    that of the definition; both are category and name.
    """
    renamed = asyncio.run(_rename(read_settings(project), old, new, dry_run))
    says = "Would rename" if dry_run else "Renamed"
    components, links = counted(renamed.components, "component"), counted(renamed.links, "link")
    say("{}: {}, {} to files and entries.", says, components, links)
    if renamed.twice:
        say(
            "{}, there under both names: {}.",
            "Would show once" if dry_run else "Once now",
            counted(renamed.twice, "component"),
        )


async def _rename(settings: Settings, old: str, new: str, dry_run: bool) -> RenamedRows:
    registry = project_registry(settings)
    async with connected(settings) as database:
        try:
            return await rename_rows(database, registry, old, new, dry_run=dry_run)
        except ComponentRenameRefused as error:
            refuse(str(error))
