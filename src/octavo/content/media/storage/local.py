"""LocalStorage: uploaded files in a folder of the project. All methods block; call them in a thread.

A file is written to a temporary name in the same folder and then renamed, so that incomplete files are never visible.
"""

import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from octavo.content.media.storage.base import (
    TEMPORARY,
    ContentFacts,
    NamedStorage,
    StoredObject,
    Workspace,
    checked,
    is_segment,
)

_HIDDEN: Final = ".private-"


class LocalStorage(NamedStorage):
    """The upload folder, served under the path `url`. `providers` are its names in rows; new rows use the first.

    Private files are in a hidden folder inside of it, which is never served. Its name ends with `private_key`, so that
    a web server that serves the upload folder itself does not reveal them. An existing folder of another key is used.
    """

    def __init__(
        self,
        folder: Path,
        url: str = "/uploads",
        providers: Collection[str] = ("local",),
        private_key: str | None = None,
    ) -> None:
        self.provider = next(iter(providers))
        self.providers = providers
        self.workspace = Workspace(folder)
        self._folder = folder
        self._url = url
        existing = next(iter(sorted(folder.glob(f"{_HIDDEN}*"))), None)
        self._hidden = None if private_key is None else existing or folder / f"{_HIDDEN}{private_key}"
        self._folders = [each for each in (folder, self._hidden or existing) if each is not None]
        """All folders with files, also that of private files while these are not enabled."""

    def write(self, path: Path, name: str, mime: str) -> StoredObject:
        """Move a file from the workspace, atomically. A private file with the name stays private."""
        path.replace(self._path(name))
        return self.kept(name)

    def is_private(self, name: str) -> bool:
        return self._hidden is not None and is_segment(name) and (self._hidden / name).is_file()

    def is_public(self, name: str) -> bool:
        return (self._folder / checked(name)).is_file()

    def private_names(self) -> Iterator[str]:
        """Yield the names of private files, without temporary ones."""
        with suppress(FileNotFoundError):
            if self._hidden is not None:
                yield from (path.name for path in self._hidden.iterdir() if not path.name.startswith(TEMPORARY))

    @property
    def hides_files(self) -> bool:
        """Whether files can be private."""
        return self._hidden is not None

    def write_private(self, path: Path, name: str, mime: str) -> StoredObject:
        path.replace(self._private_path(name))
        (self._folder / name).unlink(missing_ok=True)
        return self.kept(name)

    def set_private(self, names: Iterable[str], *, private: bool) -> None:
        for name in names:
            paths = self._folder / checked(name), self._private_path(name)
            source, target = paths if private else paths[::-1]
            with suppress(FileNotFoundError):
                source.replace(target)

    def private_facts(self, name: str) -> ContentFacts | None:
        if self._hidden is None or not self.is_private(name):
            return None
        try:
            return _facts((self._hidden / name).stat())
        except FileNotFoundError:
            return None

    def open_private(self, name: str, facts: ContentFacts, start: int, length: int) -> IO[bytes]:
        file = self._private_path(name).open("rb")
        if _facts(os.fstat(file.fileno())) != facts:
            file.close()
            raise FileNotFoundError(name)
        file.seek(start)
        return file

    def exists(self, name: str) -> bool:
        return self._path(name).is_file()

    def open(self, name: str) -> IO[bytes]:
        return self._path(name).open("rb")

    def copy(self, name: str, copy: str) -> bool:
        """Hard-link a file to a new name, or copy it if links are not supported; return whether it existed."""
        source = self._path(name)
        target = source.with_name(checked(copy))
        try:
            os.link(source, target)
        except FileNotFoundError:
            return False
        except OSError:
            shutil.copyfile(source, target)
        return True

    def move(self, name: str, target: str) -> None:
        """Rename a file. If the file or an existing one with the target name is private, the result is."""
        if self.is_private(name) or self.is_private(target):
            self._path(name).replace(self._private_path(target))
            (self._folder / target).unlink(missing_ok=True)
        else:
            self._path(name).replace(self._path(target))

    def remove(self, names: Iterable[str]) -> None:
        for name in filter(is_segment, names):
            for folder in self._folders:
                (folder / name).unlink(missing_ok=True)

    def flush(self) -> None:
        """Flush the folders; the contents are already on disk."""
        for folder in self._folders:
            if folder.is_dir():
                descriptor = os.open(folder, os.O_RDONLY)
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
        """Return where a file is, or where a new public one is to be."""
        if self._hidden is not None and self.is_private(name):
            return self._hidden / name
        return self._folder / checked(name)

    def _private_path(self, name: str) -> Path:
        if self._hidden is None:
            raise ValueError("private files are not enabled")
        self._hidden.mkdir(mode=0o700, exist_ok=True)
        return self._hidden / checked(name)


def _facts(stat: os.stat_result) -> ContentFacts:
    return ContentFacts(stat.st_size, stat.st_mtime_ns)
