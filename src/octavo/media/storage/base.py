"""Storage: where uploaded files are kept. One small interface; `local` and `s3` implement it.

Everything here blocks, and is called in threads. Files are made in a `Workspace`, a folder of this machine, and are
given to the storage when they are whole. Names are made by `file_names`; others are refused.
"""

import os
import re
import secrets
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final, Protocol

from octavo.errors import PayloadTooLargeError

TEMPORARY: Final = ".upload-"
"""How the names of files in the making begin. Nobody is served such a file."""

_CHUNK: Final = 1 << 20
_ABANDONED_SECONDS: Final = 24 * 3600
_SAFE_NAME = re.compile(r"(?:\.upload-)?[A-Za-z0-9_-][A-Za-z0-9_.-]*", re.ASCII)


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


class Storage(Protocol):
    """A place for files, known by their names."""

    @property
    def provider(self) -> str:
        """What the rows of its files say."""

    @property
    def workspace(self) -> Workspace:
        """Where its files are made."""

    def write(self, path: Path, name: str, mime: str) -> None:
        """Take a whole file from the workspace, in the place of what has the name. The path is gone afterwards."""

    def open(self, name: str) -> IO[bytes]:
        """Read a file. Raises FileNotFoundError."""

    def copy(self, name: str, copy: str) -> bool:
        """Have a file under a new name too; whether there was one."""

    def move(self, name: str, target: str) -> None:
        """Give a file another name, in the place of what has that one."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove files; those that are gone already do not matter."""

    def settle(self) -> None:
        """Make sure that what was written survives a power failure."""

    def prefix_of(self, path: str) -> str:
        """How names begin in the folder that a caller asks for. Refuses with ValidationError."""

    def url_of(self, name: str) -> str:
        """Where a file is fetched, and what its row says."""

    def name_of(self, url: str) -> str | None:
        """The name of the file with an address; None when it can be none of this storage."""

    @property
    def signs(self) -> bool:
        """Whether files are private, so that answers hold addresses which are signed and expire."""

    def sign(self, url: str) -> str:
        """The signed form of the address of a file."""


def temporary_name() -> str:
    """A name for a file in the making."""
    return f"{TEMPORARY}{secrets.token_hex(12)}"


def is_safe(name: str) -> bool:
    """Whether a name, without folders, may be given to a file."""
    return _SAFE_NAME.fullmatch(name) is not None


def checked(name: str) -> str:
    """The name, if it is one for a file. Raises ValueError: names are our own."""
    if not is_safe(name):
        raise ValueError(f"not a name for a stored file: {name!r}")
    return name
