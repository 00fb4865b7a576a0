"""LocalStorage: uploaded files in a folder of the project. All methods block; call them in a thread.

A file is written to a temporary name in the same folder and then renamed, so that incomplete files are never visible.
"""

import os
import shutil
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from octavo.content.media.storage.base import NamedStorage, StoredObject, Workspace, checked, is_segment


class LocalStorage(NamedStorage):
    """The upload folder, served under the path `url`. `providers` are its names in rows; new rows use the first."""

    def __init__(self, folder: Path, url: str = "/uploads", providers: Collection[str] = ("local",)) -> None:
        self.provider = next(iter(providers))
        self.providers = providers
        self.workspace = Workspace(folder)
        self._folder = folder
        self._url = url

    def write(self, path: Path, name: str, mime: str) -> StoredObject:
        """Move a file from the workspace, atomically."""
        path.replace(self._path(name))
        return self.kept(name)

    def exists(self, name: str) -> bool:
        return self._path(name).is_file()

    def open(self, name: str) -> IO[bytes]:
        return self._path(name).open("rb")

    def copy(self, name: str, copy: str) -> bool:
        """Hard-link a file to a new name, or copy it if links are not supported; return whether it existed."""
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
            if is_segment(name):
                (self._folder / name).unlink(missing_ok=True)

    def settle(self) -> None:
        """Flush the folder; the contents are already on disk."""
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def prefix_of(self, path: str) -> str:
        """Return no prefix: all files are in one folder."""
        return ""

    def url_of(self, name: str) -> str:
        return f"{self._url}/{name}"

    def name_of(self, url: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        name = url.removeprefix(f"{self._url}/")
        return name if is_segment(name) else None

    def _path(self, name: str) -> Path:
        return self._folder / checked(name)
