"""`octavo maintenance` and `octavo log-level`: change running services, on all nodes of a database."""

from pathlib import Path

import click

from octavo.accounts.administrators.live_settings import (
    LEVELS,
    MOST_MESSAGE,
    READ_ONLY,
    TABLE,
    LiveSettings,
    Name,
    read_live_settings,
    set_live,
)
from octavo.cli.base import Command, Group, project_option, read_settings, refuse, say, with_database
from octavo.database.connection import Database


@click.group(cls=Group)
def maintenance() -> None:
    """Make all services of the project's database read-only for a while.

    Services follow within a second. Writes receive 503, reads continue, and background work waits. Commands can still
    write.
    """


@maintenance.command(name="on", epilog='Example: octavo maintenance on --message "Back at 6 pm"')
@click.option("--message", default=READ_ONLY, show_default=True, help="Message of the 503 responses.")
@project_option
def switch_on(message: str, project: Path) -> None:
    """Turn maintenance mode on, or change its message."""
    if not 0 < len(message.strip()) <= MOST_MESSAGE:
        refuse(f"--message: expected 1 to {MOST_MESSAGE} characters")
    _change(project, "maintenance", message.strip())
    say("Maintenance mode is on: writes receive 503 within a second.")


@maintenance.command(name="off", epilog="Example: octavo maintenance off")
@project_option
def switch_off(project: Path) -> None:
    """Turn maintenance mode off."""
    _change(project, "maintenance", None)
    say("Maintenance mode is off.")


@maintenance.command(epilog="Example: octavo maintenance show")
@project_option
def show(project: Path) -> None:
    """Show whether maintenance mode is on."""
    values: LiveSettings = with_database(read_settings(project), read_live_settings, (TABLE,))
    if values.maintenance is None:
        say("Maintenance mode is off.")
    else:
        say("Maintenance mode is on: {}", values.maintenance)


@click.command(cls=Command, epilog="Example: octavo log-level debug")
@click.argument("level", type=click.Choice((*LEVELS, "reset")))
@project_option
def log_level(level: str, project: Path) -> None:
    """Set the log level of all running services, or reset it to that of the settings.

    Services follow within a second and keep the level after restarts. Levels of single loggers in the settings stay.
    """
    _change(project, "logLevel", None if level == "reset" else level)
    say("The log level is that of the settings." if level == "reset" else "The log level is {}.", level)


def _change(project: Path, name: Name, value: str | None) -> None:
    async def work(database: Database) -> None:
        await set_live(database, {name: value})

    with_database(read_settings(project), work, (TABLE,))
