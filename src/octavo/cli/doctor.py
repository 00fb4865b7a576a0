"""`octavo doctor`: collect what a bug report needs into one file."""

import asyncio
import json
import os
import platform
from collections import Counter
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

import click

from octavo import __version__
from octavo.cli.base import Command, check_project, project_option, say
from octavo.cli.watching import request_status
from octavo.core.errors import ServiceUnavailable
from octavo.core.outage_log import reason_of, without_secrets
from octavo.database.synchronize import found_tables
from octavo.operations.runtime.definitions import project_registry
from octavo.operations.runtime.open_resources import has_database, open_project_database, place_of_database
from octavo.project.plugins import plugins_in_use
from octavo.settings import Settings, describe, load_settings

_FILE: Final = "octavo-doctor.json"
_PRIVATE: Final = 0o600


@click.command(cls=Command, epilog="Example: octavo doctor --file report.json")
@click.option("--file", type=click.Path(dir_okay=False, path_type=Path), default=_FILE, show_default=True)
@project_option
def doctor(file: Path, project: Path) -> None:
    """Collect versions, settings, database facts and recent errors into one file.

    The file is for bug reports. It contains no secrets and no content, but host names, paths and names of content
    types: read it before you share it. Recent errors need a running service and `metrics.token` in
    config/server.toml. A part that cannot be collected has the reason instead.
    """
    check_project(project)
    report = collect_report(project)
    text = json.dumps(report, indent=2, ensure_ascii=False, default=str)
    with open(file, "w", encoding="utf-8", opener=_open_private) as written:
        written.write(text + "\n")
    say("Written to [bold]{}[/]. It has no secrets, but names of hosts, paths and content types.", file)
    for name in (one for one, part in report.items() if isinstance(part, dict) and "problem" in part):
        say("Not collected: {}: {}", name, report[name]["problem"])


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, _PRIVATE)


def collect_report(project: Path) -> dict[str, Any]:
    """Return the report. Parts that fail contain the `problem`."""
    report: dict[str, Any] = {"versions": _versions()}
    try:
        settings = load_settings(project, os.environ, default_mode="production", require_secrets=False)
    except Exception as error:
        return report | {"settings": _problem(error)}
    parts: dict[str, Callable[[Settings], Any]] = {
        "settings": _settings,
        "definitions": _definitions,
        "database": lambda given: asyncio.run(_database(given)),
        "service": lambda given: request_status(given, None),
    }
    return report | {name: _collect(part, settings) for name, part in parts.items()}


def _collect(part: Callable[[Settings], Any], settings: Settings) -> Any:
    try:
        return part(settings)
    except Exception as error:  # the rest of the report is still of use
        return _problem(error)


def _problem(error: Exception) -> dict[str, str]:
    if isinstance(error, ServiceUnavailable):
        return {"problem": reason_of(error)}
    text = error.message if isinstance(error, click.ClickException) else f"{type(error).__name__}: {error}"
    return {"problem": without_secrets(text)}


def _versions() -> dict[str, Any]:
    return {
        "octavo": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": dict(sorted((one.name, one.version) for one in distributions())),
    }


def _settings(settings: Settings) -> dict[str, Any]:
    changed = [one._asdict() for one in describe(settings) if one.source != "default"]
    return {"mode": settings.mode, "profile": settings.profile, "changed": changed}


def _definitions(settings: Settings) -> dict[str, Any]:
    registry = project_registry(settings)
    kinds = Counter(type(attribute).__name__ for item in registry.api_types() for attribute in item.attributes)
    return {
        "contentTypes": sorted(one.uid for one in registry.api_types()),
        "attributes": dict(sorted(kinds.items())),
        "plugins": sorted(one.name for one in plugins_in_use(settings.plugins.others)),
    }


async def _database(settings: Settings) -> dict[str, Any]:
    place = place_of_database(settings)
    if not has_database(settings):
        return {"location": place, "problem": "the database does not exist yet"}
    database = open_project_database(settings, untouched=True)
    try:
        await database.connect()
        row = await database.fetch_row(database.dialect.server_facts)
        tables = await found_tables(database, database.dialect)
    finally:
        await database.close()
    system, version, size = row or (None, None, None)
    return {"location": place, "system": system, "version": version, "bytes": size, "tables": sorted(tables)}
