"""`octavo db migrate` and `migrations`: run and list the project's migrations; create files for new ones."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import click

from octavo.cli.base import Command, json_option, project_option, read_settings, refuse, say, say_json, say_table
from octavo.database.connection import Database
from octavo.database.migrations.files import FOLDER, Migration, MigrationFailed, State, new_migration
from octavo.database.migrations.runner import Rehearsal, migration_states, rehearse
from octavo.operations.runtime.open_resources import open_project_database
from octavo.operations.runtime.prepare_database import migrate as run_all
from octavo.operations.runtime.prepare_database import reach_database
from octavo.settings import Settings

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
"""The names of migrations."""
_SQL: Final = """\
-- SQL statements, each followed by a semicolon. They run once, in one transaction, before table changes.
-- A file for one database has the suffix .sqlite.sql, .postgresql.sql or .mysql.sql.
-- To skip it if a table does not exist, as on a new database, start with: octavo: only with table TABLE
"""
_PYTHON: Final = '''\
"""Describe this migration."""


async def up(transaction):
    """Run once, in a transaction, before table changes."""
    # if await transaction.has_column("talks", "level"):
    #     await transaction.execute("UPDATE talks SET level = {level} WHERE level IS NULL", level=1)
'''


@asynccontextmanager
async def connected(settings: Settings) -> AsyncIterator[Database]:
    """Connect to the project's database without preparing it."""
    database = open_project_database(settings)
    await reach_database(database)
    try:
        yield database
    except MigrationFailed as error:
        refuse(str(error))
    finally:
        await database.close()


@click.command(cls=Command, epilog="Example: octavo db migrate --dry-run")
@click.option(
    "--dry-run", is_flag=True, help="Run the migrations, show every statement and roll back. Not on MySQL and MariaDB."
)
@project_option
@json_option
def migrate(dry_run: bool, project: Path, as_json: bool) -> None:
    """Run pending migrations.

    Each migration runs in its own transaction, in order. They also run at startup.
    """
    settings = read_settings(project)
    if dry_run:
        _print_rehearsals(asyncio.run(_rehearse(settings)), as_json)
        return
    run = asyncio.run(_migrate(settings))
    if as_json:
        say_json({"run": list(run)})
    elif not run:
        say("No pending migrations.")
    else:
        for name in run:
            say("Run: [bold]{}[/]", name)


async def _migrate(settings: Settings) -> tuple[str, ...]:
    async with connected(settings) as database:
        return await run_all(database, settings.project / FOLDER)


async def _rehearse(settings: Settings) -> list[Rehearsal]:
    async with connected(settings) as database:
        return await rehearse(database, settings.project / FOLDER)


def _print_rehearsals(rehearsals: list[Rehearsal], as_json: bool) -> None:
    if as_json:
        say_json([{"file": item.file, "statements": list(item.statements)} for item in rehearsals])
        return
    if not rehearsals:
        say("No pending migrations.")
    for item in rehearsals:
        say("[bold]-- {}[/]", item.file)
        for statement in item.statements or ("-- nothing, only recorded as run",):
            click.echo(f"{statement};" if not statement.startswith("--") else statement)


@click.command(cls=Command, epilog="Example: octavo db migrations")
@project_option
@json_option
def migrations(project: Path, as_json: bool) -> None:
    """List migrations in order, with their status."""
    states = asyncio.run(_states(read_settings(project)))
    rows = [{"name": each.name, "files": list(each.files), "state": str(state)} for each, state in states]
    if as_json:
        say_json(rows)
    elif not rows:
        say("No migrations in {}.", FOLDER)
    else:
        say_table(("name", "files", "state"), ((row["name"], ", ".join(row["files"]), row["state"]) for row in rows))


async def _states(settings: Settings) -> list[tuple[Migration, State]]:
    async with connected(settings) as database:
        return await migration_states(database, settings.project / FOLDER)


def begin_migration(settings: Settings, name: str, *, is_python: bool) -> None:
    """Create a migration file and print its name."""
    if not _NAME.fullmatch(name):
        refuse("The name of a migration must consist of letters, digits, - and _, at most 100")
    text, suffix = (_PYTHON, ".py") if is_python else (_SQL, ".sql")
    file = new_migration(settings.project, name, suffix)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8") as opened:
        opened.write(text)
    say(
        "Created [bold]{}[/]. It runs at the next start, or with octavo db migrate.", file.relative_to(settings.project)
    )
