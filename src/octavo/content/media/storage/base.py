"""Storage: the interface for storing uploaded files, implemented by the other modules in this package.

All methods block; call them in threads. Files are created in a `Workspace`, a local folder, and passed to the storage
when they are complete. `file_names` generates their names; others are refused.
"""

import os
import re
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from io import RawIOBase
from pathlib import Path
from typing import IO, Any, Final, Protocol, TypeGuard, runtime_checkable

from octavo.core.errors import PayloadTooLargeError, Problem, ServiceUnavailable, ValidationError
from octavo.core.values import dataclass

TEMPORARY: Final = ".upload-"
"""The prefix of temporary file names. These files are never served."""
UNUSABLE: Final = re.compile(r"[\x00-\x1f\x7f/\\\ud800-\udfff]")
"""The characters that no stored file has in its name."""

_CHUNK: Final = 1 << 20
_REFUSAL: Final = "Files cannot be uploaded"
_ABANDONED_SECONDS: Final = 24 * 3600
_MAX_BYTES: Final = 255
"""The maximum length of a file name in common file systems."""
_SAFE_NAME = re.compile(r"(?:\.upload-)?[A-Za-z0-9_-][A-Za-z0-9_.-]*", re.ASCII)


class StorageProblem(Exception):
    """A storage cannot be opened: a library is missing or an option is invalid. The message is shown to users."""


class Workspace:
    """The folder for files in progress; created on demand.

    `refusal` is the message to the client if the folder cannot be written.
    """

    def __init__(self, folder: Path, refusal: str = _REFUSAL) -> None:
        self.folder = folder
        self._refusal = refusal

    def temporary(self) -> Path:
        """Return an unused path."""
        with self._writing():
            self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / temporary_name()

    def receive(self, source: IO[bytes], path: Path, limit: int) -> int:
        """Copy a file in chunks and return its size in bytes.

        Raises PayloadTooLargeError above the limit, and ServiceUnavailable if the folder cannot be written.
        """
        size = 0
        with self._writing(), path.open("xb") as file:
            while piece := source.read(_CHUNK):
                size += len(piece)
                if size > limit:
                    raise PayloadTooLargeError
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        return size

    def sweep(self) -> int:
        """Delete files that a killed process left behind; return their number."""
        before, swept = time.time() - _ABANDONED_SECONDS, 0
        for path in self.folder.glob(f"{TEMPORARY}*"):
            if path.stat().st_mtime < before:
                path.unlink(missing_ok=True)
                swept += 1
        return swept

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Raise ServiceUnavailable if a file cannot be written, such as on a read-only or full disk."""
        try:
            yield
        except OSError as error:
            raise ServiceUnavailable(self._refusal, reason=f"{self.folder} cannot be written") from error


@dataclass(frozen=True, slots=True)
class StoredObject:
    """A file in a storage: its name there, and the columns of its row."""

    name: str
    url: str
    metadata: Mapping[str, Any] | None = None
    preview_url: str | None = None

    @property
    def location(self) -> dict[str, Any]:
        """The location columns of a file's row, or of a format."""
        metadata = {"provider_metadata": dict(self.metadata)} if self.metadata else {}
        return {"url": self.url, **metadata}


@dataclass(frozen=True, slots=True)
class ReplacedObject:
    """The result of replacing a file; `backup` is the name of the old file, if there was one."""

    kept: StoredObject
    backup: str | None


