"""LocalStorage: uploaded files in a folder of the project. Everything here blocks, and is called in a thread.

A file is written under a temporary name in the same folder and then renamed, so that nobody ever sees half of one.
"""

import os
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from octavo.content.media.storage.base import Kept, NamedStorage, Workspace, checked, is_safe


class LocalStorage(NamedStorage):
    """The folder of uploads; `url` is the path under which it is served. `providers` are what rows call it, the first
    one in new rows."""

    def __init__(self, folder: Path, url: str = "/uploads", providers: Collection[str] = ("local",)) -> None:
        self.provider = next(iter(providers))
        self.providers = providers
        self.workspace = Workspace(folder)
        self._folder = folder
        self._url = url

    def write(self, path: Path, name: str, mime: str) -> Kept:
        """Rename, which nobody can see half of."""
        path.replace(self._path(name))
        return self.kept(name)

    def open(self, name: str) -> IO[bytes]:
        return self._path(name).open("rb")

    def copy(self, name: str, copy: str) -> bool:
        """A second name for the same content, where the file system can do that."""
        source, target = self._path(name), self._path(copy)
        try:
            os.link(source, target)
        except FileNotFoundError:
            return False
        except OSError:
            shutil.copyfile(source, target)
        return True

    def move(self, name: str, target: str) -> None:
        self._path(name).replace(self._path(target))

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            if is_safe(name):
                (self._folder / name).unlink(missing_ok=True)

    def settle(self) -> None:
        """The contents are on disk already; now the names."""
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def prefix_of(self, path: str) -> str:
        """All files lie in the one folder, whatever a caller asks for."""
        return ""

    def url_of(self, name: str) -> str:
        return f"{self._url}/{name}"

    def name_of(self, url: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        name = url.removeprefix(f"{self._url}/")
        return name if is_safe(name) else None

    def _path(self, name: str) -> Path:
        return self._folder / checked(name)
