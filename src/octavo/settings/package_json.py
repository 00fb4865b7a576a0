"""Detect v4 projects, and read the version and the installed plugins from `package.json`."""

import json
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from octavo.core.bounded_files import MEGABYTE, read_own_file
from octavo.core.values import dataclass
from octavo.settings.v4_versions import installed_version

CORE: Final = "@strapi/strapi"
_ONLY_V4: Final = "Octavo serves projects of version 4 only"
_PLAIN: Final = re.compile(r"[\^~=v\s]*4\b")
"""A range that can only mean version 4, unlike `latest` or `>=4`."""
_OTHER_MAJOR: Final = re.compile(r"[\^~<>=v\s]*(?!4\b)\d+(\.|$)")


@dataclass(frozen=True, slots=True)
class V4Project:
    """A v4 project. `packages` are its dependencies, with the version ranges as written."""

    packages: Mapping[str, str] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """The range of v4 versions in `package.json`."""
        return self.packages[CORE]

    def has(self, package: str) -> bool:
        """Return whether it depends on a package."""
        return package in self.packages


@dataclass(frozen=True, slots=True)
class DeclaredPlugin:
    """A plugin in `config/plugins`. `resolve` is its folder or package; None for packages found by name."""

    name: str
    enabled: bool = True
    resolve: str | None = None


def find_v4_project(folder: Path) -> V4Project | None:
    """Return the v4 project in a folder, or None if there is no `package.json`, or no Strapi in it.

    Raises ValueError if it cannot be read, or requires another version than 4. Such a project must not be served as one
    without Strapi: its guards are in code that would not be read, and its tables are different.
    """
    packages = _packages(folder / "package.json")
    asked = packages.get(CORE)
    if asked is None:
        return None
    if _OTHER_MAJOR.match(asked):
        raise ValueError(f"requires {CORE} {asked}: {_ONLY_V4}")
    installed = None if _PLAIN.match(asked) else installed_version(folder)
    if installed is not None and not installed.version.startswith("4."):
        raise ValueError(f"requires {CORE} {asked}, which is {installed.version} in {installed.source}: {_ONLY_V4}")
    return V4Project(packages)


def depends_on(folder: Path, package: str) -> bool:
    """Return whether a project depends on a package. An unreadable file has no dependencies."""
    try:
        return package in _packages(folder / "package.json")
    except ValueError:
        return False


def _packages(path: Path) -> dict[str, str]:
    try:
        content = json.loads(read_own_file(path, MEGABYTE).decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"cannot be read: {error}") from error
    packages: dict[str, str] = {}
    for name in ("devDependencies", "dependencies"):
        listed: Any = content.get(name) if isinstance(content, dict) else None
        if isinstance(listed, dict):
            packages |= {package: version for package, version in listed.items() if isinstance(version, str)}
    return packages
