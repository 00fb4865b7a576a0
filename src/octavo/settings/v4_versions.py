"""Find the version of v4 in a project: from its lock file, else the minimum in its `package.json`.

In a monorepo the lock file may be at the root of the repository, shared with other projects.

Clients were written for that version, so it determines the defaults of the compatibility rules. Unreadable files are
reported with the version used instead: a version never prevents the start.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from octavo.core.bounded_files import read_own_file

Version = tuple[int, int, int]

REFERENCE: Version = (4, 26, 2)
"""The last version of v4, and the default for projects with an unknown version."""

_PACKAGE = "@strapi/strapi"
_LARGEST_FILE = 64 * 1024**2
_MOST_FOLDERS = 8
"""Maximum number of parent folders to search for the root of a repository."""
_NUMBERS = re.compile(r"(\d{1,6})(?:\.(\d{1,6}))?(?:\.(\d{1,6}))?")
_YARN_ENTRY = re.compile(r'^"?@strapi/strapi@[^\n]*:\n +"?version"?:? "?(\d+\.\d+\.\d+)', re.MULTILINE)
_PNPM_ENTRY = re.compile(r"^ +'?/?@strapi/strapi[@/](\d+\.\d+\.\d+)", re.MULTILINE)


class FoundVersion(NamedTuple):
    """A version as text, and its source."""

    version: str
    source: str


def parse_version(text: str) -> Version:
    """Parse a version; missing parts are zero. Raises ValueError if it is not a version of v4.

    >>> parse_version("4.13")
    (4, 13, 0)
    """
    match = _NUMBERS.fullmatch(text)
    version = tuple(int(number or 0) for number in match.groups()) if match else ()
    if len(version) != 3 or version[0] != REFERENCE[0]:
        raise ValueError(text)
    return version


def known_version(text: str | None) -> Version:
    """Parse a version, or return the last one if it is not known. Raises ValueError as `parse_version`."""
    return parse_version(text) if text else REFERENCE


def find_version(project: Path) -> FoundVersion | None:
    """Return the version in a project's files, or None."""
    unreadable: list[str] = []
    project = project.resolve()
    for source, versions in _locked(project, unreadable):
        version = _first_of_v4(versions)
        if version is not None:
            return _newer(FoundVersion(version, source), _in_package(project, []))
    return _in_package(project, unreadable)


def installed_version(project: Path) -> FoundVersion | None:
    """Return the version in a lock file, of v4 or not, or None."""
    for source, versions in _locked(project.resolve(), []):
        for version in versions:
            if isinstance(version, str):
                return FoundVersion(version, source)
    return None


def _locked(project: Path, unreadable: list[str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the versions in each lock file, with its path relative to the project."""
    for folder, (name, read) in product(_lock_folders(project), _LOCKS.items()):
        source = os.path.relpath(folder / name, project)
        try:
            yield source, list(read(_read(folder / name), project.relative_to(folder).as_posix()))
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            unreadable.append(source)


def _lock_folders(project: Path) -> tuple[Path, ...]:
    """Return the project's folder and the root of its repository."""
    near = (project, *project.parents)[:_MOST_FOLDERS]
    root = next(filter(_is_root, near), project)
    return (project,) if root == project else (project, root)


def _is_root(folder: Path) -> bool:
    """Return whether a folder is the root of a repository, or of a package with workspaces."""
    try:
        if any((folder / name).exists() for name in (".git", "pnpm-workspace.yaml")):
            return True
        return bool(_at(orjson.loads(_read(folder / "package.json")), "workspaces"))
    except (OSError, ValueError):
        return False


def _newer(locked: FoundVersion, least: FoundVersion | None) -> FoundVersion:
    """Return the version in a lock file, unless the minimum in `package.json` is higher: an installation updates it."""
    is_stale = least is not None and parse_version(locked.version) < parse_version(least.version)
    return least if least is not None and is_stale else locked


def _read(file: Path) -> bytes:
    return read_own_file(file, _LARGEST_FILE)


def _first_of_v4(versions: Iterable[Any]) -> str | None:
    for version in versions:
        try:
            parse_version(version)
        except (ValueError, TypeError):
            continue
        return str(version)
    return None


def _in_npm_lock(content: bytes, within: str) -> Iterator[Any]:
    """Yield the versions for the project at `within`, relative to the lock file: its own before the shared ones."""
    lock = orjson.loads(content)
    for entry in (
        _at(lock, "packages", f"{within}/node_modules/{_PACKAGE}"),
        _at(lock, "packages", f"node_modules/{_PACKAGE}"),
        _at(lock, "dependencies", _PACKAGE),
    ):
        yield _at(entry, "version")


def _in_yarn_lock(content: bytes, within: str) -> Iterator[Any]:
    return _agreed(_YARN_ENTRY, content, within)


def _in_pnpm(content: bytes, within: str) -> Iterator[Any]:
    return _agreed(_PNPM_ENTRY, content, within)


def _agreed(entry: re.Pattern[str], content: bytes, within: str) -> Iterator[Any]:
    """Yield the versions; none if a shared lock file has several, because it is unclear which one is the project's."""
    versions = dict.fromkeys(match[1] for match in entry.finditer(content.decode()))
    return iter(versions if within == "." or len(versions) == 1 else ())


_LOCKS: Mapping[str, Callable[[bytes, str], Iterator[Any]]] = {
    "package-lock.json": _in_npm_lock,
    "yarn.lock": _in_yarn_lock,
    "pnpm-lock.yaml": _in_pnpm,
}


def _in_package(project: Path, unreadable: list[str]) -> FoundVersion | None:
    """Return the minimum version of the range in `package.json`."""
    try:
        wanted = _at(orjson.loads(_read(project / "package.json")), "dependencies", _PACKAGE)
    except (OSError, ValueError):
        return None
    has_least = isinstance(wanted, str) and not wanted.lstrip().startswith("<")
    match = _NUMBERS.search(wanted) if has_least else None
    version = ".".join(number or "0" for number in match.groups()) if match else ""
    try:
        parse_version(version)
    except ValueError:
        return None
    passed_over = f", {', '.join(unreadable)} cannot be read" if unreadable else ""
    return FoundVersion(version, f"package.json ({wanted}{passed_over})")


def _at(content: Any, *names: str) -> Any:
    for name in names:
        content = content.get(name) if isinstance(content, Mapping) else None
    return content
