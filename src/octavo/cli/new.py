"""`octavo new`."""

import shlex
from pathlib import Path

import click

from octavo.cli.base import Command, say
from octavo.operations.transfer.scaffold import make_project


@click.command(cls=Command, epilog="Example: octavo new magazine")
@click.argument("name", type=click.Path(file_okay=False, path_type=Path))
@click.option("--blank", is_flag=True, help="Create the project without sample content.")
def new(name: Path, blank: bool) -> None:
    """Create a project in a new folder, with sample content and new secrets."""
    make_project(name.resolve(), blank=blank)
    say("Created [bold]{}[/]. Next:\n", name)
    say("  cd {}\n  octavo develop{}\n", shlex.quote(str(name)), "" if blank else " --seed")
    if blank:
        say("Create content types with octavo generate content-type or on the admin pages at /admin.")
