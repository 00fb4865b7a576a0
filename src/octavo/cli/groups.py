"""Command groups that load a command on call, with renamed commands and those of installed packages."""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from octavo.core.errors import MissingExtra, is_missing_parser
from octavo.core.text_limits import close_match

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
from typing import Final

from octavo.core.values import dataclass

FORMER_COMMANDS: Final[Mapping[str, str]] = {
    "db advise": "db suggest-indexes",
    "db migration": "generate migration",
    "jobs dead": "jobs list --failed",
    "locales default": "locales set-default",
}
"""Commands, without `octavo`, by their former names."""

FORMER_OPTIONS: Final[Mapping[str, str]] = {
    "db totals --keep": "--enable",
    "db totals --remove": "--disable",
}
"""Options by command and former name."""


@dataclass(frozen=True, slots=True)
class AddedCommand:
    """A command of an installed package."""

    entry: "EntryPoint"

    @property
    def distribution(self) -> str:
        """The package's name, for display."""
        return self.entry.dist.name if self.entry.dist is not None else "a package"

    def load(self) -> click.Command:
        """Import the command. Raises ClickException if that fails."""
        name, value = self.entry.name, self.entry.value
        try:
            command = self.entry.load()
        except Exception as error:  # importing a package can raise anything
            raise click.ClickException(f"{name}, of {self.distribution}: {type(error).__name__}: {error}") from error
        if not isinstance(command, click.Command):
            raise click.ClickException(f"{name}, of {self.distribution}: {value} is not a click command")
        return command


def added_commands(group: str) -> Mapping[str, AddedCommand]:
    """Return the commands of a group of entry points, by name. Scans all packages."""
    from importlib.metadata import entry_points

    return {entry.name: AddedCommand(entry) for entry in entry_points(group=group)}


def command_path(ctx: click.Context) -> str:
    """Return the names of a context's commands, without the program's."""
    names: list[str] = []
    while ctx.parent is not None:
        names.insert(0, ctx.info_name or "")
        ctx = ctx.parent
    return " ".join(names)


def check_command(group: click.Group, ctx: click.Context, name: str) -> None:
    """Fail for an unknown command, with the new name of a former one or the most similar name."""
    if name.startswith("-") or group.get_command(ctx, name) is not None:
        return
    new = FORMER_COMMANDS.get(f"{command_path(ctx)} {name}".strip())
    if new is not None:
        ctx.fail(f"No such command {name!r}. It was renamed to `octavo {new}`.")
    near = close_match(name, group.list_commands(ctx))
    ctx.fail(f"No such command {name!r}." + (f" Did you mean {near!r}?" if near else ""))


class LazyGroup(click.Group):
    """A group whose commands are rows: name -> location (`module:attribute`) and short help.

    `plugins`: the group of entry points through which installed packages add commands.
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
            return None if added is None else added.load()
        module, _, attribute = self._rows[cmd_name][0].partition(":")
        try:
            command = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            if is_missing_parser(error):
                raise click.ClickException(str(MissingExtra())) from None
            raise
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        check_command(self, ctx, args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._rows.items()])
        added = self._added()
        if added:
            with formatter.section("Commands of plugins"):
                formatter.write_dl([(name, f"from {added[name].distribution}") for name in sorted(added)])

    def _added(self) -> Mapping[str, AddedCommand]:
        """Return the commands of installed packages. They cannot replace built-in commands."""
        if not self._plugins:
            return {}
        return {name: added for name, added in added_commands(self._plugins).items() if name not in self._rows}
