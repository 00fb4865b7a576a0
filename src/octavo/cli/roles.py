"""`octavo roles`: user roles. `octavo permissions` changes their permissions."""

from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import click

from octavo.access.authorization.actor import SYSTEM
from octavo.access.authorization.role_grants import Role, find_role, list_grants
from octavo.accounts.users.role_management import RoleManagement
from octavo.accounts.users.user_rows import list_users
from octavo.cli.base import (
    Group,
    json_option,
    project_option,
    read_settings,
    say,
    say_json,
    say_table,
    with_database,
)
from octavo.content.writer import EntryWriter
from octavo.database.connection import Database
from octavo.operations.runtime.definitions import project_registry

ResultT = TypeVar("ResultT")


@click.group(cls=Group)
def roles() -> None:
    """Create, list and delete user roles."""


def _administer(project: Path, work: Callable[[RoleManagement, Database], Awaitable[ResultT]]) -> ResultT:
    settings = read_settings(project)
    registry = project_registry(settings)

    async def run(database: Database) -> ResultT:
        keeps_default = settings.api.compat.profile == "safe"
        return await work(RoleManagement(EntryWriter(database, registry), keeps_default=keeps_default), database)

    return with_database(settings, run, hooked=True)


@roles.command(name="list", epilog="Example: octavo roles list --json")
@project_option
@json_option
def list_all(project: Path, as_json: bool) -> None:
    """List the roles and their number of users."""

    async def work(database: Database) -> tuple[tuple[Role, ...], Counter[str | None]]:
        return await list_grants(database), Counter(user.role for user in await list_users(database))

    found, users = with_database(read_settings(project), work)
    if as_json:
        say_json([{"id": r.id, "name": r.name, "type": r.type, "users": users[r.type]} for r in found])
        return
    say_table(("id", "type", "name", "users"), ((r.id, r.type, r.name, users[r.type]) for r in found), "No roles.")


@roles.command(epilog="Example: octavo roles create Editor --description 'Editors of the site'")
@click.argument("name")
@click.option("--description", default="", help="Description.")
@project_option
def create(name: str, description: str, project: Path) -> None:
    """Create a role without permissions."""
    body = {"name": name, "description": description}
    _administer(project, lambda administration, _: administration.create(body, SYSTEM))
    say("Created the role [bold]{}[/]. Add permissions with `octavo permissions grant`.", name)


@roles.command(epilog="Example: octavo roles delete editor")
@click.argument("role")
@project_option
def delete(role: str, project: Path) -> None:
    """Delete a role, by type or name. Its users get the public role."""

    async def work(administration: RoleManagement, database: Database) -> None:
        await administration.delete(await find_role(database, role))

    _administer(project, work)
    say("Deleted the role [bold]{}[/].", role)
