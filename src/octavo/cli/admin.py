"""`octavo admin`: administrators. Passwords are never arguments: these would stay in the shell history."""

from pathlib import Path

import click

from octavo.access.authentication import admin_sessions
from octavo.accounts.administrators.provisioning import NewAdministrator, create_administrator, reset_password
from octavo.accounts.administrators.rows import Administrator, AdminRole, list_administrators, roles_of
from octavo.cli.base import Group, json_option, project_option, read_settings, say, say_json, say_table, with_database
from octavo.cli.users import read_password, stdin_option
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.settings.package_json import find_v4_project
from octavo.v4.adoption.panel import check_panel

_VARIABLE = "OCTAVO_ADMIN_PASSWORD"

_TABLES = (admin_sessions.TABLE, admin_sessions.PASSWORDS)
"""Octavo's own tables that changes of administrators affect."""


@click.group(cls=Group)
def admin() -> None:
    """Create and list administrators, reset passwords.

    Commands prompt for a password unless you use --password-stdin or the variable OCTAVO_ADMIN_PASSWORD.
    """


@admin.command(epilog="Example: octavo admin create-user ann@example.org --firstname Ann")
@click.argument("email")
@click.option("--firstname", default="", help="First name; defaults to the email address up to the @.")
@click.option("--lastname", default="", help="Last name.")
@click.option("--role", default="super-admin", show_default=True, help="Code or name of the role.")
@stdin_option
@project_option
@json_option
def create_user(
    email: str, firstname: str, lastname: str, role: str, password_stdin: bool, project: Path, as_json: bool
) -> None:
    """Create an administrator."""
    new = NewAdministrator(email, read_password(_VARIABLE, from_stdin=password_stdin), firstname, lastname, role)
    made = with_database(
        read_settings(project), lambda database: create_administrator(database, new), _TABLES, hooked=True
    )
    if as_json:
        say_json({"id": made, "email": email.strip().lower(), "role": role})
    else:
        say("Created the administrator [bold]{}[/] with the ID {}.", email, made)


@admin.command(name="reset-password", epilog="Example: octavo admin reset-password ann@example.org")
@click.argument("email")
@stdin_option
@project_option
@json_option
def set_password(email: str, password_stdin: bool, project: Path, as_json: bool) -> None:
    """Reset an administrator's password. Existing sessions end within a second."""
    password = read_password(_VARIABLE, from_stdin=password_stdin)
    settings = read_settings(project)
    with_database(settings, lambda database: reset_password(database, email, password), _TABLES, hooked=True)
    if as_json:
        say_json({"email": email.strip().lower()})
    else:
        say("Changed the password of [bold]{}[/].", email)


@dataclass(frozen=True, slots=True)
class _Listed:
    administrator: Administrator
    roles: tuple[AdminRole, ...]


async def _read_all(database: Database) -> list[_Listed]:
    dialect = database.dialect
    return [
        _Listed(administrator, await roles_of(database, dialect, administrator.id))
        for administrator in await list_administrators(database, dialect)
    ]


@admin.command(name="list", epilog="Example: octavo admin list --json")
@project_option
@json_option
def list_all(project: Path, as_json: bool) -> None:
    """Show the administrators."""
    administrators = with_database(read_settings(project), _read_all)
    if as_json:
        say_json([_as_json(one) for one in administrators])
        return
    columns = ("id", "email", "first name", "last name", "roles", "active", "blocked")
    say_table(
        columns,
        (_as_row(one) for one in administrators),
        "No administrators. Create one with octavo admin create-user.",
    )


def _as_json(listed: _Listed) -> dict[str, object]:
    one = listed.administrator
    return {
        "id": one.id,
        "email": one.email,
        "firstname": one.firstname,
        "lastname": one.lastname,
        "roles": [role.code for role in listed.roles],
        "active": one.active,
        "blocked": one.blocked,
    }


def _as_row(listed: _Listed) -> tuple[object, ...]:
    one = listed.administrator
    roles = ", ".join(role.name for role in listed.roles)
    return (one.id, one.email, one.firstname, one.lastname, roles, *map(_yes, (one.active, one.blocked)))


def _yes(value: bool) -> str:
    return "yes" if value else "no"


@admin.group(cls=Group)
def panel() -> None:
    """Check the v4 panel that a project has built.

    Octavo serves it unchanged.
    """


@panel.command(epilog="Example: octavo admin panel check")
@project_option
@json_option
def check(project: Path, as_json: bool) -> None:
    """Report whether the panel can be served, and what is missing."""
    settings = read_settings(project)
    v4 = find_v4_project(settings.project)
    problems = check_panel(settings, dict(v4.packages) if v4 else {})
    if as_json:
        folder = None if problems.folder is None else str(problems.folder)
        say_json(
            {"folder": folder, "path": settings.admin.path, "problems": problems.problems, "notes": problems.notes}
        )
    else:
        for problem in problems.problems:
            say("[red]{}[/]", problem)
        for note in problems.notes:
            say("{}", note)
        if problems.is_sound:
            say("The panel in [bold]{}[/] is served at [bold]{}[/].", problems.folder, settings.admin.path)
    if not problems.is_sound:
        raise SystemExit(1)
