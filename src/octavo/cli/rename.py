"""`octavo db rename`: rename an attribute, with its data, permissions and layouts."""

import asyncio
import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from octavo.cli.base import Command, project_option, read_settings, refuse, say
from octavo.cli.migrations import connected
from octavo.core.plurals import counted
from octavo.database.component_names import ComponentRenameRefused, RenamedRows
from octavo.database.component_names import rename_component as rename_rows
from octavo.database.migrations.files import new_migration
from octavo.database.migrations.runner import Rehearsal, rehearse_source
from octavo.modeling.refactoring.rename import RenamePlan, plan_rename, plan_table_rename
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import has_database
from octavo.settings import Settings


@click.command(cls=Command, epilog="Example: octavo db rename-component shared.seo meta.seo --dry-run")
@click.argument("old")
@click.argument("new")
@click.option("--dry-run", is_flag=True, help="Show the number of rows and roll back.")
@project_option
def rename_component(old: str, new: str, dry_run: bool, project: Path) -> None:
    """Update the name of a renamed component in the tables.

    Rows get the component's name in the definitions.

    If you moved or renamed a component only in its files, as in v4, dynamic zones no longer show it, and it shows no
    files. This command restores both. OLD is the name in the rows, as octavo adopt and octavo start report it. NEW is
    the name in the definition. Both are category and name.
    """
    renamed = asyncio.run(_rename(read_settings(project), old, new, dry_run))
    says = "Would rename" if dry_run else "Renamed"
    components, links = counted(renamed.components, "component"), counted(renamed.links, "link")
    say("{}: {}, {} to files and entries.", says, components, links)
    if renamed.twice:
        say(
            "{}; present under both names: {}.",
            "Would keep one of each" if dry_run else "Kept one of each",
            counted(renamed.twice, "component"),
        )


async def _rename(settings: Settings, old: str, new: str, dry_run: bool) -> RenamedRows:
    registry = project_registry(settings)
    async with connected(settings) as database:
        try:
            return await rename_rows(database, registry, old, new, dry_run=dry_run)
        except ComponentRenameRefused as error:
            refuse(str(error))


@click.command(cls=Command, epilog="Example: octavo db rename-table article articles --dry-run")
@click.argument("type_name", metavar="TYPE")
@click.argument("old")
@click.option("--dry-run", is_flag=True, help="Show the migration and write nothing.")
@project_option
def rename_table(type_name: str, old: str, dry_run: bool, project: Path) -> None:
    """Move the rows of a former table to the present one.

    A changed collectionName creates a new, empty table, and the rows stay in the former one. This command writes a
    migration that renames the former table OLD, its link tables, columns, indexes and keys. It runs at the next start,
    or with octavo db migrate, and refuses to replace tables that have rows.

    TYPE is a UID, or a name in the singular or plural.
    """
    settings = read_settings(project)
    uid, migration = plan_table_rename(settings, type_name, old)
    name = re.sub(r"[^A-Za-z0-9_-]", "-", f"rename-table-{old}-of-{uid.rpartition('.')[2]}")[:150]
    file = new_migration(project, name, ".py")
    if dry_run:
        click.echo(f"# {file.relative_to(settings.project)}\n{migration}")
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8") as opened:
        opened.write(migration)
    say("Created [bold]{}[/]. It runs at the next start, or with octavo db migrate.", file.relative_to(project))


_CODE: Final = frozenset({".py", ".js", ".ts", ".graphql", ".toml"})
_MOST_FILES: Final = 2_000
_MOST_BYTES: Final = 1024**2
_MOST_SHOWN: Final = 20


@click.command(cls=Command, epilog="Example: octavo db rename talks startsAt beginsAt --dry-run")
@click.argument("type_name", metavar="TYPE")
@click.argument("old")
@click.argument("new")
@click.option("--dry-run", is_flag=True, help="Show the changes and the SQL; write nothing. Not on MySQL and MariaDB.")
@project_option
def rename(type_name: str, old: str, new: str, dry_run: bool, project: Path) -> None:
    """Rename an attribute and keep its values.

    The attribute belongs to a content type or a component.

    Writes the definition files, and a migration that renames columns, tables and indexes and updates permissions and
    layouts. It runs at the next start, or with octavo db migrate. TYPE is a UID, or a name in the singular or plural.
    """
    settings = read_settings(project)
    plan = plan_rename(settings, type_name, old, new)
    file = new_migration(project, _migration_name(plan.uid, old, new), ".py")
    if dry_run:
        _print_plan(settings, plan, file)
        _print_code(project, old)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8") as opened:  # before the definitions, so that a reload finds it
        opened.write(plan.migration)
    plan.write_definitions()
    say("Created [bold]{}[/]. It runs at the next start, or with octavo db migrate.", file.relative_to(project))
    for path in plan.files:
        say("Changed [bold]{}[/]", path.relative_to(project))
    _print_code(project, old)


def _migration_name(uid: str, old: str, new: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "-", f"rename-{uid.rpartition('.')[2]}-{old}-to-{new}")[:150]


def _print_plan(settings: Settings, plan: RenamePlan, file: Path) -> None:
    rehearsal = asyncio.run(_rehearse(settings, plan, file)) if has_database(settings) else None
    click.echo(f"# {file.relative_to(settings.project)}\n{plan.migration}")
    for path, content in plan.files.items():
        name = path.relative_to(settings.project).as_posix()
        lines = (path.read_text("utf-8-sig").splitlines(), content.decode("utf-8-sig").splitlines())
        click.echo("\n".join(difflib.unified_diff(*lines, name, name, lineterm="")) + "\n")
    if rehearsal is not None:
        click.echo("-- SQL on this database, run and rolled back")
        for statement in rehearsal.statements:
            click.echo(f"{statement};" if "  -- " not in statement else statement)


async def _rehearse(settings: Settings, plan: RenamePlan, file: Path) -> Rehearsal:
    async with connected(settings) as database:
        return await rehearse_source(database, file, plan.migration)


def _print_code(project: Path, old: str) -> None:
    """Print the lines of the project's code that contain the old name, for the user to check."""
    places = list(_places(project, old))
    if places:
        say("\nCheck the uses of {} in code and settings:", old)
    for place in places[:_MOST_SHOWN]:
        click.echo(f"  {place}")
    if len(places) > _MOST_SHOWN:
        click.echo(f"  and {len(places) - _MOST_SHOWN} more")


def _places(project: Path, old: str) -> Iterator[str]:
    word = re.compile(rf"(?<![\w$]){re.escape(old)}(?![\w$])")
    files = (path for folder in ("src", "config") for path in sorted((project / folder).rglob("*")))
    kept = (path for path in files if path.suffix in _CODE and "node_modules" not in path.parts and path.is_file())
    for _, path in zip(range(_MOST_FILES), kept, strict=False):
        if path.stat().st_size > _MOST_BYTES:
            continue
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), start=1):
            if word.search(line):
                yield f"{path.relative_to(project).as_posix()}:{number}"
