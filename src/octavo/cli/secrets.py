"""`octavo secrets`: check a project's secrets, and rotate them without signing users out."""

import os
from dataclasses import asdict
from math import inf
from pathlib import Path
from secrets import token_urlsafe
from shlex import quote
from typing import Any, Final

import click
import orjson

from octavo.accounts.administrators.audit import ANNOUNCED_SECRET, ROTATED_SECRET, write_command
from octavo.cli.base import (
    Group,
    json_option,
    project_option,
    read_settings,
    refuse,
    say,
    say_json,
    say_table,
    with_database,
)
from octavo.cli.secret_checks import check_secrets, write_env
from octavo.core.clock import wall_time
from octavo.core.errors import OctavoError
from octavo.core.values import dataclass
from octavo.database.connection import Database
from octavo.database.unit_of_work import unit_of_work
from octavo.operations.backups.restoring import replaces_nothing
from octavo.operations.runtime.options import has_long_admin_tokens, renews
from octavo.operations.runtime.prepare_database import StartFailed
from octavo.operations.transfer.scaffold import add_secrets
from octavo.schema.problems import InvalidDefinitions
from octavo.settings import Settings, SettingsError, missing_secrets
from octavo.settings.accepted_keys import AcceptedKey
from octavo.settings.sources import read_env_file
from octavo.settings.values import DURATION

_BYTES: Final = 32
_MARGIN: Final = 86_400
"""Seconds for which an old key stays valid after the last token that it signed."""
_MOST_APP_KEYS: Final = 4


@dataclass(frozen=True, slots=True)
class Rotated:
    """A secret that can be rotated: attributes in `settings.secrets` and the variables that set them."""

    attribute: str
    variable: str
    accepted: str = ""
    accepted_variable: str = ""


ROTATED: Final = {
    "jwt": Rotated("jwt_secret", "JWT_SECRET", "accepted_jwt_secrets", "ACCEPTED_JWT_SECRETS"),
    "admin-jwt": Rotated(
        "admin_jwt_secret", "ADMIN_JWT_SECRET", "accepted_admin_jwt_secrets", "ACCEPTED_ADMIN_JWT_SECRETS"
    ),
    "api-token-salt": Rotated(
        "api_token_salt", "API_TOKEN_SALT", "accepted_api_token_salts", "ACCEPTED_API_TOKEN_SALTS"
    ),
    "transfer-token-salt": Rotated("transfer_token_salt", "TRANSFER_TOKEN_SALT"),
    "app-keys": Rotated("app_keys", "APP_KEYS"),
}


@click.group(cls=Group)
def secrets() -> None:
    """Create, check and rotate secrets without signing users out."""


@secrets.command(epilog="Example: octavo secrets check --strict")
@click.option("--strict", is_flag=True, help="Exit with code 1 for advice as well.")
@project_option
@json_option
def check(strict: bool, project: Path, as_json: bool) -> None:
    """Find secrets that are missing, weak or exposed.

    Also finds secrets from a template, equal secrets, and files that are committed to git or readable by everyone.

    Secrets are never shown. Exits with code 1 if there is a problem.
    """
    problems = check_secrets(read_settings(project))
    if as_json:
        say_json([*map(asdict, problems)])
    elif problems:
        say_table(("", "where", "what"), ((one.level, one.place, one.message) for one in problems))
    else:
        say("No problems with the secrets.")
    if any(strict or one.level == "error" for one in problems):
        raise SystemExit(1)


@secrets.command(epilog="Example: octavo secrets new --missing")
@click.option("--missing", is_flag=True, help="Add missing secrets to the project's .env.")
@project_option
def new(missing: bool, project: Path) -> None:
    """Print a new secret of 32 random bytes.

    When you move a project from another machine or from v4, keep its secrets: existing tokens are invalid with new
    ones.
    """
    if not missing:
        click.echo(token_urlsafe(_BYTES))
        return
    made = add_secrets(project, missing_secrets(read_settings(project)))
    say("Created in .env: [bold]{}[/].", ", ".join(made)) if made else say("No secrets are missing.")


@secrets.command(epilog="Example: octavo secrets rotate jwt --until 30d")
@click.argument("name", type=click.Choice(list(ROTATED)))
@click.option("--next", "announce", is_flag=True, help="Only accept the new secret; the next call starts to use it.")
@click.option("--until", help="How long the old secret is accepted, such as 30d; `never` for no end.")
@click.option("--show", is_flag=True, help="Print the variables for a shell instead of writing them.")
@project_option
def rotate(name: str, announce: bool, until: str | None, show: bool, project: Path) -> None:
    """Replace a secret and accept the old one for a while.

    By default, the old secret is accepted as long as tokens signed with it are valid.

    Both secrets are written to the project's .env if it contains the old one. Restart the service to use them. With
    several nodes: run with --next and restart all, then run without it and restart all.
    """
    settings = read_settings(project)
    row = ROTATED[name]
    current = getattr(settings.secrets, row.attribute)
    if not current:
        refuse(f"{row.variable} is not set, so it cannot be rotated")
    if announce and not row.accepted:
        refuse(f"{row.variable} does not need --next, because it signs nothing here")
    values = _app_keys(current) if name == "app-keys" else _new_values(settings, name, current, announce, until)
    if show:
        for variable, value in values.items():
            click.echo(f"{variable}={quote(value)}")
        return
    names = _names_in_env(settings, row)
    write_env(project, {names[variable]: value for variable, value in values.items()})
    say("Written to .env: [bold]{}[/]. Restart the service to use it.", ", ".join(names[one] for one in values))
    if name == "transfer-token-salt":
        say("Existing transfer tokens no longer work in Strapi v4.")
    _log_rotation(settings, f"{ANNOUNCED_SECRET if announce else ROTATED_SECRET} {name}")


