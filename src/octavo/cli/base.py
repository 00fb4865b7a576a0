"""Shared parts of commands: project, database, options, output for users and scripts, short error messages."""

import asyncio
import getpass
import json
import logging
import os
import platform
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, NoReturn, TypeVar

import click

from octavo.access.authorization.actions import actions_of
from octavo.accounts.administrators.audit import TABLE as AUDIT
from octavo.accounts.administrators.audit import Audit
from octavo.cli.groups import FORMER_OPTIONS, check_command, command_path
from octavo.core.errors import OctavoError, ServiceUnavailable
from octavo.core.outage_log import reason_of
from octavo.core.plurals import counted
from octavo.core.text_limits import close_match
from octavo.database.connection import Database
from octavo.database.unit_of_work import with_keeper
from octavo.events import origin
from octavo.events.outbox import Outbox
from octavo.operations.backups.store import BackupFailed
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import (
    migrations_folder,
    open_project_database,
    open_purges,
    purging_tables,
)
from octavo.operations.runtime.options import audit_options
from octavo.operations.runtime.prepare_database import StartFailed, prepare_database
from octavo.operations.transfer.problems import SeedError, TransferError
from octavo.project import InvalidCode
from octavo.project.plugins import plugins_in_use
from octavo.query.sql.ddl.tables import SystemTable
from octavo.schema.problems import InvalidDefinitions
from octavo.settings import Settings, SettingsError, load_settings

_ALIASES: Final = {
    "--action": ("--allow", "ACTIONS"),
    "--actions": ("--allow", "ACTIONS"),
    "--permission": ("--allow", "ACTIONS"),
    "--permissions": ("--allow", "ACTIONS"),
    "--grant": ("--allow",),
    "--expires": ("--days",),
    "--lifespan": ("--days",),
    "--dir": ("--project", "--folder"),
    "--directory": ("--project", "--folder"),
    "--out": ("--output", "--file"),
    "--output": ("--file",),
    "--confirm": ("--yes", "--force"),
    "--yes": ("--force",),
    "--address": ("--url", "--host"),
    "--token": ("--key",),
}
"""Option names from other tools or from messages, and the options they suggest."""


def suggested(option: str, command: click.Command) -> str | None:
    """Return the option or the argument of a command that an unknown option is likely to mean."""
    options = [
        name for one in command.params if isinstance(one, click.Option) for name in (*one.opts, *one.secondary_opts)
    ]
    arguments = [str(one.human_readable_name) for one in command.params if isinstance(one, click.Argument)]
    own = option.removeprefix("--").replace("-", "_").upper()
    by_name = next((one for one in arguments if own in (one, one.removesuffix("S"))), None)
    return _first((*_ALIASES.get(option, ()),), (*options, *arguments)) or by_name or close_match(option, options)


def _first(wanted: Iterable[str], known: Iterable[str]) -> str | None:
    there = set(known)
    return next((one for one in wanted if one in there), None)


def refuse_option(error: click.NoSuchOption, command: click.Command, ctx: click.Context) -> click.UsageError:
    """Return the error for an unknown option, with a suggestion."""
    option = error.option_name
    new = FORMER_OPTIONS.get(f"{command_path(ctx)} {option}")
    if new is not None:
        return click.UsageError(f"No such option {option}. It was renamed to {new}.", ctx)
    near = suggested(option, command)
    text = f"No such option {option}."
    if near is None:
        return click.UsageError(text, ctx)
    if near.startswith("-"):
        return click.UsageError(f"{text} Did you mean {near}?", ctx)
    return click.UsageError(f"{text} {near} is an argument: give it without an option.", ctx)


_START_WARNINGS: Final = (
    "octavo.core.mail.templates",
    "octavo.operations.runtime.site",
    "octavo.operations.runtime.definitions",
    "octavo.operations.runtime.field_guards",
    "octavo.operations.runtime.static_files",
    "octavo.operations.runtime.open_mailer",
    "octavo.operations.runtime.open_storage",
    "octavo.v4.closed_operations",
    "octavo.operations.runtime.settings_remarks",
)
"""Loggers with start warnings about a project. `octavo config check` shows the same warnings."""


@contextmanager
def without_start_warnings() -> Iterator[None]:
    """Suppress start warnings."""
    loggers = [logging.getLogger(name) for name in _START_WARNINGS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


ResultT = TypeVar("ResultT")

_STYLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "bold": {"bold": True},
    "dim": {"dim": True},
    "cyan": {"fg": "cyan"},
    "red": {"fg": "red"},
    "yellow": {"fg": "yellow"},
}
_STYLE: Final = re.compile(rf"\[(?:({'|'.join(_STYLES)})|/)\]")
_WHOLE = 1_000
"""Maximum length of a summary in characters: long ones are wrapped, not truncated."""

project_option = click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    default=".",
    envvar="OCTAVO_PROJECT",
    help="Folder of the project; defaults to the current one.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class Refused(click.ClickException):
    """The command cannot do what was requested. Shows a short message, exit code 1."""

    def show(self, file: Any = None) -> None:
        print_line(click.style("Error: ", "red", bold=True) + self.message, err=True)


