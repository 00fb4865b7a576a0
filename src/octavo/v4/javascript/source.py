"""Read files of a project as text, within size limits and never through a link out of the project, with locations."""

import os
import re
from bisect import bisect_left
from dataclasses import field
from pathlib import Path

from octavo.core.bounded_files import read_own_file
from octavo.core.values import dataclass

LARGEST_SOURCE = 256 * 1024
"""Maximum bytes. Handwritten files are far smaller; bundles are larger, and cannot be analyzed anyway."""

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, which some editors write."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A location: the file as its owner would name it, line and column, both from 1, in characters."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class SourceProblem(Exception):
    """A file cannot be read. `place` is the location, `message` the reason for the project's owner."""

    def __init__(self, place: Place, message: str) -> None:
        self.place = place
        self.message = message
        super().__init__(f"{place}: {message}")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The text of one file, as UTF-8 bytes, because syntax trees count in bytes. `file` is its name in messages."""

    file: str
    text: bytes
    path: Path | None = None
    root: Path | None = None
    _continuations: list[int] = field(init=False, repr=False)
    _lines: list[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_continuations", [match.start() for match in re.finditer(rb"[\x80-\xbf]", self.text)])
        object.__setattr__(self, "_lines", [0, *(match.end() for match in re.finditer(rb"\n", self.text))])

    def place(self, offset: int) -> Place:
        """Return the location of the byte at `offset`. Takes no longer for a file with one long line."""
        line = bisect_left(self._lines, offset + 1)
        start = self._lines[line - 1]
        continued = bisect_left(self._continuations, offset) - bisect_left(self._continuations, start)
        return Place(self.file, line, offset - start - continued + 1)

    def place_at(self, row: int, column: int) -> Place:
        """Return the location of a row and a column in bytes, both from 0."""
        return self.place(min(self._lines[min(row, len(self._lines) - 1)] + column, len(self.text)))


def resolved_inside(path: Path, root: Path) -> Path | None:
    """Return the real path of `path`, or None if it, or a link's target, is outside `root` or cannot be resolved."""
    try:
        real = path.resolve(strict=True)
        return real if real.is_relative_to(root.resolve(strict=True)) else None
    except (OSError, RuntimeError, ValueError):
        return None


def name_in(path: Path, root: Path) -> str:
    """Return a file's name in messages: its path inside the project, with slashes."""
    try:
        name = path.relative_to(root).as_posix()
    except ValueError:
        name = path.name
    return os.fsencode(name).decode("utf-8", "replace")


def read_bytes(path: Path, root: Path, largest: int = LARGEST_SOURCE) -> bytes:
    """Return the content of the regular file `path` in `root`. Raises `SourceProblem`."""
    place = Place(name_in(path, root))
    real = resolved_inside(path, root)
    if real is None:
        raise SourceProblem(place, "the file does not exist in the project")
    try:
        return read_own_file(real, largest)
    except OSError as error:
        raise SourceProblem(place, f"cannot be read: {error.strerror or error}") from error


def read_source(path: Path, root: Path) -> Source:
    """Return the text of `path`, a file in the folder `root`. Raises `SourceProblem`."""
    return source_of(read_bytes(path, root), name_in(path, root), path, root)


def source_of(content: bytes, file: str, path: Path | None = None, root: Path | None = None) -> Source:
    """Return `content` as v4 reads it: without byte order mark, invalid UTF-8 as U+FFFD. Raises `SourceProblem`."""
    if len(content) > LARGEST_SOURCE:
        raise SourceProblem(Place(file), f"larger than {LARGEST_SOURCE // 1024} kB")
    text = content.removeprefix(MARK).decode("utf-8", "replace").encode()
    source = Source(file, text, path, root)
    if (nul := text.find(b"\0")) >= 0:
        raise SourceProblem(source.place(nul), "not a text file, because it contains a NUL character")
    return source