def _log_rotation(settings: Settings, action: str) -> None:
    """Write the audit log, if there is a database and it can be reached."""
    if replaces_nothing(settings):
        return

    async def work(database: Database) -> None:
        async with unit_of_work(database) as unit:
            await write_command(unit.connection, database.dialect, action)

    try:
        with_database(settings, work)
    except (OctavoError, StartFailed, SettingsError, InvalidDefinitions, OSError) as error:
        say("[yellow]The audit log could not be written: {}[/]", str(error).partition("\n")[0])


def _app_keys(current: tuple[str, ...]) -> dict[str, str]:
    """Return the new keys. As in v4, the first one signs and all are accepted."""
    return {"APP_KEYS": ",".join((token_urlsafe(_BYTES), *current[: _MOST_APP_KEYS - 1]))}


def _new_values(settings: Settings, name: str, current: str, announce: bool, until: str | None) -> dict[str, str]:
    """Return the new values of the variables."""
    row, now = ROTATED[name], wall_time()
    if not row.accepted:
        return {row.variable: token_urlsafe(_BYTES)}
    accepted: tuple[AcceptedKey, ...] = getattr(settings.secrets, row.accepted)
    announced = [one for one in accepted if one.is_next]
    kept = [one for one in accepted if not one.is_next and one.until > now]
    if announce:
        if announced:
            refuse(f"{row.accepted_variable} already contains the next secret; run without --next to use it")
        return {row.accepted_variable: _listed([*kept, AcceptedKey(token_urlsafe(_BYTES), is_next=True)])}
    new = announced[0].text if announced else token_urlsafe(_BYTES)
    former = AcceptedKey(current, _end(settings, name, until, now))
    return {row.variable: new, row.accepted_variable: _listed([*kept, former])}


def _end(settings: Settings, name: str, until: str | None, now: float) -> float:
    """Return until when the old secret is accepted. The default is the lifetime of tokens signed with it."""
    if until == "never":
        return inf
    if until is not None:
        try:
            return now + int(DURATION.from_text(until))
        except ValueError:
            refuse(f"--until requires {DURATION.expected}, or never")
    return {"jwt": now + _longest_user_token(settings), "admin-jwt": now + _longest_admin_token(settings)}.get(
        name, inf
    )


def _longest_user_token(settings: Settings) -> int:
    config = settings.plugins.users_permissions.config
    return _MARGIN + (config.sessions.access_token_lifespan if renews(settings) else config.jwt.expires_in)


def _longest_admin_token(settings: Settings) -> int:
    auth = settings.admin.auth
    return _MARGIN + (auth.session_lifespan if has_long_admin_tokens(settings) else auth.access_lifespan)


def _listed(keys: list[AcceptedKey]) -> str:
    """Format keys for the variable: separated by commas, or as JSON if a key contains a comma."""
    texts = [*map(str, keys)]
    plain = not any("," in text for text in texts) and not texts[0].startswith("[")
    return ",".join(texts) if plain else orjson.dumps(texts).decode()


def _names_in_env(settings: Settings, row: Rotated) -> dict[str, str]:
    """Return the names in `.env` of the variables with the old values. New variables keep their default name."""
    places: dict[str, tuple[str, ...]] = {row.variable: _place(row)}
    if row.accepted:
        places[row.accepted_variable] = "secrets", row.accepted
    names: dict[str, Any] = {}
    for variable, place in places.items():
        source = settings.sources.get(place)
        if source is not None and _is_in_env(settings, variable, place):
            source = None  # the v4 project's own configuration reads it from `.env`
        if source is not None and (not source.startswith(".env: ") or source.endswith("_FILE")):
            origin = "the environment" if source == variable else source
            refuse(f"{variable} comes from {origin}, not from .env; use --show to print the new values")
        names[variable] = source.removeprefix(".env: ") if source else variable
    return names


def _is_in_env(settings: Settings, variable: str, place: tuple[str, ...]) -> bool:
    """Return whether the effective value is the one in `.env`, whichever configuration file read it."""
    text = read_env_file(settings.project).get(variable)
    value = getattr(settings.secrets, place[-1])
    return bool(text) and variable not in os.environ and text == (",".join(value) if place[-1] == "app_keys" else value)


def _place(row: Rotated) -> tuple[str, ...]:
    if row.attribute == "jwt_secret":
        return ("plugins", "users_permissions", "config", "jwt_secret")
    return ("secrets", row.attribute)
