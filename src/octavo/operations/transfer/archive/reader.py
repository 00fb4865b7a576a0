"""ArchiveReader: read an archive's files by name. Archives are untrusted input.

Errors are TransferError, with the archive's file and line.
"""

import gzip
import io
import re
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Final

import orjson

from octavo.core.values import dataclass
from octavo.operations.transfer.archive.encryption import WRONG_KEY, DecryptingFile
from octavo.operations.transfer.archive.parts import COMPRESSED, ENCRYPTED, METADATA, UPLOADS
from octavo.operations.transfer.problems import TransferError

FREELY: Final = 256 * 1024**2
"""Bytes that every archive can unpack to."""
_MOST_TIMES: Final = 200
"""Maximum compression ratio beyond that. Text in JSON has a ratio of 20, rarely 50."""


@contextmanager
def unpacked(path: Path, password: str | None, folder: Path, freely: int = FREELY) -> Iterator[IO[bytes]]:
    """Open the tar file in an archive, using a temporary file in `folder`.

    The tar file can have `freely` bytes, or many times the archive's size.

    Raises TransferError.
    """
    with ExitStack() as stack:
        file: Any = stack.enter_context(path.open("rb"))
        suffixes = path.suffixes
        if path.suffix == ENCRYPTED:
            if password is None:
                raise TransferError(f"{path} is encrypted and requires its key")
            suffixes = suffixes[:-1]
            file = io.BufferedReader(DecryptingFile(file, password, str(path)), _PIECE)
        if suffixes[-1:] == [COMPRESSED]:
            file = gzip.GzipFile(fileobj=file)
        if path.suffix in (ENCRYPTED, COMPRESSED):
            file = stack.enter_context(_spooled(file, path, folder, freely))
        yield file


@contextmanager
def _spooled(file: IO[bytes], path: Path, folder: Path, freely: int) -> Iterator[IO[bytes]]:
    folder.mkdir(parents=True, exist_ok=True)
    most = max(freely, _MOST_TIMES * path.stat().st_size)
    with tempfile.TemporaryFile(dir=folder) as plain:
        size = 0
        for piece in _pieces(file, path):
            size += len(piece)
            if size > most:
                raise TransferError(f"{path} unpacks to more than {_MOST_TIMES} times its size, which is the limit")
            plain.write(piece)
        plain.seek(0)
        yield plain


def _pieces(file: IO[bytes], path: Path) -> Iterator[bytes]:
    try:
        while piece := file.read(_PIECE):
            yield piece
    except (OSError, EOFError, zlib.error) as error:
        reason = WRONG_KEY if path.suffix == ENCRYPTED else f"cannot be unpacked: {error}"
        raise TransferError(f"{path} {reason}") from error


MOST_LINE_BYTES: Final = 64 * 1024**2
"""Maximum bytes of a line, which is an entry with all its components."""
_MOST_MEMBERS: Final = 1_000_000
_BLOCK: Final = 512
_PIECE: Final = 1 << 20
_NUMBERS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file in an archive."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"

    def refusal(self, problem: object) -> TransferError:
        """Return an error about this line."""
        return TransferError(f"{self}: {problem}")


