"""Find the metadata in TIFF files: everything that no picture needs.

The pixels and their description stay where they are; other tags are removed from the directories, and all other bytes
are overwritten. Raw files of cameras have the same structure and need their tags, so only their location is removed.
"""

import re
import struct
from collections.abc import Iterator, Sequence
from mmap import mmap
from typing import Final

from octavo.content.media.file_edits import FileEdits, Range, UnexpectedStructure, complement
from octavo.core.values import dataclass

_SUB_DIRECTORIES: Final = 330
_GPS: Final = 34853
_PICTURE_TAGS: Final = frozenset(
    (
        *range(254, 260),  # size and compression
        *(262, 263, 264, 265, 266, 273, 274, 277, 278, 279, 280, 281, 282, 283, 284),
        *(290, 291, 292, 293, 296, 297, 301, 317, 318, 319, 320, 321, 322, 323, 324, 325, 330),
        *(332, 334, 336, 338, 339, 340, 341, 342, 347, 512, 513, 514, 515, 517, 518, 519, 520, 521),
        *(529, 530, 531, 532, 32995, 32996, 32997, 34675, 37439, 37724, 50674),  # also color profile and layers
    )
)
_PIXELS: Final = ((273, 279), (324, 325), (513, 514))
"""Pairs of tags: the offsets of strips, tiles or a JPEG stream, and their sizes in bytes."""
_TABLES: Final = {519: 64, 520: 272, 521: 272}
"""Tags with the offsets of JPEG tables, and the maximum size of a table."""

_RAW_TAGS: Final = frozenset({50706, 50740})
_RAW_COLORS: Final = frozenset({32803, 34892})
_CANON_RAW: Final = (b"CR", b"HE")
_PLACES: Final = {700: re.compile(rb"(?i)gps|city|location"), 33723: re.compile(b""), 34377: re.compile(b"")}
"""Tags of raw files that hold a location if their value matches: XMP, IPTC and Photoshop."""

_SIZES: Final = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
_NUMBERS: Final = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q", 18: "Q"}
_MOST_DIRECTORIES: Final = 2_000
_MOST_ENTRIES: Final = 16_000


@dataclass(frozen=True, slots=True)
class _Entry:
    """A directory entry: its tag and type, the position of its value in the file, and its own bytes."""

    tag: int
    kind: int
    start: int
    stop: int
    written: bytes
    inline: bool


@dataclass(frozen=True, slots=True)
class _Directory:
    """A directory: its position in the file, its entries, and the bytes after them, which locate the next one."""

    start: int
    stop: int
    entries: Sequence[_Entry]
    following: bytes


def tiff_edits(data: mmap) -> FileEdits:
    """Return the edits that remove the metadata of a TIFF file. Raises UnexpectedStructure."""
    try:
        return _Tiff(data).edits()
    except struct.error:
        raise UnexpectedStructure from None


