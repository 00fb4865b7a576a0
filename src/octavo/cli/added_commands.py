"""Commands that installed packages add, by entry points. Looks into all packages: only for what is none of ours."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points

import click

from octavo.core.values import dataclass


@dataclass(frozen=True, slots=True)
class AddedCommand:
    """A command of a package."""

    entry: EntryPoint

    @property
    def distribution(self) -> str:
        """The package, for people."""
        return self.entry.dist.name if self.entry.dist is not None else "a package"

    def load(self) -> click.Command:
        """Raises ClickException where it cannot be loaded."""
        name, value = self.entry.name, self.entry.value
        try:
            command = self.entry.load()
        except Exception as error:  # whatever a package raises when it is imported
            raise click.ClickException(f"{name}, of {self.distribution}: {type(error).__name__}: {error}") from error
        if not isinstance(command, click.Command):
            raise click.ClickException(f"{name}, of {self.distribution}: {value} is no command of click")
        return command


def added_commands(group: str) -> Mapping[str, AddedCommand]:
    """By name, those of a group of entry points."""
    return {entry.name: AddedCommand(entry) for entry in entry_points(group=group)}
