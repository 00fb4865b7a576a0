"""Commands that installed packages add by entry points. Scans all packages, so only for names that are not built in."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points

import click

from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class AddedCommand:
    """A command of an installed package."""

    entry: EntryPoint

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
    """Return the commands of a group of entry points, by name."""
    return {entry.name: AddedCommand(entry) for entry in entry_points(group=group)}