class Command(click.Command):
    """A command that reports errors without a traceback."""

    serves = False
    """Whether the command starts a service and so logs start warnings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise refuse_option(error, self, ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with nullcontext() if self.serves else without_start_warnings(), _named_for_audit(self, ctx):
                return super().invoke(ctx)
        except SettingsError as error:
            raise Refused(_listed("the settings", error.problems)) from error
        except (InvalidDefinitions, InvalidCode) as error:
            raise Refused(str(error)) from error
        except ServiceUnavailable as error:
            raise Refused(f"The database cannot be reached: {reason_of(error)}") from error
        except BrokenPipeError:
            raise
        except (StartFailed, SeedError, TransferError, BackupFailed, OctavoError, OSError) as error:
            raise Refused(str(error)) from error


@contextmanager
def _named_for_audit(command: Command, ctx: click.Context) -> Iterator[None]:
    """Name the command and the system's user in the audit log, unless it serves."""
    if command.serves:
        yield
        return
    origin.COMMAND.text = f"{ctx.command_path} by {_system_user()} on {platform.node()}"
    try:
        yield
    finally:
        origin.COMMAND.text = ""


def _system_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as in containers
        return str(os.getuid())


class ServingCommand(Command):
    """A command that starts a service."""

    serves = True


class Group(click.Group):
    """A group of such commands."""

    command_class = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        check_command(self, ctx, args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, one.get_short_help_str(_WHOLE)) for name, one in commands if one is not None and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _listed(where: str, problems: Iterable[object]) -> str:
    lines = [f"  {problem}" for problem in problems]
    return "\n".join([f"{counted(len(lines), 'problem')} in {where}:", *lines])


def refuse(message: str) -> NoReturn:
    """End the command with an error message."""
    raise Refused(message)


def read_settings(project: Path) -> Settings:
    """Return the settings, for commands that do not serve and so do not require secrets."""
    check_project(project)
    return load_settings(project, os.environ, require_secrets=False)


def with_secrets(settings: Settings) -> Settings:
    """Return the settings with random values for missing secrets, for a service that is built but not started."""
    given, made = settings.secrets, token_hex()
    filled = replace(
        given,
        jwt_secret=given.jwt_secret or made,
        api_token_salt=given.api_token_salt or made,
        admin_jwt_secret=given.admin_jwt_secret or made,
    )
    return replace(settings, secrets=filled)


def check_project(project: Path) -> None:
    """Raise Refused if a folder is not a project."""
    if not any((project / name).is_dir() for name in ("src", "config")):
        refuse(f"{project} is not a project: it has neither src/ nor config/. Create one with `octavo new NAME`.")


def with_database(
    settings: Settings,
    work: Callable[[Database], Awaitable[ResultT]],
    own: Sequence[SystemTable] = (),
    *,
    hooked: bool = False,
) -> ResultT:
    """Run an operation on the project's database, after preparing it and the required own tables as a start does.

    `hooked`: the operation writes, so run the project's hooks and purge CDNs and reverse proxies.
    """
    if hooked and _has_code(settings):
        from octavo.cli.hooked import with_hooked_database  # loads the whole service

        return asyncio.run(with_hooked_database(settings, work))
    tables = (*own, *purging_tables(settings)) if hooked else own
    tables = tuple(dict.fromkeys((*tables, AUDIT)))

    async def run() -> ResultT:
        database = open_project_database(settings)
        locale = settings.plugins.i18n.config.default_locale
        registry, folder, update = (
            project_registry(settings),
            migrations_folder(settings),
            settings.database.update_tables,
        )
        await prepare_database(database, registry, locale, tables, folder, update_tables=update)
        purges = open_purges(settings, database, Outbox(database))
        try:
            audit = Audit(database, audit_options(settings))
            with with_keeper(purges.keep) if hooked else nullcontext(), with_keeper(audit.write_changes):
                return await work(database)
        finally:
            await database.close()

    return asyncio.run(run())


def chosen_actions(settings: Settings, patterns: Iterable[str]) -> tuple[str, ...]:
    """Return the actions that match patterns, of content types and of custom routes. Raises ApplicationError."""
    own: tuple[str, ...] = ()
    if _has_code(settings):
        from octavo.cli.hooked import own_actions  # loads the whole service

        own = own_actions(with_secrets(settings))
    return actions_of(patterns, project_registry(settings), own)


def _has_code(settings: Settings) -> bool:
    return any((settings.project / "src").glob("**/*.py")) or bool(plugins_in_use(settings.plugins.others))


def say(template: str, *values: object) -> None:
    """Print for users: `[bold]{}[/]` prints the next value in bold. Values are printed unchanged."""
    print_line(_STYLE.sub(_ansi, template).format(*values))


def styled(template: str, *values: object) -> str:
    """Return the text that `say` prints to standard output."""
    text = _STYLE.sub(_ansi, template).format(*values)
    plain = _is_plain() or sys.stdout is None or not sys.stdout.isatty()
    return click.unstyle(text) if plain else text


def warn(message: str) -> None:
    """Print a warning to standard error."""
    print_line(click.style("Warning: ", "yellow", bold=True) + message, err=True)


def print_line(text: str, *, err: bool = False) -> None:
    """Print a line, with styles if the terminal supports them and `NO_COLOR` is not set."""
    click.echo(text, err=err, color=False if _is_plain() else None)


def _is_plain() -> bool:
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") in ("dumb", "unknown")


def _ansi(style: re.Match[str]) -> str:
    return click.style("", **_STYLES.get(style[1] or "", {}), reset=not style[1])


def say_json(value: Any) -> None:
    """Print JSON for scripts."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def say_table(columns: Iterable[str], rows: Iterable[Iterable[object]], empty: str = "") -> None:
    """Print rows below their headings, or `empty` if there are none. Cells in a pipe are not truncated."""
    from octavo.cli.terminal import print_table

    rows = list(rows)
    if empty and not rows:
        say("{}", empty)
    else:
        print_table(columns, rows)
