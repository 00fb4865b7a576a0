"""`octavo version`."""

import json
import platform

import click

from octavo import __version__


@click.command(epilog="Example: octavo version")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def version(as_json: bool) -> None:
    """Show the version of Octavo and of Python."""
    if as_json:
        click.echo(json.dumps({"octavo": __version__, "python": platform.python_version()}))
    else:
        click.echo(f"Octavo {__version__} (Python {platform.python_version()})")