class _Tiff:
    """The structure of one file."""

    def __init__(self, data: mmap) -> None:
        self._data = data
        head = data[:16]
        self._order = "<" if head.startswith(b"II") else ">"
        self._big = 43 in (head[2], head[3])
        self._offset = "Q" if self._big else "I"
        self._first = self._unpack(self._offset, 8 if self._big else 4)
        self._directories = list(self._pages())

    def edits(self) -> FileEdits:
        if not self._directories:
            raise UnexpectedStructure
        return self._without_location() if self._is_raw() else self._only_picture()

    def _unpack(self, form: str, place: int) -> int:
        (found,) = struct.unpack_from(self._order + form, self._data, place)
        return int(found)

    # Directories

    def _pages(self) -> Iterator[_Directory]:
        """Yield the directories of all pages, and those of their smaller versions."""
        waiting, seen, entries = [self._first], set[int](), 0
        while waiting:
            place = waiting.pop()
            if not place or place in seen:
                continue
            seen.add(place)
            directory = self._directory(place)
            entries += len(directory.entries)
            if len(seen) > _MOST_DIRECTORIES or entries > _MOST_ENTRIES:
                raise UnexpectedStructure
            yield directory
            waiting.append(int(struct.unpack(self._order + self._offset, directory.following)[0]))
            for entry in directory.entries:
                if entry.tag == _SUB_DIRECTORIES:
                    waiting.extend(self._numbers(entry))

    def _directory(self, place: int) -> _Directory:
        count_form, entry_size = ("Q", 20) if self._big else ("H", 12)
        count = self._unpack(count_form, place)
        if count > _MOST_ENTRIES:
            raise UnexpectedStructure
        start = place + struct.calcsize(count_form)
        entries = tuple(self._entry(start + index * entry_size, entry_size) for index in range(count))
        end = start + count * entry_size
        stop = end + struct.calcsize(self._offset)
        following = self._data[end:stop].ljust(stop - end, b"\0")  # some programs leave it out in the last one
        return _Directory(place, stop, entries, following)

    def _entry(self, place: int, size: int) -> _Entry:
        tag, kind = self._unpack("H", place), self._unpack("H", place + 2)
        length = self._unpack(self._offset, place + 4) * _SIZES.get(kind, 1)
        field = place + 4 + struct.calcsize(self._offset)
        inline = length <= struct.calcsize(self._offset)
        start = field if inline else self._unpack(self._offset, field)
        return _Entry(tag, kind, start, start + length, self._data[place : place + size], inline)

    def _numbers(self, entry: _Entry) -> Sequence[int]:
        form = _NUMBERS.get(entry.kind)
        if form is None or entry.stop > len(self._data):
            raise UnexpectedStructure
        count = (entry.stop - entry.start) // struct.calcsize(form)
        return struct.unpack_from(f"{self._order}{count}{form}", self._data, entry.start)

    def _rewritten(self, directory: _Directory, kept: Sequence[_Entry]) -> tuple[int, bytes]:
        """Return the patch for a directory with fewer entries."""
        count = struct.pack(self._order + ("Q" if self._big else "H"), len(kept))
        written = count + b"".join(entry.written for entry in kept) + directory.following
        return directory.start, written.ljust(min(directory.stop, len(self._data)) - directory.start, b"\0")

    # Pictures

    def _only_picture(self) -> FileEdits:
        """Return the edits that leave only the pixels and their description."""
        kept: list[Range] = [(0, 16 if self._big else 8)]
        edits = FileEdits()
        for directory in self._directories:
            entries = [entry for entry in directory.entries if entry.tag in _PICTURE_TAGS]
            kept.append((directory.start, directory.stop))
            kept.extend((entry.start, entry.stop) for entry in entries if not entry.inline)
            kept.extend(self._pixels({entry.tag: entry for entry in entries}))
            if len(entries) < len(directory.entries):
                edits.patches.append(self._rewritten(directory, entries))
        size = len(self._data)
        edits.zeros = complement(kept, size)
        edits.length = min(size, max(stop for _, stop in kept))
        return edits

    def _pixels(self, entries: dict[int, _Entry]) -> Iterator[Range]:
        for offsets, lengths in _PIXELS:
            if offsets in entries:
                starts = self._numbers(entries[offsets])
                sizes = self._numbers(entries[lengths]) if lengths in entries else ()
                for index, start in enumerate(starts):
                    size = sizes[index] if index < len(sizes) else 0
                    yield start, start + size if size else len(self._data)  # decoders estimate a missing size
        for tag, most in _TABLES.items():
            if tag in entries:
                yield from ((start, start + most) for start in self._numbers(entries[tag]))

    # Raw files of cameras

    def _is_raw(self) -> bool:
        if self._data[8:10] in _CANON_RAW:
            return True
        entries = [entry for directory in self._directories for entry in directory.entries]
        colors = [entry for entry in entries if entry.tag == 262 and entry.inline]
        return any(entry.tag in _RAW_TAGS for entry in entries) or any(
            not _RAW_COLORS.isdisjoint(self._numbers(entry)) for entry in colors
        )

    def _without_location(self) -> FileEdits:
        """Return the edits that remove the location."""
        edits = FileEdits()
        for directory in self._directories:
            removed = [entry for entry in directory.entries if self._holds_location(entry)]
            for entry in removed:
                edits.zeros.extend(self._ranges(entry))
            if removed:
                kept = [entry for entry in directory.entries if entry not in removed]
                edits.patches.append(self._rewritten(directory, kept))
        return edits

    def _holds_location(self, entry: _Entry) -> bool:
        place = _PLACES.get(entry.tag)
        return entry.tag == _GPS or (
            place is not None and place.search(self._data, entry.start, entry.stop) is not None
        )

    def _ranges(self, entry: _Entry) -> Iterator[Range]:
        """Yield where the value of an entry is, and for a location the directory that it points to."""
        if not entry.inline:
            yield entry.start, entry.stop
        elif entry.tag == _GPS:
            directory = self._directory(self._numbers(entry)[0])
            yield directory.start, directory.stop
            yield from ((found.start, found.stop) for found in directory.entries if not found.inline)
