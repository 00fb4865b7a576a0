"""Apply file changes atomically: if anything fails, all files are restored.

Removed files are moved to a folder in `.octavo` until the change is served. New contents are first written to a
temporary file next to their path, so that no process reads a partial file.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from tempfile import NamedTemporaryFile, mkdtemp
from typing import Final

from octavo.core.values import dataclass

_ASIDE: Final = ".octavo"
_SOURCE: Final = "src"
_MIGRATIONS: Final = "database"


class UnsafePath(ValueError):
    """A path is outside the folders that a change may write to."""


@dataclass(frozen=True, slots=True)
class FileChanges:
    """The files to write, by paths relative to the project, and the files and folders to remove."""

    written: Mapping[str, bytes]
    removed: tuple[str, ...] = ()


@dataclass(slots=True)
class AppliedChanges:
    """Applied changes that can be reverted. Call `undo` or `keep` once."""

    _project: Path
    _steps: list[Callable[[], object]] = field(default_factory=list)
    _aside: Path | None = None

    def undo(self) -> None:
        """Revert all changes, the last step first."""
        while self._steps:
            self._steps.pop()()
        self.keep()

    def keep(self) -> None:
        """Delete the files that were moved aside for reverting."""
        self._steps.clear()
        if self._aside is not None:
            shutil.rmtree(self._aside, ignore_errors=True)
            self._aside = None

    def move_aside(self, path: Path) -> None:
        if self._aside is None:
            (self._project / _ASIDE).mkdir(exist_ok=True)
            self._aside = Path(mkdtemp(prefix="builder-", dir=self._project / _ASIDE))
        place = self._aside / str(len(self._steps))
        path.rename(place)
        self._steps.append(lambda: place.rename(path))

    def make_folder(self, path: Path) -> None:
        """Create a folder and its missing parents."""
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir()
            self._steps.append(folder.rmdir)

    def drop_empty(self, folder: Path) -> None:
        """Remove a folder if it is empty."""
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            self._steps.append(folder.mkdir)

    def write(self, path: Path, content: bytes) -> None:
        self.make_folder(path.parent)
        before = path.read_bytes() if path.exists() else None
        replace_with(path, content)
        self._steps.append(path.unlink if before is None else lambda: replace_with(path, before))


def apply_changes(project: Path, changes: FileChanges) -> AppliedChanges:
    """Write and remove files. Raises OSError, UnsafePath; then nothing has changed."""
    for name in (*changes.written, *changes.removed):
        check_path(project, name)
    applied = AppliedChanges(project)
    try:
        for name in changes.removed:
            if (project / name).exists():
                applied.move_aside(project / name)
        for name, content in changes.written.items():
            applied.write(project / name, content)
        for name in changes.removed:
            applied.drop_empty((project / name).parent)
    except BaseException:
        applied.undo()
        raise
    return applied


def check_path(project: Path, name: str) -> None:
    """Raise UnsafePath for a path that, with links resolved, is outside the writable folders of a project."""
    path = project / name
    allowed = [(project / folder).resolve() for folder in (_SOURCE, _MIGRATIONS)]
    is_plain = not Path(name).is_absolute() and ".." not in Path(name).parts
    if not is_plain or not any(path.resolve().is_relative_to(folder) for folder in allowed):
        raise UnsafePath(f"{name} is not in the project's {_SOURCE}")


def replace_with(path: Path, content: bytes) -> None:
    """Write a file atomically. An existing file's permissions are preserved."""
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        written = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            written.chmod(mode)
            written.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                written.unlink()
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
