"""The project files that a process reads, to tell changes of them from temporary files of editors."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from octavo.settings.package_json import CORE, depends_on

ENVIRONMENT: Final = ".env"
_CONFIG: Final = "config"
FOLDERS: Final = ("src", _CONFIG)
Mark = tuple[int, int, int]
"""Values that change when a file is written: inode, size, and time in nanoseconds."""

_SUFFIXES: Final = frozenset((".json", ".py", ".toml"))
_SCRIPTS: Final = frozenset((".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"))
_SETTINGS: Final = _SUFFIXES | _SCRIPTS
"""Files of a v4 project's configuration are always read, regardless of `package.json`."""
_PACKAGES: Final = "node_modules"


def is_read(path: Path, project: Path, *, scripts: bool = False) -> bool:
    """Return whether a file of that name, existing or deleted, can contain definitions, settings or code.

    With `scripts`, also code of a v4 project. Names that begin with a dot or have another suffix are ignored. Editors
    use these for locks, swap files, backups and renames (`4913`, `.schema.json.swp`, `.#index.py`, `#index.py#`,
    `index.py~`, `index.py___jb_tmp___`, `schema.json.tmp`).
    """
    if not path.is_relative_to(project):
        return False
    folder, *parts = path.relative_to(project).parts
    if not parts:
        return folder == ENVIRONMENT
    if folder not in FOLDERS or any(map(_is_passed_over, parts)):
        return False
    return path.suffix in (_SETTINGS if folder == _CONFIG or scripts else _SUFFIXES)


def read_marks(project: Path) -> dict[Path, Mark]:
    """Return the marks of all files that are read."""
    return {path: mark for path in _files(project) if (mark := mark_of(path)) is not None}


def mark_of(path: Path) -> Mark | None:
    """Return the mark of a file, or None for a deleted file or a broken link."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _files(project: Path) -> Iterator[Path]:
    """Yield the existing files. Folders can appear and disappear meanwhile, which `Path.rglob` does not support."""
    yield project / ENVIRONMENT
    scripts = depends_on(project, CORE)
    for name in FOLDERS:
        for folder, folders, files in os.walk(project / name):
            folders[:] = [each for each in folders if not _is_passed_over(each)]
            paths = (Path(folder, file) for file in files)
            yield from (path for path in paths if is_read(path, project, scripts=scripts))


def _is_passed_over(part: str) -> bool:
    return part.startswith(".") or part == _PACKAGES
