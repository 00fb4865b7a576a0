"""Storage: where uploaded files are kept. One small interface; the modules beside this one implement it.

Everything here blocks, and is called in threads. Files are made in a `Workspace`, a folder of this machine, and are
given to the storage when they are whole. Names are made by `file_names`; others are refused.
"""

import os
import re
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import IO, Any, Final, Protocol, runtime_checkable

from octavo.core.errors import PayloadTooLargeError, Problem, ValidationError
from octavo.core.values import dataclass

TEMPORARY: Final = ".upload-"
"""How the names of files in the making begin. Nobody is served such a file."""

_CHUNK: Final = 1 << 20
_ABANDONED_SECONDS: Final = 24 * 3600
_SAFE_NAME = re.compile(r"(?:\.upload-)?[A-Za-z0-9_-][A-Za-z0-9_.-]*", re.ASCII)


class StorageProblem(Exception):
    """A storage cannot be opened: a library is missing, or an option is none. The text is meant for people."""


class Workspace:
    """The folder in which files are made. It is created where it is missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def temporary(self) -> Path:
        """A path that nobody else uses."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / temporary_name()

    def receive(self, source: IO[bytes], path: Path, limit: int) -> int:
        """Copy a file piece by piece, and give its size in bytes. Raises PayloadTooLargeError past the limit."""
        size = 0
        with path.open("xb") as file:
            while piece := source.read(_CHUNK):
                size += len(piece)
                if size > limit:
                    raise PayloadTooLargeError
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        return size

    def sweep(self) -> int:
        """Remove what a process left behind when it was killed; how many files there were."""
        before, swept = time.time() - _ABANDONED_SECONDS, 0
        for path in self.folder.glob(f"{TEMPORARY}*"):
            if path.stat().st_mtime < before:
                path.unlink(missing_ok=True)
                swept += 1
        return swept


@dataclass(frozen=True, slots=True)
class Kept:
    """A file as a storage has it: the name it has there, and what rows say of it."""

    name: str
    url: str
    metadata: Mapping[str, Any] | None = None
    preview_url: str | None = None

    @property
    def said(self) -> dict[str, Any]:
        """What the row of a file, or the entry of a format, says of where it is."""
        metadata = {"provider_metadata": dict(self.metadata)} if self.metadata else {}
        return {"url": self.url, **metadata}


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A file that has taken the place of another; `backup` is where the other one waits, if there was one."""

    kept: Kept
    backup: str | None


class Storage(Protocol):
    """A place for files, known by their names."""

    @property
    def provider(self) -> str:
        """What the rows of new files say."""

    @property
    def providers(self) -> Collection[str]:
        """What the rows of its files may say."""

    @property
    def workspace(self) -> Workspace:
        """Where its files are made."""

    def write(self, path: Path, name: str, mime: str) -> Kept:
        """Take a whole file from the workspace, in the place of what has the name. The path is gone afterwards."""

    def exchange(self, place: str, name: str, backup: str) -> Exchanged:
        """Give the file at a place the name of another one, which waits under the name `backup` from then on.

        If it fails everything is as it was, but for the backup, which may be there.
        """

    def move(self, name: str, target: str) -> None:
        """Give a file another name, in the place of what has that one."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove files; those that are gone already do not matter."""

    def settle(self) -> None:
        """Make sure that what was written survives a power failure."""

    def prefix_of(self, path: str) -> str:
        """How names begin in the folder that a caller asks for. Refuses with ValidationError."""

    def name_for(self, prefix: str, stem: str, extension: str) -> str:
        """The name of a new file."""

    def folder_of(self, name: str) -> str:
        """The prefix with which others lie beside a file."""

    def name_of(self, url: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        """The name of the file of which a row says this; None when it can be none of this storage."""

    @property
    def signs(self) -> bool:
        """Whether files are private, so that answers hold addresses which are signed and expire."""

    def sign(self, url: str) -> str:
        """The signed form of the address of a file; others stay as they are."""


@runtime_checkable
class ReadableStorage(Protocol):
    """A storage whose files are read here, too, not only by their addresses."""

    def open(self, name: str) -> IO[bytes]:
        """Read a file. Raises FileNotFoundError."""


class NamedStorage(ABC):
    """What storages have in common that keep each file under the name it is given."""

    signs = False

    @abstractmethod
    def copy(self, name: str, copy: str) -> bool:
        """Have a file under a new name too; whether there was one."""

    @abstractmethod
    def move(self, name: str, target: str) -> None:
        """Give a file another name, in the place of what has that one. Raises FileNotFoundError."""

    @abstractmethod
    def url_of(self, name: str) -> str:
        """Where a file is fetched, and what its row says."""

    def kept(self, name: str) -> Kept:
        """What rows say of the file of a name."""
        return Kept(name, self.url_of(name))

    def exchange(self, place: str, name: str, backup: str) -> Exchanged:
        """The old file has both names, until the new one takes the first: there is a file at any time."""
        existed = self.copy(name, backup)
        self.move(place, name)
        return Exchanged(self.kept(name), backup if existed else None)

    def name_for(self, prefix: str, stem: str, extension: str) -> str:
        """In the folder, if there is one."""
        return f"{prefix}{stem}{extension}"

    def folder_of(self, name: str) -> str:
        """What is before its last part."""
        return "".join(name.rpartition("/")[:2])

    def sign(self, url: str) -> str:
        """Everybody may fetch."""
        return url


def safe_folder(path: str) -> str:
    """The folder that a caller asks for, with its last slash, or nothing. Refuses with ValidationError."""
    parts = [part for part in path.strip("/").split("/") if part]
    if not all(map(is_safe, parts)) or any(part.startswith(TEMPORARY) for part in parts):
        message = "path must be made of letters, digits, dots, dashes and underscores"
        raise ValidationError.from_problems([Problem(("path",), message)])
    return "".join(f"{part}/" for part in parts)


def temporary_name() -> str:
    """A name for a file in the making."""
    return f"{TEMPORARY}{secrets.token_hex(12)}"


def temporary_in(storage: Storage, extension: str = "") -> str:
    """The same for one that lies in a storage already."""
    return storage.name_for("", temporary_name(), extension)


def is_safe(name: str) -> bool:
    """Whether a name, without folders, may be given to a file."""
    return _SAFE_NAME.fullmatch(name) is not None


def checked(name: str) -> str:
    """The name, if it is one for a file. Raises ValueError: names are our own."""
    if not is_safe(name):
        raise ValueError(f"not a name for a stored file: {name!r}")
    return name
