"""`octavo types`: TypeScript or Python types of a project's content."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from octavo.cli.base import Command, project_option, read_settings, refuse, say
from octavo.modeling.typings.python import render_own_code
from octavo.modeling.typings.typescript import render_front_end
from octavo.operations.runtime.definitions import project_registry
from octavo.schema.registry import Registry
from octavo.v4.schema_typings import render_v4_schemas

_LANGUAGES: Final[dict[tuple[str | None, bool], Callable[[Registry], str]]] = {
    ("python", False): render_own_code,
    ("typescript", False): render_front_end,
    ("typescript", True): render_v4_schemas,
}


@click.command(cls=Command, epilog="Example: octavo types --typescript --output ../site/src/content.ts")
@project_option
@click.option("--typescript", "language", flag_value="typescript", help="For front ends, with a small client.")
@click.option("--python", "language", flag_value="python", help="For the project's own code: src/types.py.")
@click.option("--strapi", is_flag=True, help="With --typescript: the declarations of v4, for @strapi/types.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
@click.option("--check", is_flag=True, help="Write nothing; exit with code 1 if the file of --output is outdated.")
def types(project: Path, language: str | None, strapi: bool, output: Path | None, check: bool) -> None:
    """Write types of the project's content."""
    render = _LANGUAGES.get((language, strapi))
    if render is None:
        raise click.UsageError("--strapi requires --typescript." if strapi else "Pass --typescript or --python.")
    text = render(project_registry(read_settings(project)))
    if check:
        _check(text, output)
    elif output is None:
        click.echo(text, nl=False)
    else:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
        say("Wrote {}", output)


def _check(text: str, output: Path | None) -> None:
    if output is None:
        raise click.UsageError("--check needs --output.")
    if not output.is_file() or output.read_text(encoding="utf-8") != text:
        refuse(f"{output} is not up to date")
