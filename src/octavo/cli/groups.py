"""Groups of commands that know the names and one-line helps of their commands, and load a command when it is called."""

import importlib
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click


class LazyGroup(click.Group):
    """A group whose commands are rows: name -> where it is (`module:attribute`) and its help in one line.

    `plugins`: the group of entry points whose commands installed packages add.
    """

    def __init__(
        self, name: str, *, commands: Mapping[str, tuple[str, str]], plugins: str = "", **options: Any
    ) -> None:
        super().__init__(name, **options)
        self._rows = commands
        self._plugins = plugins

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._rows, *sorted(self._added())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._rows:
            added = self._added().get(cmd_name)
            return None if added is None else _command_of(added)
        module, _, attribute = self._rows[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._rows.items()])
        added = self._added()
        if added:
            with formatter.section("Commands of plugins"):
                formatter.write_dl([(name, f"from {_distribution(added[name])}") for name in sorted(added)])

    def _added(self) -> dict[str, EntryPoint]:
        """The commands of installed packages; none takes the name of one of ours."""
        found = entry_points(group=self._plugins) if self._plugins else ()
        return {entry.name: entry for entry in found if entry.name not in self._rows}


def _command_of(entry: EntryPoint) -> click.Command:
    """A command of a package. Raises ClickException where it cannot be loaded."""
    try:
        command = entry.load()
    except Exception as error:  # whatever a package raises when it is imported
        raise click.ClickException(
            f"{entry.name}, of {_distribution(entry)}: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(command, click.Command):
        raise click.ClickException(f"{entry.name}, of {_distribution(entry)}: {entry.value} is no command of click")
    return command


def _distribution(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "a package"
