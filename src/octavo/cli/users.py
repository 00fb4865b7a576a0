"""`octavo users`: administer the users of the content API."""

import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import click
import orjson

from octavo.access.authentication import user_token_versions
from octavo.access.authorization.actor import SYSTEM
from octavo.access.authorization.role_grants import find_role
from octavo.accounts.users import sessions as user_sessions
from octavo.accounts.users.user_management import UserManagement
from octavo.accounts.users.user_rows import AccountRows, find_user, list_users
from octavo.cli.base import (
    Group,
    json_option,
    project_option,
    read_settings,
    say,
    say_json,
    say_table,
    warn,
    with_database,
)
from octavo.content.reader import EntryReader
from octavo.content.writer import EntryWriter
from octavo.database.connection import Database
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.infrastructure import open_account_guard
from octavo.operations.runtime.options import renews

Work = Callable[[UserManagement, Database], Awaitable[Any]]
_VARIABLE: Final = "OCTAVO_USER_PASSWORD"
_password_option = click.option(
    "--password", metavar="TEXT", help="The password. Other users of the machine can see it: prefer the options above."
)


stdin_option = click.option("--password-stdin", is_flag=True, help="Read the password from the standard input.")


def read_password(variable: str, *, from_stdin: bool) -> str:
    """Return the first line of standard input if `from_stdin`, else the variable's value, else prompt."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    return os.environ.get(variable) or str(click.prompt("Password", hide_input=True, confirmation_prompt=True))


@click.group(cls=Group)
def users() -> None:
    """Create, list, change and delete users.

    USER is a name or email address. A running service sees changes within a second. Commands prompt for a password
    unless you use --password-stdin or the variable OCTAVO_USER_PASSWORD.
    """


def _password(given: str | None, from_stdin: bool) -> str:
    if given is None:
        return read_password(_VARIABLE, from_stdin=from_stdin)
    warn(
        "other users of this machine can see --password, and the shell may keep it; --password-stdin or "
        f"{_VARIABLE} hides it"
    )
    return given


def _administer(project: Path, work: Work) -> Any:
    """Run an operation on users, with the same rules as the service."""
    settings = read_settings(project)
    registry = project_registry(settings)

    async def run(database: Database) -> Any:
        reader = EntryReader(database, registry)
        writer = EntryWriter(database, registry, accounts=open_account_guard(settings, database.dialect))
        return await work(UserManagement(reader, writer, AccountRows(reader)), database)

    tables = (user_token_versions.TABLE, *((user_sessions.TABLE,) if renews(settings) else ()))
    return with_database(settings, run, tables, hooked=True)


def _change(project: Path, user: str, body: dict[str, Any]) -> None:
    async def work(administration: UserManagement, database: Database) -> None:
        await administration.update(await find_user(database, database.dialect, user), body, SYSTEM)

    _administer(project, work)


@users.command(name="list", epilog="Example: octavo users list --json")
@project_option
@json_option
def list_all(project: Path, as_json: bool) -> None:
    """Show the users."""
    found = with_database(read_settings(project), list_users)
    if as_json:
        say_json([asdict(user) for user in found])
        return
    columns = ("id", "username", "email", "role", "confirmed", "blocked")
    say_table(
        columns,
        ((u.id, u.username, u.email, u.role, _yes_or_no(u.confirmed), _yes_or_no(u.blocked)) for u in found),
        "No users.",
    )


def _yes_or_no(flag: bool) -> str:
    return "yes" if flag else "no"


@users.command(epilog="Example: octavo users create ann ann@example.org --role authenticated")
@click.argument("username")
@click.argument("email")
@stdin_option
@_password_option
@click.option("--role", default="authenticated", show_default=True, help="Type or name of the role.")
@project_option
@json_option
def create(
    username: str, email: str, password: str | None, password_stdin: bool, role: str, project: Path, as_json: bool
) -> None:
    """Create a user with a confirmed email address. Prompts for the password unless you use --password-stdin or the
    variable OCTAVO_USER_PASSWORD."""
    secret = _password(password, password_stdin)

    async def work(administration: UserManagement, database: Database) -> Any:
        role_id = await find_role(database, role)
        body = {"username": username, "email": email, "password": secret, "role": role_id, "confirmed": True}
        return orjson.loads(await administration.create(body, SYSTEM))

    made = _administer(project, work)
    if as_json:
        say_json(made)
    else:
        say("Created the user [bold]{}[/] with the ID {}.", username, made["id"])


@users.command(epilog="Example: octavo users set-role ann editor")
@click.argument("user")
@click.argument("role")
@project_option
def set_role(user: str, role: str, project: Path) -> None:
    """Set a user's role, by type or name."""

    async def work(administration: UserManagement, database: Database) -> None:
        body = {"role": await find_role(database, role)}
        await administration.update(await find_user(database, database.dialect, user), body, SYSTEM)

    _administer(project, work)
    say("[bold]{}[/] now has the role {}.", user, role)


@users.command(epilog="Example: octavo users set-password ann")
@click.argument("user")
@stdin_option
@_password_option
@project_option
def set_password(user: str, password: str | None, password_stdin: bool, project: Path) -> None:
    """Set a user's password.

    Prompts for it unless you use --password-stdin or the variable OCTAVO_USER_PASSWORD.
    """
    _change(project, user, {"password": _password(password, password_stdin)})
    say("Changed the password of [bold]{}[/].", user)


@users.command(epilog="Example: octavo users block mallory")
@click.argument("user")
@project_option
def block(user: str, project: Path) -> None:
    """Block a user immediately."""
    _change(project, user, {"blocked": True})
    say("Blocked [bold]{}[/].", user)


@users.command(epilog="Example: octavo users unblock mallory")
@click.argument("user")
@project_option
def unblock(user: str, project: Path) -> None:
    """Unblock a user."""
    _change(project, user, {"blocked": False})
    say("Unblocked [bold]{}[/].", user)


@users.command(epilog="Example: octavo users delete mallory")
@click.argument("user")
@project_option
def delete(user: str, project: Path) -> None:
    """Delete a user."""

    async def work(administration: UserManagement, database: Database) -> None:
        await administration.delete(await find_user(database, database.dialect, user))

    _administer(project, work)
    say("Deleted the user [bold]{}[/].", user)
