"""Which files of a project a process reads: so it tells a change from what editors leave behind while they save."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

ENVIRONMENT: Final = ".env"
FOLDERS: Final = ("src", "config")
Mark = tuple[int, int, int]
"""What changes when a file is written: its number, its size, its time in nanoseconds."""

_SUFFIXES: Final = frozenset((".json", ".py", ".toml"))
_SETTINGS: Final = _SUFFIXES | {".js", ".ts"}
"""A v4 project's configuration is read, its code is not."""


def is_read(path: Path, project: Path) -> bool:
    """Whether definitions, settings or code could stand in a file of that name, there or gone.

    Not in names that begin with a dot, nor with another ending: so editors name what they lock, swap, back up or rename
    (`4913`, `.schema.json.swp`, `.#index.py`, `#index.py#`, `index.py~`, `index.py___jb_tmp___`, `schema.json.tmp`).
    """
    if not path.is_relative_to(project):
        return False
    folder, *parts = path.relative_to(project).parts
    if not parts:
        return folder == ENVIRONMENT
    suffixes = _SETTINGS if folder == "config" else _SUFFIXES
    return folder in FOLDERS and path.suffix in suffixes and not any(part.startswith(".") for part in parts)


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
    yield project / ENVIRONMENT
    for folder in FOLDERS:
        yield from (path for path in (project / folder).rglob("*") if is_read(path, project))
