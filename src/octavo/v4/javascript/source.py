"""Files of a project as text: read within bounds, never through a link that leaves the project; places inside them."""

import re
from bisect import bisect_left
from dataclasses import field
from pathlib import Path

from octavo.core.bounded_files import read_own_file
from octavo.core.values import dataclass

LARGEST_SOURCE = 256 * 1024
"""Bytes. Files that people write are far below it; bundles are not, and say nothing that can be read."""

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, which some editors write."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something stands: the file as its owner would name it, line and column, both from 1, in characters."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class SourceProblem(Exception):
    """A file cannot be read. `place` says where, `message` why, in words for the owner of the project."""

    def __init__(self, place: Place, message: str) -> None:
        self.place = place
        self.message = message
        super().__init__(f"{place}: {message}")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The text of one file, as UTF-8 bytes, since syntax trees count in bytes. `file` is its name in messages."""

    file: str
    text: bytes
    path: Path | None = None
    root: Path | None = None
    _continuations: list[int] = field(init=False, repr=False)
    _lines: list[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_continuations", [found.start() for found in re.finditer(rb"[\x80-\xbf]", self.text)])
        object.__setattr__(self, "_lines", [0, *(found.end() for found in re.finditer(rb"\n", self.text))])

    def place(self, offset: int) -> Place:
        """Where the byte at `offset` stands. Costs no more in a file of one long line than in any other."""
        line = bisect_left(self._lines, offset + 1)
        start = self._lines[line - 1]
        continued = bisect_left(self._continuations, offset) - bisect_left(self._continuations, start)
        return Place(self.file, line, offset - start - continued + 1)

    def place_at(self, row: int, column: int) -> Place:
        """The same for a row and a column in bytes, both from 0."""
        return self.place(min(self._lines[min(row, len(self._lines) - 1)] + column, len(self.text)))


def resolved_inside(path: Path, root: Path) -> Path | None:
    """The real path of `path`, or None where it, or what it links to, lies outside `root` or cannot be followed."""
    try:
        real = path.resolve(strict=True)
        return real if real.is_relative_to(root.resolve(strict=True)) else None
    except (OSError, RuntimeError, ValueError):
        return None


def name_in(path: Path, root: Path) -> str:
    """How messages name a file: its path inside the project, with slashes."""
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.name


def read_bytes(path: Path, root: Path, largest: int = LARGEST_SOURCE) -> bytes:
    """What the regular file `path` inside `root` holds. Raises `SourceProblem`."""
    place = Place(name_in(path, root))
    real = resolved_inside(path, root)
    if real is None:
        raise SourceProblem(place, "There is no such file inside the project")
    try:
        return read_own_file(real, largest)
    except OSError as error:
        raise SourceProblem(place, f"It cannot be read: {error.strerror or error}") from error


def read_source(path: Path, root: Path) -> Source:
    """The text of `path`, a file of the project in the folder `root`. Raises `SourceProblem`."""
    return source_of(read_bytes(path, root), name_in(path, root), path, root)


def source_of(content: bytes, file: str, path: Path | None = None, root: Path | None = None) -> Source:
    """`content` as v4 sees it: without a byte order mark, and U+FFFD for what is no UTF-8. Raises `SourceProblem`."""
    if len(content) > LARGEST_SOURCE:
        raise SourceProblem(Place(file), f"It is larger than {LARGEST_SOURCE // 1024} kB")
    text = content.removeprefix(MARK).decode("utf-8", "replace").encode()
    source = Source(file, text, path, root)
    if (nul := text.find(b"\0")) >= 0:
        raise SourceProblem(source.place(nul), "It holds a NUL character, so it is no text")
    return source
