"""Which files of a project a process reads: so it tells a change from what editors leave behind while they save."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from octavo.settings.package_json import CORE, depends_on

ENVIRONMENT: Final = ".env"
_CONFIG: Final = "config"
FOLDERS: Final = ("src", _CONFIG)
Mark = tuple[int, int, int]
"""What changes when a file is written: its number, its size, its time in nanoseconds."""

_SUFFIXES: Final = frozenset((".json", ".py", ".toml"))
_SCRIPTS: Final = frozenset((".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"))
_SETTINGS: Final = _SUFFIXES | _SCRIPTS
"""A v4 project's configuration is read, whatever `package.json` says."""
_PACKAGES: Final = "node_modules"


def is_read(path: Path, project: Path, *, scripts: bool = False) -> bool:
    """Whether definitions, settings or code could stand in a file of that name, there or gone; with `scripts`, that of
    a v4 project too.

    Not in names that begin with a dot, nor with another ending: so editors name what they lock, swap, back up or rename
    (`4913`, `.schema.json.swp`, `.#index.py`, `#index.py#`, `index.py~`, `index.py___jb_tmp___`, `schema.json.tmp`).
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
    """The marks of all such files."""
    return {path: found for path in _files(project) if (found := mark_of(path)) is not None}


def mark_of(path: Path) -> Mark | None:
    """The mark of a file; None for one that is gone, or a link to nowhere."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _files(project: Path) -> Iterator[Path]:
    """Those that there are; folders may come and go meanwhile, which `Path.rglob` does not bear."""
    yield project / ENVIRONMENT
    scripts = depends_on(project, CORE)
    for name in FOLDERS:
        for folder, folders, files in os.walk(project / name):
            folders[:] = [each for each in folders if not _is_passed_over(each)]
            paths = (Path(folder, file) for file in files)
            yield from (path for path in paths if is_read(path, project, scripts=scripts))


def _is_passed_over(part: str) -> bool:
    return part.startswith(".") or part == _PACKAGES
