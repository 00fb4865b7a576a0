"""Render docs/command-line.md from the commands: `python -m octavo.cli.reference > docs/command-line.md`."""

import inspect
import sys
from collections.abc import Iterator

import click

from octavo.cli import main

_HEAD = """\
# The command line

Generated from the code by `make docs`; do not edit.

A command works on the project in the current folder, or in the one that `--project` or the variable `OCTAVO_PROJECT`
names. The exit code is 0 on success, 1 with a message on stderr on failure, and 2 for wrong arguments. `octavo COMMAND
--help` shows the same text as this page.
"""


def render_reference() -> str:
    """Return the whole page."""
    return "\n".join((_HEAD, *_render_children(main, click.Context(main, info_name="octavo"), 2)))


def _render_children(group: click.Group, context: click.Context, level: int) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from _render(command, click.Context(command, info_name=name, parent=context), level)


def _render(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    yield f"{'#' * level} {context.command_path}\n"
    yield f"{inspect.cleandoc(command.help or '')}\n"
    if isinstance(command, click.Group):
        yield from _render_children(command, context, level + 1)
        return
    yield f"```sh\n{' '.join((context.command_path, *command.collect_usage_pieces(context)))}\n```\n"
    yield from _render_options(command, context)
    if command.epilog:
        yield f"{_as_code(command.epilog)}\n"


def _render_options(command: click.Command, context: click.Context) -> Iterator[str]:
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    rows = [record for record in (option.get_help_record(context) for option in options) if record is not None]
    if rows:
        yield "| Option | What it does |"
        yield "|---|---|"
        yield from (f"| `{_cell(names)}` | {_cell(text)} |" for names, text in rows)
        yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("  [", " [")


def _as_code(epilog: str) -> str:
    """Format the command of an epilog such as `Example: octavo version` as code."""
    title, _, example = epilog.partition(": ")
    return f"{title}: `{example}`"


if __name__ == "__main__":
    sys.stdout.write(render_reference())
