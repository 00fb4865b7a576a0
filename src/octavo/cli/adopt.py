"""`octavo adopt`: report whether Octavo can serve a Strapi v4 project, and what remains to do."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, is_dataclass, replace
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from octavo.cli.base import Command, json_option, refuse, say, say_json
from octavo.cli.rehearsal import run_rehearsal
from octavo.settings.keys import camel
from octavo.settings.package_json import find_v4_project
from octavo.v4.adoption.drafts.files import write_drafts
from octavo.v4.adoption.examine import examine
from octavo.v4.adoption.markdown import to_markdown
from octavo.v4.adoption.report import DraftItem, Report
from octavo.v4.adoption.sections import Section, sections

_MOST_ROWS: Final = 12
_WIDEST: Final = 120


@click.command(cls=Command, epilog="Example: octavo adopt site --markdown ADOPTION.md")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path), default=".")
@click.option("--markdown", type=click.Path(dir_okay=False, path_type=Path), help="Write the whole report to a file.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@click.option(
    "--drafts",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write Python drafts of the project's JavaScript to a folder. Existing files stay.",
)
@click.option(
    "--rehearse",
    is_flag=True,
    help="Rehearse the switch to Octavo and back to v4: run v4 and Octavo on a copy of the project and its database.",
)
@click.option(
    "--v4-command",
    default="npm run start",
    show_default=True,
    metavar="COMMAND",
    help="With --rehearse: the command that starts v4 in the project's folder.",
)
@click.option(
    "--start-timeout",
    type=click.FloatRange(1, 3_600),
    default=300.0,
    show_default=True,
    help="With --rehearse: seconds for each start.",
)
@json_option
def adopt(
    folder: Path,
    markdown: Path | None,
    force: bool,
    drafts: Path | None,
    rehearse: bool,
    v4_command: str,
    start_timeout: float,
    as_json: bool,
) -> None:
    """Report whether a Strapi v4 project can start, and list closed endpoints and open tasks.

    It checks settings, definitions, code, plugins and the database. It runs no code and changes nothing, except
    that `--drafts` writes files. `--rehearse` runs v4 and Octavo on a copy instead, and reports whether v4 can open
    the database again; the exit code is 1 if it cannot.
    """
    if markdown is not None and markdown.exists() and not force:
        refuse(f"{markdown} already exists; --force replaces it")
    try:
        v4 = find_v4_project(folder)
    except ValueError as error:
        refuse(f"package.json {error}")
    if v4 is None:
        refuse(f"{folder} is not a Strapi v4 project: its package.json does not require @strapi/strapi 4")
    if rehearse:
        run_rehearsal(folder, v4_command, start_timeout, as_json=as_json)
        return
    report = examine(folder, os.environ)
    if drafts is not None:
        report = replace(report, drafts=_drafted(folder, drafts))
    if markdown is not None:
        markdown.write_text(to_markdown(report), encoding="utf-8")
    if as_json:
        say_json(to_json(report))
        return
    show(report)
    if markdown is not None:
        say("\nWritten to [bold]{}[/].", markdown)


def _drafted(project: Path, folder: Path) -> tuple[DraftItem, ...]:
    try:
        return write_drafts(project, folder)
    except OSError as error:
        refuse(f"{folder} cannot be written: {error.strerror}")


def to_json(value: Any) -> Any:
    """Return the report as JSON, with camel-cased keys as in API responses."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):  # the keys of a setting's value are the user's
        return {camel(name): item if name == "value" else to_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value


def show(report: Report) -> None:
    """Print the report, with only the first rows of long lists."""
    console = Console(highlight=False)
    if not console.is_terminal or console.width > _WIDEST:
        console = Console(highlight=False, width=_WIDEST)
    with console.capture() as captured:
        console.print(Text.assemble(("Adopting ", "dim"), (report.project, "bold")))
        for section in sections(report):
            if not section.is_detail:
                console.print(*_printed(section), sep="\n", end="\n")
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _printed(section: Section) -> Iterator[Text | Table | Padding]:
    yield Text.assemble("\n", (section.title, "bold"))
    yield from (_indented(line, 2) for line in section.lead)
    shown = section.rows[:_MOST_ROWS]
    if section.is_table:
        yield _table(section, shown)
    else:
        for *names, text in shown:
            yield _indented(_titled(names), 2)
            yield _indented(text, 6)
    if len(section.rows) > _MOST_ROWS:
        yield _indented(f"and {len(section.rows) - _MOST_ROWS} more; --markdown FILE writes the full report", 2)
    yield from (_indented(line, 2) for line in section.then)
    if section.code:
        yield _indented(section.code, 4)


def _table(section: Section, rows: Iterable[Sequence[str]]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 2), header_style="dim")
    for column in section.columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_clean(cell)) for cell in row))
    return table


def _titled(names: Sequence[str]) -> Text:
    first, *rest = (_clean(name) for name in names if name)
    return Text.assemble((first, "cyan"), *(f"  {name}" for name in rest))


def _indented(text: str | Text, columns: int) -> Padding:
    return Padding(Text(_clean(text)) if isinstance(text, str) else text, (0, 0, 0, columns), expand=False)


def _clean(text: str) -> str:
    """Replace control characters, which could manipulate a terminal."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)