class ArchiveReader:
    """An open archive. Its list of files has been read and checked, but not their content."""

    def __init__(self, path: Path, file: IO[bytes], longest_line: int = MOST_LINE_BYTES) -> None:
        self._path = path
        self._longest_line = longest_line
        self._file = file
        self._size = file.seek(0, 2)
        file.seek(0)
        try:
            self._tar = tarfile.open(fileobj=file, mode="r:")  # noqa: SIM115 - closed with its file
            self._members = self._read_members()
        except (tarfile.TarError, OverflowError, UnicodeError, ValueError) as error:
            reason = WRONG_KEY if path.suffix == ENCRYPTED else f"is not an archive of this kind: {error}"
            raise TransferError(f"{path} {reason}") from error

    def _read_members(self) -> dict[str, tarfile.TarInfo]:
        members: dict[str, tarfile.TarInfo] = {}
        end = 0
        for member in self._tar:
            name = self._checked_name(member)
            end = member.offset_data + -(-member.size // _BLOCK) * _BLOCK if member.isreg() else member.offset_data
            if member.isdir():
                continue
            if name in members or len(members) >= _MOST_MEMBERS:
                raise TransferError(
                    f"{self._path}: {name!r} is a duplicate, or there are more than {_MOST_MEMBERS} files"
                )
            if member.size < 0 or member.offset_data + member.size > self._size:
                raise TransferError(f"{self._path}: {name!r} is cut off; the archive is incomplete")
            members[name] = member
        self._check_end(end)
        return members

    def _checked_name(self, member: tarfile.TarInfo) -> str:
        """Return a member's path.

        Raises TransferError for paths outside the archive, and unless it is a file or folder.
        """
        name = member.name.removeprefix("./")
        if member.issparse() or not (member.isreg() or member.isdir()):
            raise TransferError(f"{self._path}: {name!r} is neither a file nor a folder")
        if name.startswith("/") or "\\" in name or "\0" in name or ".." in name.split("/"):
            raise TransferError(f"{self._path}: {name!r} is outside the archive")
        return name

    def _check_end(self, end: int) -> None:
        """Raise TransferError unless only empty blocks follow the last file. Reading would silently stop there."""
        self._file.seek(end)
        first = self._file.read(_BLOCK)
        if len(first) < _BLOCK or any(first):
            raise TransferError(f"{self._path} is damaged or incomplete at byte {end}")

    def has(self, folder: str) -> bool:
        """Return whether a folder has any files."""
        return any(name.startswith(f"{folder}/") for name in self._members)

    def size(self, folder: str) -> int:
        """Return the bytes of all files in a folder."""
        return sum(member.size for name, member in self._members.items() if name.startswith(f"{folder}/"))

    def uploads(self) -> Iterator[str]:
        """Return the names of the uploaded files, without their folder."""
        prefix = f"{UPLOADS}/"
        return (name.removeprefix(prefix) for name in self._members if name.startswith(prefix))

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file for reading. Raises TransferError if it does not exist."""
        member = self._members.get(name)
        content = None if member is None else self._tar.extractfile(member)
        if content is None:
            raise TransferError(f"{self._path} has no {name}")
        with content:
            try:
                yield content
            except tarfile.TarError as error:
                raise TransferError(f"{self._path}: {name} cannot be read: {error}") from error

    def metadata(self) -> dict[str, Any]:
        """Return the archive's metadata."""
        return self.json(METADATA)

    def json(self, name: str) -> dict[str, Any]:
        """Read a file with a JSON object."""
        with self.open(name) as file:
            return _object(Place(name, 1), file.read(MOST_LINE_BYTES))

    def has_file(self, name: str) -> bool:
        return name in self._members

    def lines(self, folder: str) -> Iterator[tuple[Place, dict[str, Any], int]]:
        """Yield the JSON objects in a folder's files in order, each with its location and bytes."""
        names = [name for name in self._members if name.startswith(f"{folder}/") and name.endswith(".jsonl")]
        for name in sorted(names, key=lambda name: [int(number) for number in _NUMBERS.findall(name)]):
            with self.open(name) as file:
                number = 0
                while line := file.readline(self._longest_line + 1):
                    number += 1
                    place = Place(name, number)
                    if len(line) > self._longest_line:
                        raise place.refusal(f"is longer than {self._longest_line} bytes")
                    if not line.isspace():
                        yield place, _object(place, line), len(line)


def _object(place: Place, text: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise place.refusal(f"is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise place.refusal("is not a JSON object")
    return value


@contextmanager
def open_archive(path: Path, password: str | None, folder: Path) -> Iterator[ArchiveReader]:
    """Open an archive, with temporary files in `folder`. Raises TransferError."""
    with unpacked(path, password, folder) as file:
        yield ArchiveReader(path, file)


def check_version(metadata: dict[str, Any]) -> None:
    """Raise TransferError unless version 4 created the archive."""
    strapi = metadata.get("strapi")
    version = strapi.get("version") if isinstance(strapi, dict) else None
    if not isinstance(version, str) or not version.startswith("4."):
        raise TransferError(f"The archive has version {version}; only version 4 is supported")
