"""A v4 project in a folder, from the texts of its files."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.settings import Settings, SettingsError, load_settings

PACKAGES = {
    "@strapi/strapi": "4.25.1",
    "@strapi/plugin-i18n": "4.25.1",
    "@strapi/plugin-users-permissions": "4.25.1",
}
SQLITE = {"connection": {"client": "sqlite", "connection": {"filename": ".tmp/data.db"}}}


def write(folder: Path, files: Mapping[str, Any], packages: Mapping[str, str] = PACKAGES) -> Path:
    """Write `files`: texts, or values to be written as JSON, by path below the project."""
    for name, content in {"package.json": {"dependencies": packages}, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder


def read(folder: Path, files: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of a project with SQLite and these files."""
    return load_settings(write(folder, {"config/database.json": SQLITE, **files}), environment or {})


def problems(folder: Path, environment: Mapping[str, str] | None = None) -> list[str]:
    """Return the problems that stop the start."""
    try:
        load_settings(folder, environment or {})
    except SettingsError as error:
        return [str(problem) for problem in error.problems]
    return []


def found(settings: Settings) -> list[tuple[str, str, str]]:
    """Return the result for each key: outcome, key and setting."""
    return [(one.outcome.value, one.key, one.setting) for one in settings.findings]