class Storage(Protocol):
    """A storage for files, identified by their names."""

    @property
    def provider(self) -> str:
        """The value of `provider` for new rows."""

    @property
    def providers(self) -> Collection[str]:
        """The values of `provider` in rows of this storage."""

    @property
    def workspace(self) -> Workspace:
        """The workspace for its files."""

    def write(self, path: Path, name: str, mime: str) -> StoredObject:
        """Move a complete file from the workspace to the storage; overwrites an existing file with the name."""

    def exchange(self, place: str, name: str, backup: str) -> ReplacedObject:
        """Rename the file at `place` to `name`; an existing file with that name is renamed to `backup`.

        If it fails, nothing changed, except that the backup may exist.
        """

    def move(self, name: str, target: str) -> None:
        """Rename a file; overwrites an existing file with the target name."""

    def remove(self, names: Iterable[str]) -> None:
        """Delete files; missing ones are ignored."""

    def flush(self) -> None:
        """Flush written files, so that they survive a power failure."""

    def prefix_of(self, path: str) -> str:
        """Return the name prefix for a folder given by the client. Raises ValidationError."""

    def name_for(self, prefix: str, stem: str, extension: str) -> str:
        """Return the name of a new file."""

    def folder_of(self, name: str) -> str:
        """Return the prefix for names in the same folder as a file."""

    def name_of(self, url: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        """Return a file's name from the URL and metadata in its row; None if it is not in this storage."""

    @property
    def signs(self) -> bool:
        """Whether files are private, so that responses contain signed URLs that expire."""

    def sign(self, url: str) -> str:
        """Return the signed form of a file's URL; other URLs are returned unchanged."""


@runtime_checkable
class ReadableStorage(Protocol):
    """A storage whose files Octavo can also read, not only link to."""

    def exists(self, name: str) -> bool:
        """Return whether there is a file with this name, without reading it. Raises ValueError for invalid names."""

    def open(self, name: str) -> IO[bytes]:
        """Open a file for reading in pieces. Raises FileNotFoundError."""

    def url_of(self, name: str) -> str:
        """Return the public URL of a file, as stored in its row."""


@dataclass(frozen=True, slots=True)
class ContentFacts:
    """The size of a file in bytes, when it changed, in nanoseconds since 1970, and what identifies this version."""

    size: int
    changed: int
    version: str = ""


@runtime_checkable
class PrivateStorage(Protocol):
    """A storage that can keep single files private. They are not public at their URLs."""

    @property
    def hides_files(self) -> bool:
        """Whether this is enabled."""

    def is_private(self, name: str) -> bool:
        """Return whether a file is private; False for missing files and invalid names."""

    def is_public(self, name: str) -> bool:
        """Return whether there is a public file, even if there is also a private one."""

    def private_names(self) -> Iterator[str]:
        """Yield the names of private files, without temporary ones."""

    def write_private(self, path: Path, name: str, mime: str) -> StoredObject:
        """Move a complete file from the workspace to the private files; overwrites an existing file with the name."""

    def set_private(self, names: Iterable[str], *, private: bool) -> None:
        """Make files private or public; missing ones are ignored."""

    def private_facts(self, name: str) -> ContentFacts | None:
        """Return the facts about a private file; None for public and missing files, and invalid names."""

    def open_private(self, name: str, facts: ContentFacts, start: int, length: int) -> IO[bytes]:
        """Open a part of a private file, for reading in pieces. Raises FileNotFoundError if it has changed."""


class RemoteContent(RawIOBase):
    """The content of a file in a remote storage. `speaking` converts the errors of each read."""

    def __init__(self, source: IO[bytes], speaking: Callable[[], AbstractContextManager[None]]) -> None:
        super().__init__()
        self._source = source
        self._speaking = speaking

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with self._speaking():
            piece = self._source.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._source.close()
        super().close()


class NamedStorage(ABC):
    """Base class for storages that keep each file under the given name."""

    signs = False

    @abstractmethod
    def copy(self, name: str, copy: str) -> bool:
        """Copy a file to a new name; return whether it existed."""

    @abstractmethod
    def move(self, name: str, target: str) -> None:
        """Rename a file; overwrites an existing file with the target name. Raises FileNotFoundError."""

    @abstractmethod
    def url_of(self, name: str) -> str:
        """Return the public URL of a file, as stored in its row."""

    def kept(self, name: str) -> StoredObject:
        """Return the location of the file with this name."""
        return StoredObject(name, self.url_of(name))

    def exchange(self, place: str, name: str, backup: str) -> ReplacedObject:
        """Replace a file. The old one is copied first, so the name always exists."""
        existed = self.copy(name, backup)
        self.move(place, name)
        return ReplacedObject(self.kept(name), backup if existed else None)

    def name_for(self, prefix: str, stem: str, extension: str) -> str:
        """Return the name of a new file, in the folder if there is one."""
        return f"{prefix}{stem}{extension}"

    def folder_of(self, name: str) -> str:
        """Return everything before the last part of a name."""
        return "".join(name.rpartition("/")[:2])

    def sign(self, url: str) -> str:
        """Return the URL unchanged, because files are public."""
        return url


def safe_folder(path: str) -> str:
    """Return the folder given by a client with a trailing slash, or an empty text. Raises ValidationError."""
    parts = [part for part in path.strip("/").split("/") if part]
    if not all(map(is_safe, parts)) or any(part.startswith(TEMPORARY) for part in parts):
        message = "path must consist of letters, digits, dots, dashes and underscores"
        raise ValidationError.from_problems([Problem(("path",), message)])
    return "".join(f"{part}/" for part in parts)


def temporary_name() -> str:
    """Return a name for a temporary file."""
    return f"{TEMPORARY}{secrets.token_hex(12)}"


def temporary_in(storage: Storage, extension: str = "") -> str:
    """Return a name for a temporary file in a storage."""
    return storage.name_for("", temporary_name(), extension)


def is_segment(name: str) -> bool:
    """Return whether a file in the storage can have this name: one path segment, not hidden.

    Files from Strapi v4 have names such as `Dr_1a2b. Müller` or `x_1a2b.pdf (1)`.
    """
    visible = name.removeprefix(TEMPORARY)
    is_usable = visible[:1] not in ("", ".") and UNUSABLE.search(name) is None
    return is_usable and len(name.encode()) <= _MAX_BYTES


def is_safe(name: str) -> bool:
    """Return whether clients can choose a name for a file or a folder. It needs no encoding in URLs."""
    return _SAFE_NAME.fullmatch(name) is not None


def checked(name: str) -> str:
    """Return the name if it is one path segment. Raises ValueError, because names are generated or were checked."""
    if not is_segment(name):
        raise ValueError(f"not a valid file name: {name!r}")
    return name


def hides_files(storage: Storage) -> TypeGuard[PrivateStorage]:
    """Return whether single files of a storage can be private."""
    return isinstance(storage, PrivateStorage) and storage.hides_files


def is_private_file(storage: Storage, name: str | None) -> bool:
    """Return whether a single file of a storage is private."""
    return name is not None and isinstance(storage, PrivateStorage) and storage.is_private(name)


class ClosedStorage:
    """Refuses every write. `reason` is logged."""

    signs = False
    providers: Collection[str] = ()

    def __init__(self, provider: str, folder: Path, reason: str) -> None:
        self.provider = provider
        self.workspace = Workspace(folder)
        self._reason = reason

    def write(self, path: Path, name: str, mime: str) -> StoredObject:
        raise self._refusal()

    def exchange(self, place: str, name: str, backup: str) -> ReplacedObject:
        raise self._refusal()

    def move(self, name: str, target: str) -> None:
        raise self._refusal()

    def remove(self, names: Iterable[str]) -> None:
        """Raise ServiceUnavailable if there are any files to remove, so that their removal is repeated later."""
        if any(names):
            raise self._refusal()

    def flush(self) -> None:
        """Do nothing."""

    def prefix_of(self, path: str) -> str:
        raise self._refusal()

    def name_for(self, prefix: str, stem: str, extension: str) -> str:
        raise self._refusal()

    def folder_of(self, name: str) -> str:
        raise self._refusal()

    def name_of(self, url: str, metadata: Mapping[str, Any] | None = None) -> str | None:
        return None

    def sign(self, url: str) -> str:
        return url

    def _refusal(self) -> ServiceUnavailable:
        return ServiceUnavailable(_REFUSAL, reason=self._reason)
