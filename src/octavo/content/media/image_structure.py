"""Limits for the structure of images: the number of segments, chunks, blocks and directories in a file.

Decoders walk all of them, some in more than linear time. So each file is walked here first, in one pass that reads only
headers, and refused if it has more parts than any camera or program writes. `images` limits the pixels. A file that is
truncated or malformed is left to the decoder, which stops at the same position.
"""

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Final

from octavo.core.errors import ApplicationError

MOST_NOTES: Final = 1_000
"""The maximum number of segments, chunks and blocks without pixels."""
MOST_NOTES_BYTES: Final = 16 << 20
"""Their maximum total size in bytes."""
MOST_EXIF_BYTES: Final = 1 << 20
"""The maximum total size of Exif parts in bytes. A JPEG part has at most 64 kB, and decoders join them."""
MOST_PIXEL_PARTS: Final = 400_000
"""The maximum number of chunks or blocks with pixels. Programs write at least 255 bytes to each but the last."""
MOST_DIRECTORIES: Final = 1_000
MOST_ENTRIES: Final = 4_000
"""The maximum number of directories (pages) in a TIFF file, and of their entries."""

_FILLER: Final = 64 * 1024
"""The maximum number of bytes between the segments of a JPEG file."""
_PNG_HEADER: Final = 8
_EXIF: Final = b"Exif\0\0"
_PNG_PIXELS: Final = frozenset({b"IDAT", b"fdAT", b"fcTL"})
_WEBP_PIXELS: Final = frozenset({b"VP8 ", b"VP8L", b"ALPH", b"ANMF"})
_BARE: Final = frozenset({0xC8, *range(0xD0, 0xDA), *range(0xF0, 0xFE)})
"""JPEG markers without a length."""


class _CutOff(Exception):
    """The file ends within a part."""


class _Counted:
    """Counts the parts of a file."""

    def __init__(self) -> None:
        self.notes = self.note_bytes = self.exif_bytes = self.pixel_parts = 0
        self.directories = self.entries = 0

    def add_note(self, size: int, *, exif: bool = False) -> None:
        """Count a part without pixels. Like the other methods, raises ApplicationError above the limit."""
        self.notes += 1
        self.note_bytes += size
        self.exif_bytes += size if exif else 0
        _check("parts without pixels", self.notes, MOST_NOTES)
        _check("bytes of metadata", self.note_bytes, MOST_NOTES_BYTES)
        _check("bytes of Exif", self.exif_bytes, MOST_EXIF_BYTES)

    def add_pixels(self) -> None:
        """Count a part with pixels."""
        self.pixel_parts += 1
        _check("parts", self.pixel_parts, MOST_PIXEL_PARTS)

    def add_directory(self, entries: int) -> None:
        """Count a TIFF directory."""
        self.directories += 1
        self.entries += entries
        _check("directories", self.directories, MOST_DIRECTORIES)
        _check("directory entries", self.entries, MOST_ENTRIES)


def check_structure(path: Path, mime: str) -> None:
    """Raise ApplicationError if an image has more parts than a decoder should walk."""
    walk = _WALKS.get(mime)
    if walk is not None:
        with path.open("rb") as file:
            try:
                walk(file, _Counted())
            except (_CutOff, struct.error):
                return


def _check(what: str, found: int, most: int) -> None:
    if found > most:
        raise ApplicationError(
            f"The image has more than {most} {what}, which is the limit. Save it again with another program"
        )


def _read(file: IO[bytes], length: int) -> bytes:
    content = file.read(length)
    if len(content) != length:
        raise _CutOff
    return content


def _walk_jpeg(file: IO[bytes], counted: _Counted) -> None:
    """Walk the segments up to the first scan; bytes between them are skipped one by one, as decoders do."""
    filler = 0
    _read(file, 2)
    while True:
        while (start := _read(file, 1)) != b"\xff":
            filler += 1
            _check("bytes between its segments", filler, _FILLER)
        while (start := _read(file, 1)) == b"\xff":
            filler += 1
            _check("bytes between its segments", filler, _FILLER)
        marker = start[0]
        if marker == 0xDA:
            return
        if marker in _BARE or marker == 0:
            counted.add_note(0)
            continue
        length = max(struct.unpack(">H", _read(file, 2))[0] - 2, 0)
        head = _read(file, min(length, len(_EXIF)))
        counted.add_note(length, exif=marker == 0xE1 and head == _EXIF)
        file.seek(length - len(head), 1)


def _walk_png(file: IO[bytes], counted: _Counted) -> None:
    file.seek(_PNG_HEADER)
    kind = b""
    while kind != b"IEND":
        length, kind = struct.unpack(">I4s", _read(file, 8))
        if not kind.isalnum():
            raise _CutOff
        if kind in _PNG_PIXELS:
            counted.add_pixels()
        else:
            counted.add_note(length, exif=kind == b"eXIf")
        file.seek(length + 4, 1)


def _walk_webp(file: IO[bytes], counted: _Counted) -> None:
    size, _ = struct.unpack("<4xI4s", _read(file, 12))
    while file.tell() < size + 8:
        kind, length = struct.unpack("<4sI", _read(file, 8))
        if kind in _WEBP_PIXELS:
            counted.add_pixels()
        else:
            counted.add_note(length, exif=kind == b"EXIF")
        file.seek(length + length % 2, 1)


def _walk_gif(file: IO[bytes], counted: _Counted) -> None:
    """Walk the blocks up to the second image: decoders read that far to detect animations."""
    file.seek(10)
    flags, _, _ = _read(file, 3)
    _skip_palette(file, flags)
    images = 0
    while images < 2 and (kind := _read(file, 1)) != b";":
        if kind == b"!":
            _read(file, 1)
            while length := _read(file, 1)[0]:
                counted.add_pixels()
                file.seek(length, 1)
            counted.add_note(0)
        elif kind == b",":
            images += 1
            _skip_palette(file, _read(file, 9)[8])
            _read(file, 1)
            while length := _read(file, 1)[0]:
                counted.add_pixels()
                file.seek(length, 1)
        else:
            counted.add_note(1)  # decoders skip it


def _skip_palette(file: IO[bytes], flags: int) -> None:
    if flags & 0x80:
        file.seek(3 << ((flags & 7) + 1), 1)


def _walk_tiff(file: IO[bytes], counted: _Counted) -> None:
    """Walk the chain of directories. Decoders limit the size of values themselves."""
    head = _read(file, 16)
    order = "<" if head.startswith(b"II") else ">"
    big = 43 in (head[2], head[3])
    number, size, entry, offset = ("Q", 8, 20, 8) if big else ("H", 2, 12, 4)
    (following,) = struct.unpack_from(f"{order}{'Q' if big else 'I'}", head, offset)
    seen = set[int]()
    while following and following not in seen and following < 1 << 62:
        seen.add(following)
        file.seek(following)
        (entries,) = struct.unpack(order + number, _read(file, size))
        counted.add_directory(entries)
        file.seek(entries * entry, 1)
        (following,) = struct.unpack(order + ("Q" if big else "I"), _read(file, 8 if big else 4))


_WALKS: Final[Mapping[str, Callable[[IO[bytes], _Counted], None]]] = {
    "image/jpeg": _walk_jpeg,
    "image/png": _walk_png,
    "image/webp": _walk_webp,
    "image/gif": _walk_gif,
    "image/tiff": _walk_tiff,
}
