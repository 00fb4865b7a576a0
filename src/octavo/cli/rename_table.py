"""`octavo db rename-table`: rows follow a content type or component whose `collectionName` was changed."""

import re
from pathlib import Path

import click

from octavo.cli.base import Command, project_option, read_settings, say
from octavo.database.migrations.files import new_migration
from octavo.modeling.refactoring.rename import plan_table_rename


@click.command(cls=Command, epilog="Example: octavo db rename-table article articles --dry-run")
@click.argument("type_name", metavar="TYPE")
@click.argument("old")
@click.option("--dry-run", is_flag=True, help="Show the migration and write nothing.")
@project_option
def rename_table(type_name: str, old: str, dry_run: bool, project: Path) -> None:
    """Move the rows of a former table to the present one.

    A changed collectionName makes a new, empty table, and the rows stay in the former one. This writes a migration
    that renames the former table OLD, its link tables, columns, indexes and keys. It runs at the next start, or by
    octavo db migrate, and refuses to replace tables that hold rows.

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
    say("Made [bold]{}[/]. It runs at the next start, or by octavo db migrate.", file.relative_to(project))
