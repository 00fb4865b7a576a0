"""ArchiveWriter: create an archive under a temporary name and rename it when it is complete."""

import gzip
import io
import os
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Final

import orjson

from octavo.operations.transfer.archive.encryption import EncryptingFile
from octavo.operations.transfer.archive.parts import COMPRESSED, ENCRYPTED, METADATA, UPLOADS, UPLOADS_METADATA

_LARGEST_PART: Final = 256 * 1024**2
"""Bytes after which JSON lines continue in another file."""
_IN_MEMORY: Final = 8 * 1024**2
_COMPRESSION: Final = 6
_BUFFER: Final = 1 << 16


class ArchiveWriter:
    """An archive being written: files are added one after another."""

    def __init__(self, tar: tarfile.TarFile, folder: Path) -> None:
        self._tar = tar
        self._folder = folder

    @contextmanager
    def lines(self, folder: str) -> Iterator["LinesWriter"]:
        """Write JSON lines to numbered files in a folder."""
        with tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(self._folder)) as file:
            lines = LinesWriter(self, folder, file)
            yield lines
            lines.finish()

    def add(self, name: str, file: IO[bytes]) -> None:
        """Add a whole file."""
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        member = tarfile.TarInfo(name)
        member.size, member.mtime = size, int(time.time())
        self._tar.addfile(member, file)

    def add_json(self, name: str, value: Any, *, indented: bool = False) -> None:
        """Add a file with one JSON value."""
        self.add(name, io.BytesIO(orjson.dumps(value, option=orjson.OPT_INDENT_2 if indented else None)))

    def add_upload(self, name: str, file: IO[bytes], about: dict[str, Any]) -> None:
        """Add an uploaded file and its metadata. A file that is not seekable is copied first, to know its size."""
        self.add_json(f"{UPLOADS_METADATA}/{name}.json", about)
        if file.seekable():
            self.add(f"{UPLOADS}/{name}", file)
            return
        with tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(self._folder)) as copy:
            while piece := file.read(_BUFFER):
                copy.write(piece)
            self.add(f"{UPLOADS}/{name}", copy)

    def add_metadata(self, created_at: str, version: str) -> None:
        """Add the archive's metadata."""
        self.add_json(METADATA, {"createdAt": created_at, "strapi": {"version": version}}, indented=True)


class LinesWriter:
    """Writes lines of JSON, and starts another file when one is large."""

    def __init__(self, archive: ArchiveWriter, folder: str, file: "tempfile.SpooledTemporaryFile[bytes]") -> None:
        self._archive = archive
        self._folder = folder
        self._file = file
        self._number = 0

    def write(self, value: Any) -> None:
        if self._file.tell() > _LARGEST_PART:
            self.finish()
        self._file.write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))

    def finish(self) -> None:
        """Add the lines since the last file, if any."""
        if not self._file.tell():
            return
        self._number += 1
        self._archive.add(f"{self._folder}/{self._folder}_{self._number:05}.jsonl", self._file)
        self._file.seek(0)
        self._file.truncate()


def archive_path(path: Path, *, compressed: bool, encrypted: bool) -> Path:
    """Return the path with the suffixes for compression and encryption."""
    endings = f".tar{COMPRESSED if compressed else ''}{ENCRYPTED if encrypted else ''}"
    return path.with_name(f"{path.name}{endings}")


@contextmanager
def new_archive(path: Path, *, compressed: bool, password: str | None) -> Iterator[ArchiveWriter]:
    """Create an archive at a path. The path exists only when the archive is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        unfinished.touch(0o600, exist_ok=False)  # only the owner can read exports
        with unfinished.open("wb") as file:
            with ExitStack() as stack:
                target: Any = file
                if password is not None:
                    target = stack.enter_context(EncryptingFile(file, password))
                if compressed:
                    target = stack.enter_context(gzip.GzipFile("", "wb", _COMPRESSION, target))
                tar = stack.enter_context(tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT))
                yield ArchiveWriter(tar, path.parent)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
