"""`octavo openapi`: the OpenAPI document of the REST API."""

from pathlib import Path
from typing import Final

import click
import orjson

from octavo.api.rest.openapi.document import make_document
from octavo.cli.base import Command, project_option, read_settings, say, with_secrets
from octavo.operations.runtime.options import described_api
from octavo.operations.runtime.process import build

_OPTIONS: Final = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


@click.command(cls=Command, epilog="Example: octavo openapi --output openapi.json")
@project_option
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
def openapi(project: Path, output: Path | None) -> None:
    """Write the OpenAPI 3.1 document of the REST API, as JSON.

    The database is not used: every operation that depends on roles is marked as requiring a token.
    """
    settings = with_secrets(read_settings(project))
    site = build(settings).site
    text = orjson.dumps(make_document(described_api(settings, site.registry, site.router)), option=_OPTIONS)
    if output is None:
        click.echo(text, nl=False)
        return
    output.write_bytes(text)
    say("Wrote {}", output)
