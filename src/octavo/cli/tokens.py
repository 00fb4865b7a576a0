"""`octavo tokens`: API tokens. A new token is shown only once."""

from datetime import datetime
from pathlib import Path

import click

from octavo.access.authentication.api_token_rows import Token
from octavo.access.authentication.api_tokens import TOKEN_TYPES, create_token, list_tokens, revoke_token
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

_DAY_SECONDS = 24 * 3600


@click.group(cls=Group)
def tokens() -> None:
    """Create, list and revoke API tokens."""


@tokens.command(epilog="Example: octavo tokens create shop --type custom --allow 'api::article.article.find*'")
@click.argument("name")
@click.option(
    "--type",
    "kind",
    type=click.Choice(TOKEN_TYPES),
    default="read-only",
    show_default=True,
    help="Permissions: read, everything, or the actions of --allow.",
)
@click.option("--allow", multiple=True, help="Action or pattern for type custom; can be repeated.")
@click.option("--days", type=click.IntRange(1), help="Lifetime in days; unlimited if not given.")
@click.option("--description", default="", help="Description.")
@project_option
@json_option
def create(
    name: str, kind: str, allow: tuple[str, ...], days: int | None, description: str, project: Path, as_json: bool
) -> None:
    """Create an API token and show it once."""
    settings = read_settings(project)
    salt = settings.secrets.api_token_salt
    if not salt:
        refuse("API_TOKEN_SALT is not set; octavo secrets new --missing adds it to .env")
    if (kind == "custom") != bool(allow):
        raise click.UsageError("a token of --type custom requires --allow, such as --allow 'api::*.*.find*'")
    actions = chosen_actions(settings, allow) if allow else ()
    lifespan = None if days is None else days * _DAY_SECONDS
    token = with_database(
        settings, lambda database: create_token(database, salt, name, kind, actions, lifespan, description), hooked=True
    )
    if as_json:
        say_json({"name": name, "type": kind, "token": token})
    else:
        say("API token [bold]{}[/] ({}). It is not shown again:\n", name, kind)
        click.echo(token)


@tokens.command(name="list", epilog="Example: octavo tokens list --json")
@project_option
@json_option
def list_all(project: Path, as_json: bool) -> None:
    """List the API tokens. Secrets are not stored."""
    found = with_database(read_settings(project), list_tokens)
    if as_json:
        say_json([_described(token) for token in found])
        return
    columns = ("id", "name", "type", "permissions", "last used", "expires", "created")
    say_table(
        columns,
        (
            (t.id, t.name, t.type, "\n".join(t.actions), *map(_plain, (t.last_used_at, t.expires_at, t.created_at)))
            for t in found
        ),
        "No API tokens.",
    )


def _described(token: Token) -> dict[str, object]:
    names = ("id", "name", "description", "type")
    moments = ("last_used_at", "expires_at", "created_at")
    described = {name: getattr(token, name) for name in names} | {"permissions": token.actions}
    return described | {name: _plain(getattr(token, name)) for name in moments}


def _plain(value: object) -> object:
    return value.isoformat(" ", "seconds") if isinstance(value, datetime) else value


@tokens.command(epilog="Example: octavo tokens revoke shop")
@click.argument("name")
@project_option
def revoke(name: str, project: Path) -> None:
    """Revoke an API token immediately."""
    with_database(read_settings(project), lambda database: revoke_token(database, name), hooked=True)
    say("Revoked the API token [bold]{}[/].", name)
