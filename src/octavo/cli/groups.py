"""Groups of commands that know the names and one-line helps of their commands, and load a command when it is called."""

import importlib
from collections.abc import Mapping
from typing import Any

import click


class LazyGroup(click.Group):
    """A group whose commands are rows: name -> where it is (`module:attribute`) and its help in one line."""

    def __init__(self, name: str, *, commands: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(name, **options)
        self._rows = commands

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._rows:
            return None
        module, _, attribute = self._rows[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._rows.items()])
