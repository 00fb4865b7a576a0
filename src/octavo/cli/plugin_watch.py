"""Plugins that are installed or upgraded while `octavo develop` runs: a Python process does not load packages again."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from octavo.project.installed_plugins import GROUP

_LOOKS: Final = 10
"""How often is looked after a change: installers write a package's entry points a moment after its folder."""


class PluginWatch:
    """Compares the installed plugins with those of the start."""

    def __init__(self) -> None:
        self._folders = _marks()
        self._found = _versions()
        self._looks = 0

    def news(self) -> list[str]:
        """Return a message for each plugin that was installed or upgraded since the last call."""
        folders = _marks()
        if folders != self._folders:
            self._folders, self._looks = folders, _LOOKS
        if not self._looks:
            return []
        self._looks -= 1
        before, self._found = self._found, _versions()
        return [*_messages(before, self._found)]


def _messages(before: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    for name, version in now.items():
        if before.get(name) != version:
            what = "upgraded" if name in before else "installed"
            yield f"The plugin {name} {version} was {what}. Restart octavo develop to use it"


def _marks() -> list[tuple[str, int]]:
    """Return the folders that Python imports from, with the times of their last changes."""
    found = []
    for folder in sys.path:
        try:
            found.append((folder, Path(folder).stat().st_mtime_ns))
        except OSError:
            continue
    return found


def _versions() -> dict[str, str]:
    return {one.name: version for one in entry_points(group=GROUP) if (version := _version(one))}


def _version(entry: EntryPoint) -> str | None:
    """Return the version of a plugin's package; None while an installer has not written it yet."""
    try:
        versions = None if entry.dist is None else entry.dist.metadata.get_all("Version")
        return None if versions is None else versions[0]
    except (KeyError, TypeError, OSError):
        return None
