"""Remove metadata that cameras and programs write to images: location, time, serial numbers, thumbnails, edit history.

JPEG, PNG and WebP files are rewritten without decoding the pixels, because few people who upload a photo want to
publish where they live. Orientation and color profile stay. Files with an unexpected structure are left unchanged.
"""

import os
import shutil
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

UPRIGHT: Final = 1

_EXIF_MARK: Final = b"Exif\0\0"
_PROFILE_MARK: Final = b"ICC_PROFILE\0"
_PNG_START: Final = b"\x89PNG\r\n\x1a\n"
_PNG_NOTES: Final = frozenset({b"eXIf", b"tEXt", b"zTXt", b"iTXt", b"tIME"})
_WEBP_NOTES: Final = frozenset({b"EXIF", b"XMP "})
_WEBP_FLAGS: Final = 0x08 | 0x04
"""The flags for EXIF and XMP in the WebP header."""

_PIECE: Final = 1 << 20


class _Unusual(Exception):
    """The file has an unexpected structure."""


def remove_notes(path: Path, mime: str, orientation: int = UPRIGHT) -> bool:
    """Remove metadata from an image in place; return whether there was any. Keeps `orientation`, unless upright."""
    take = _KINDS.get(mime)
    if take is None:
        return False
    clean = path.with_name(f"{path.name}.clean")
    try:
        with path.open("rb") as source, clean.open("xb") as target:
            take(source, target, orientation)
            target.flush()
            os.fsync(target.fileno())
        if clean.stat().st_size == path.stat().st_size:
            return False
        clean.replace(path)
    except (_Unusual, struct.error):
        return False
    finally:
        clean.unlink(missing_ok=True)
    return True


def _exif(orientation: int) -> bytes:
    """Return the smallest EXIF block with an orientation."""
    entry = struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)
    return b"MM\0*" + struct.pack(">IH", 8, 1) + entry + bytes(4)


def _read(source: IO[bytes], length: int) -> bytes:
    found = source.read(length)
    if len(found) != length:
        raise _Unusual
    return found


def _pass(source: IO[bytes], length: int, target: IO[bytes] | None) -> None:
    """Copy `length` bytes in chunks, or skip them if `target` is None."""
    while length:
        piece = _read(source, min(length, _PIECE))
        length -= len(piece)
        if target is not None:
            target.write(piece)


# JPEG: segments up to the start of the pixels


def _take_jpeg(source: IO[bytes], target: IO[bytes], orientation: int) -> None:
    target.write(_read(source, 2))
    if orientation != UPRIGHT:
        note = _EXIF_MARK + _exif(orientation)
        target.write(b"\xff\xe1" + struct.pack(">H", len(note) + 2) + note)
    for marker, content in _jpeg_segments(source):
        if _belongs_to_picture(marker, content):
            target.write(bytes((0xFF, marker)) + struct.pack(">H", len(content) + 2) + content)
    shutil.copyfileobj(source, target)


def _jpeg_segments(source: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the segments up to the first scan, which is the last one."""
    marker = 0
    while marker != 0xDA:
        start, marker = _read(source, 2)
        while marker == 0xFF:  # padding
            (marker,) = _read(source, 1)
        if start != 0xFF or marker in (0x00, 0x01, 0xD9) or 0xD0 <= marker <= 0xD8:
            raise _Unusual
        (length,) = struct.unpack(">H", _read(source, 2))
        if length < 2:
            raise _Unusual
        yield marker, _read(source, length - 2)


def _belongs_to_picture(marker: int, content: bytes) -> bool:
    """Return whether a segment is needed: tables, frames, density, color profile and Adobe's color transform."""
    if marker == 0xE2:
        return content.startswith(_PROFILE_MARK)
    return marker in (0xE0, 0xEE) or not (0xE0 <= marker <= 0xEF or marker == 0xFE)


# PNG: chunks with checksums


def _take_png(source: IO[bytes], target: IO[bytes], orientation: int) -> None:
    if _read(source, len(_PNG_START)) != _PNG_START:
        raise _Unusual
    target.write(_PNG_START)
    kind = b""
    while kind != b"IEND":
        head = _read(source, 8)
        length, kind = struct.unpack(">I4s", head)
        kept = None if kind in _PNG_NOTES else target
        if kept is not None:
            kept.write(head)
        _pass(source, length + 4, kept)  # with its checksum
        if kind == b"IHDR" and orientation != UPRIGHT:
            note = _exif(orientation)
            sum_ = zlib.crc32(b"eXIf" + note)
            target.write(struct.pack(">I4s", len(note), b"eXIf") + note + struct.pack(">I", sum_))
    shutil.copyfileobj(source, target)


# WebP: chunks of even length, and a header with flags for them


def _take_webp(source: IO[bytes], target: IO[bytes], orientation: int) -> None:
    riff, _, webp = struct.unpack("<4sI4s", _read(source, 12))
    if (riff, webp) != (b"RIFF", b"WEBP"):
        raise _Unusual
    turned = orientation != UPRIGHT
    target.write(struct.pack("<4sI4s", b"RIFF", 0, b"WEBP"))
    extended = False
    while head := source.read(8):
        kind, length = struct.unpack("<4sI", head)
        kept = None if kind in _WEBP_NOTES else target
        if kept is not None:
            kept.write(head)
        length += length % 2
        if kind == b"VP8X" and length:
            extended, length = True, length - 1
            (flags,) = _read(source, 1)
            target.write(bytes((flags & ~_WEBP_FLAGS | (0x08 if turned else 0),)))
        _pass(source, length, kept)
    if turned and extended:
        note = _exif(orientation)
        target.write(struct.pack("<4sI", b"EXIF", len(note)) + note)
    size = target.tell() - 8
    target.seek(4)
    target.write(struct.pack("<I", size))


_KINDS: Final = {"image/jpeg": _take_jpeg, "image/png": _take_png, "image/webp": _take_webp}
