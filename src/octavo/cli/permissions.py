"""`octavo permissions`: the permissions of user roles."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

import click

from octavo.access.authorization.role_grants import Role, grant, list_grants, revoke
from octavo.cli.base import (
    Group,
    chosen_actions,
    json_option,
    project_option,
    read_settings,
    refuse,
    say,
    say_json,
    say_table,
    with_database,
)
from octavo.database.connection import Database


@click.group(cls=Group)
def permissions() -> None:
    """Show and change the permissions of roles.

    ROLE is a type or name (`public`, `authenticated`). ACTIONS are actions or patterns:
    `api::article.article.find`, 'api::article.article.*', 'api::*.find*'. A running service sees changes within a
    second.
    """


@permissions.command(name="list", epilog="Example: octavo permissions list public")
@click.argument("role", required=False)
@click.option("--role", "named", help="The same as ROLE.")
@project_option
@json_option
def list_all(role: str | None, named: str | None, project: Path, as_json: bool) -> None:
    """Show the permissions of all roles, or of one."""
    if None not in (role, named) and role != named:
        raise click.UsageError(f"Expected one role: ROLE is {role}, --role is {named}")
    role = role or named
    roles = with_database(read_settings(project), list_grants)
    chosen = [found for found in roles if role in (None, found.type, found.name)]
    if not chosen and role is not None:
        refuse(f"Unknown role {role!r}; the roles are {', '.join(found.type for found in roles)}")
    if as_json:
        say_json([{"id": r.id, "name": r.name, "type": r.type, "actions": r.actions} for r in chosen])
        return
    say_table(("role", "action"), ((found.type, action) for found in chosen for action in found.actions or ("",)))


@permissions.command(name="grant", epilog="Example: octavo permissions grant public 'api::article.article.find*'")
@click.argument("role")
@click.argument("actions", nargs=-1, required=True)
@project_option
def grant_actions(role: str, actions: tuple[str, ...], project: Path) -> None:
    """Grant actions to a role."""
    settings = read_settings(project)
    wanted = chosen_actions(settings, actions)
    _print_actions(
        "Granted to", role, with_database(settings, lambda database: grant(database, role, wanted), hooked=True)
    )


@permissions.command(name="revoke", epilog="Example: octavo permissions revoke public 'api::article.article.*'")
@click.argument("role")
@click.argument("actions", nargs=-1, required=True)
@project_option
def revoke_actions(role: str, actions: tuple[str, ...], project: Path) -> None:
    """Revoke actions from a role. Patterns match the role's actions."""

    async def work(database: Database) -> tuple[str, ...]:
        return await revoke(database, role, _granted(await list_grants(database), role, actions))

    _print_actions("Revoked from", role, with_database(read_settings(project), work, hooked=True))


def _granted(roles: Iterable[Role], role: str, patterns: Iterable[str]) -> list[str]:
    granted = [action for found in roles if role in (found.type, found.name) for action in found.actions]
    return [action for action in granted if any(fnmatchcase(action, pattern) for pattern in patterns)]


def _print_actions(what: str, role: str, actions: tuple[str, ...]) -> None:
    if not actions:
        say("Nothing to change.")
        return
    say("{} [bold]{}[/]:", what, role)
    for action in actions:
        say("  {}", action)
