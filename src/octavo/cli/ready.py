"""`octavo ready`: a health check for environments without an HTTP client, such as containers without a shell.

It runs every few seconds, so it loads only the settings.
"""

import json
import os
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request

import click

from octavo.cli.running import local_url, silence
from octavo.cli.unix_http import is_address, opener_for
from octavo.core.plurals import counted
from octavo.settings import SettingsError, load_settings

_PATIENCE: Final = 4.0
_LARGEST: Final = 64 * 1024


@click.command(epilog="Example: octavo ready --alive")
@click.option("--alive", is_flag=True, help="Only check that the process runs, without its databases.")
@click.option("--url", help="URL of the service; defaults to --port or the settings.")
@click.option(
    "--project",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    default=".",
    envvar="OCTAVO_PROJECT",
    help="Folder of the project; defaults to the current one.",
)
def ready(alive: bool, url: str | None, project: Path) -> None:
    """Check whether a running service accepts requests. If not, print why and exit with code 1."""
    address = (url or _address(project)).rstrip("/")
    if not is_address(address):
        raise click.ClickException(f"{address} is not the URL of a service")
    path = "/_health" if alive else "/_ready"
    opener, base = opener_for(address)
    asked = Request(base + path)  # noqa: S310 - checked above
    try:
        with opener.open(asked, timeout=_PATIENCE):
            pass
    except HTTPError as error:
        reasons = _reasons(error.read(_LARGEST))
        raise click.ClickException(reasons or f"{address}{path} returned {error.code}") from error
    except (URLError, OSError, ValueError) as error:
        raise click.ClickException(silence(address, error)) from error
    click.echo("alive" if alive else "ready")


def _address(project: Path) -> str:
    try:
        return local_url(load_settings(project, os.environ, default_mode="production", require_secrets=False))
    except SettingsError as error:
        problems = counted(len(error.problems), "problem")
        raise click.ClickException(f"{problems} in the settings; run octavo config check") from error


def _reasons(body: bytes) -> str:
    """Return the reasons in a response of a service that is not ready, or an empty string."""
    try:
        answer: Any = json.loads(body)
    except ValueError:
        return ""
    reasons = answer.get("reasons") if isinstance(answer, dict) else None
    return "; ".join(map(str, reasons)) if isinstance(reasons, list) else ""
