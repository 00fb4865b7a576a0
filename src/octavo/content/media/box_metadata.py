"""Find the metadata in files that consist of boxes (ISO base media): HEIC, AVIF, MP4 and QuickTime.

Boxes stay where they are, because other boxes contain offsets; metadata in them is overwritten. Images lose all
metadata, videos their location: in user data, in metadata boxes, and in tracks that record it over time.
"""

import re
import struct
from collections.abc import Iterator, Mapping
from mmap import mmap
from typing import Final

from octavo.content.media.file_edits import FileEdits, Range, UnexpectedStructure
from octavo.core.values import dataclass

FIRST_BOXES: Final = frozenset({b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"})
"""The boxes that a file can begin with."""

_IMAGE_BOXES: Final = frozenset({b"ftyp", b"meta", b"mdat", b"moov", b"moof", b"mfra", b"sidx", b"idat", b"wide"})
_UNUSED: Final = frozenset({b"free", b"skip", b"uuid", b"mpvd", b"sefd", b"gps ", b"udta", b"XMP_"})
_UNIQUE: Final = frozenset(map(bytes.fromhex, ("be7acfcb97a942e89c71999491e3afac", "d8fec3d61b0e483c92975828877ec481")))
"""Identifiers of XMP and of content credentials."""
_CANON_RAW: Final = b"crx "
_CANON_TAGS: Final = bytes.fromhex("85c0b687820f11e08111f4ce462b6a48")
_CANON_LOCATION: Final = b"CMT4"

_CREDITS: Final = frozenset(
    (
        *(
            b"\xa9nam",
            b"\xa9ART",
            b"\xa9alb",
            b"\xa9gen",
            b"\xa9cpy",
            b"\xa9aut",
            b"\xa9des",
            b"name",
            b"cprt",
            b"titl",
        ),
        *(b"auth", b"perf", b"gnre", b"dscp", b"albm", b"yrrc", b"tsel", b"hnti", b"hinf", b"kind", b"chpl", b"meta"),
    )
)
"""User data that stays in videos: titles, authors, copyright, and technical values."""
_PLACE: Final = re.compile(rb"(?i)location|gps|\bgeo|iso6709|xmp|address")
_PLACE_ITEMS: Final = frozenset({b"\xa9xyz", b"loci"})

_EMPTY_EXIF: Final = bytes(4) + b"MM\0*\0\0\0\x08" + bytes(6)
_EMPTY_XMP: Final = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'
_MOST_BOXES: Final = 100_000
_MOST_SAMPLES: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class _Box:
    """A box: its type, and the positions of its start, its content and its end."""

    kind: bytes
    start: int
    body: int
    stop: int


def box_edits(data: mmap, *, image: bool) -> FileEdits:
    """Return the edits that remove metadata. Raises UnexpectedStructure.

    `image`: remove all metadata, not only the location.
    """
    try:
        return _Boxes(data, image=image).edits()
    except struct.error:
        raise UnexpectedStructure from None


class _Boxes:
    """The structure of one file, and the edits found in it."""

    def __init__(self, data: mmap, *, image: bool) -> None:
        self._data = data
        self._raw = data[8:12] == _CANON_RAW  # decoders need the tags of raw files
        self._image = image and not self._raw
        self._edits = FileEdits()

    def edits(self) -> FileEdits:
        boxes = list(self._within(0, len(self._data)))
        if not any(box.kind in (b"meta", b"moov") for box in boxes):
            raise UnexpectedStructure
        for box in boxes:
            if box.kind == b"meta":
                self._metadata(box)
            elif box.kind == b"moov":
                self._movie(box)
            elif self._raw and box.kind == b"uuid":
                self._unique(box)
            elif box.kind in _UNUSED or (self._image and box.kind not in _IMAGE_BOXES):
                self._erase(box)
        self._edits.length = boxes[-1].stop
        return self._edits

    def _within(self, start: int, stop: int) -> Iterator[_Box]:
        """Yield the boxes in a part of the file, up to the first bytes that are no box."""
        count = 0
        while stop - start >= 8 and (count := count + 1) < _MOST_BOXES:
            size, kind = struct.unpack_from(">I4s", self._data, start)
            body = start + 8
            if size == 1 and stop - start >= 16:
                (size,) = struct.unpack_from(">Q", self._data, body)
                body += 8
            end = stop if size == 0 else start + size
            if not body <= end <= stop:
                return
            yield _Box(kind, start, body, end)
            start = end

    def _children(self, box: _Box) -> Iterator[_Box]:
        return self._within(box.body, box.stop)

    def _find(self, box: _Box, *path: bytes) -> _Box | None:
        """Return the box at a path of types."""
        for kind in path:
            box_of_kind = next((child for child in self._children(box) if child.kind == kind), None)
            if box_of_kind is None:
                return None
            box = box_of_kind
        return box

    def _erase(self, box: _Box) -> None:
        """Turn a box into free space."""
        self._edits.patches.append((box.start + 4, b"free"))
        self._edits.zeros.append((box.body, box.stop))

    def _fill(self, start: int, stop: int, content: bytes, filler: bytes) -> None:
        """Replace a value by another one of the same length."""
        length = min(stop, len(self._data)) - start
        filled = content if len(content) <= length else b""
        if length > 0:
            self._edits.patches.append((start, filled.ljust(length, filler)))

    # Movies

    def _movie(self, movie: _Box) -> None:
        for box in self._children(movie):
            if box.kind == b"trak":
                self._track(box)
            elif box.kind == b"uuid" and not self._image:
                self._unique(box)
            else:
                self._described(box)

    def _unique(self, box: _Box) -> None:
        """Edit a box whose type is an identifier."""
        identifier = self._data[box.body : box.body + 16]
        if identifier in _UNIQUE:
            self._erase(box)
        elif identifier == _CANON_TAGS:
            for child in self._within(box.body + 16, box.stop):
                if child.kind == _CANON_LOCATION:
                    self._erase(child)

    def _described(self, box: _Box) -> None:
        """Edit a box that can be in movies and in tracks."""
        if box.kind == b"udta" and not self._image:
            for child in self._children(box):
                if child.kind == b"meta":
                    self._metadata(child)
                elif child.kind not in _CREDITS:
                    self._erase(child)
        elif box.kind == b"meta":
            self._metadata(box)
        elif box.kind in _UNUSED:
            self._erase(box)

    def _track(self, track: _Box) -> None:
        handler = self._find(track, b"mdia", b"hdlr")
        if handler is not None and self._data[handler.body + 8 : handler.body + 12] == b"meta":
            self._edits.zeros.extend(self._samples(track))
            self._erase(track)
            return
        for box in self._children(track):
            self._described(box)

    def _samples(self, track: _Box) -> Iterator[Range]:
        """Yield where the samples of a track are."""
        table = self._find(track, b"mdia", b"minf", b"stbl")
        bodies = {box.kind: box.body for box in self._children(table)} if table else {}
        if not {b"stsz", b"stsc"} <= bodies.keys() or not {b"stco", b"co64"} & bodies.keys():
            return
        sizes = self._sizes(bodies[b"stsz"])
        counts = self._counts(bodies[b"stsc"])
        long = b"co64" in bodies
        place = bodies[b"co64" if long else b"stco"] + 4
        (chunks,) = struct.unpack_from(">I", self._data, place)
        if chunks > _MOST_SAMPLES:
            raise UnexpectedStructure
        in_chunk = 0
        for index, start in enumerate(struct.unpack_from(f">{chunks}{'Q' if long else 'I'}", self._data, place + 4), 1):
            in_chunk = counts.get(index, in_chunk)
            size = sum(next(sizes, 0) for _ in range(min(in_chunk, _MOST_SAMPLES)))
            yield start, min(start + size, len(self._data))

    def _sizes(self, place: int) -> Iterator[int]:
        equal, count = struct.unpack_from(">II", self._data, place + 4)
        if count > _MOST_SAMPLES:
            raise UnexpectedStructure
        return iter((equal,) * count if equal else struct.unpack_from(f">{count}I", self._data, place + 12))

    def _counts(self, place: int) -> Mapping[int, int]:
        """Return the numbers of samples in a chunk, by the first chunk that they apply to."""
        (count,) = struct.unpack_from(">I", self._data, place + 4)
        if count > _MOST_SAMPLES:
            raise UnexpectedStructure
        rows = struct.unpack_from(f">{count * 3}I", self._data, place + 8)
        return dict(zip(rows[::3], rows[1::3], strict=True))

    # Metadata boxes

    def _metadata(self, box: _Box) -> None:
        start = box.body if self._data[box.body + 4 : box.body + 8] == b"hdlr" else box.body + 4  # QuickTime
        children = {child.kind: child for child in self._within(start, box.stop)}
        if b"ilst" in children:
            self._values(children[b"ilst"], children.get(b"keys"))
        if b"iinf" in children and b"iloc" in children:
            self._items(children)
        for child in children.values():
            if child.kind in _UNUSED:
                self._erase(child)

    def _values(self, values: _Box, keys: _Box | None) -> None:
        """Erase values of a location: by type, by the name of their key, or by their own name."""
        names = (
            [bytes(self._data[key.body : key.stop]) for key in self._within(keys.body + 8, keys.stop)] if keys else []
        )
        for item in self._children(values):
            (index,) = struct.unpack(">I", item.kind)
            name = names[index - 1] if 0 < index <= len(names) else b""
            if item.kind == b"----":
                name = bytes(self._data[item.body : item.stop])
            if self._image or item.kind in _PLACE_ITEMS or _PLACE.search(name):
                for child in self._children(item):
                    if child.kind == b"data":
                        self._fill(min(child.body + 8, child.stop), child.stop, b"", b" ")

    def _items(self, found: Mapping[bytes, _Box]) -> None:
        """Replace Exif and XMP items by empty ones."""
        kinds = dict(self._item_kinds(found[b"iinf"]))
        idat = found.get(b"idat")
        for item, start, stop in self._extents(found[b"iloc"], idat.body if idat else 0):
            if kinds.get(item) == b"Exif":
                self._fill(start, stop, _EMPTY_EXIF, b"\0")
            elif kinds.get(item) == b"mime":
                self._fill(start, stop, _EMPTY_XMP, b" ")

    def _item_kinds(self, info: _Box) -> Iterator[tuple[int, bytes]]:
        first = info.body + (6 if self._data[info.body] == 0 else 8)
        for entry in self._within(first, info.stop):
            version = self._data[entry.body]
            if version >= 2:
                yield struct.unpack_from(">H2x4s" if version == 2 else ">I2x4s", self._data, entry.body + 4)

    def _extents(self, box: _Box, idat: int) -> Iterator[tuple[int, int, int]]:
        """Yield item, start and end for each part of each item in this file."""
        version = self._data[box.body]
        first, second = self._data[box.body + 4], self._data[box.body + 5]
        sizes = first >> 4, first & 15, second >> 4, second & 15 if version else 0
        place = box.body + 6

        def number(size: int) -> int:
            nonlocal place
            place += size
            if place > box.stop:
                raise UnexpectedStructure
            return int.from_bytes(self._data[place - size : place], "big")

        wide = 4 if version >= 2 else 2
        for _ in range(number(wide)):
            item = number(wide)
            method = number(2) & 15 if version else 0
            number(2)
            base = number(sizes[2])
            for _ in range(number(2)):
                number(sizes[3])
                start, length = base + number(sizes[0]), number(sizes[1])
                start += idat if method == 1 else 0
                if method < 2 and start < len(self._data):
                    yield item, start, start + length
