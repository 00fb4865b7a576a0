"""Remove metadata that cameras and programs write to files: location, time, serial numbers, thumbnails, edit history.

JPEG, PNG, WebP and GIF files are rewritten without decoding the pixels; TIFF, HEIC, AVIF, MP4 and QuickTime files are
edited in place. Only parts that a picture needs stay: pixels, orientation, color profile, animation. Everything after
the end of a picture is removed, such as a second photo or a video. Files with an unexpected structure are left
unchanged.
"""

import filecmp
import os
import re
import struct
import zlib
from collections.abc import Callable
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from pathlib import Path
from typing import IO, Final

from octavo.content.media.box_metadata import FIRST_BOXES, box_edits
from octavo.content.media.file_edits import FileEdits, UnexpectedStructure, edit_file
from octavo.content.media.tiff_metadata import tiff_edits

UPRIGHT: Final = 1

_EXIF_MARK: Final = b"Exif\0\0"
_PROFILE_MARK: Final = b"ICC_PROFILE\0"
_END: Final = b"\xff\xd9"
_MARKER: Final = re.compile(rb"\xff+([^\x00\xff])", re.DOTALL)
_MARKER_IN_PIXELS: Final = re.compile(rb"\xff+([\xc0-\xcf\xd8-\xef\xfe])")
_BARE: Final = frozenset({0x01, *range(0xD0, 0xD8)})
"""JPEG markers without a length."""
_JPEG_PARTS: Final = frozenset({*range(0xC0, 0xD0), *range(0xDA, 0xE0)})
"""JPEG markers of tables, frames and scans."""

_PNG_START: Final = b"\x89PNG\r\n\x1a\n"
_PNG_PARTS: Final = frozenset(
    (
        *(b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP", b"mDCV", b"cLLI", b"bKGD", b"hIST", b"pHYs"),
        *(b"sPLT", b"acTL", b"fcTL", b"fdAT"),
    )
)
"""Optional chunks that stay; those with a name in capitals always do."""

_WEBP_PARTS: Final = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"})
_WEBP_FLAGS: Final = 0x08 | 0x04
"""The flags for EXIF and XMP in the WebP header."""

_GIF_EXTENSIONS: Final = frozenset({0x01, 0xF9})
_GIF_APPLICATIONS: Final = (b"\x0bNETSCAPE2.0", b"\x0bANIMEXTS1.0", b"\x0bICCRGBG1012")
"""Applications whose extensions stay: repetitions and color profiles."""

_PIECE: Final = 1 << 20
_MAPPED: Final = 16 << 20
_BOX_TYPES: Final = ("image/", "video/", "audio/", "application/mp4")


def remove_notes(path: Path, mime: str, orientation: int = UPRIGHT) -> bool:
    """Remove metadata from a file in place; return whether there was any. Keeps `orientation`, unless upright.

    `path` must not be public: a reader could see a file that is half edited.
    """
    try:
        if path.stat().st_size == 0:
            return False
        if mime == "image/tiff":
            return _edit(path, tiff_edits)
        if _has_boxes(path, mime):
            return _edit(path, lambda data: box_edits(data, image=mime.startswith("image/")))
        return _rewrite(path, mime, orientation)
    except (UnexpectedStructure, struct.error, IndexError):
        return False


def _has_boxes(path: Path, mime: str) -> bool:
    with path.open("rb") as file:
        return mime.startswith(_BOX_TYPES) and file.read(8)[4:] in FIRST_BOXES


def _edit(path: Path, find: Callable[[mmap], FileEdits]) -> bool:
    with path.open("r+b") as file, mmap(file.fileno(), 0) as data:
        changed = edit_file(path, find(data), data)
        os.fsync(file.fileno())
        return changed


def _rewrite(path: Path, mime: str, orientation: int) -> bool:
    take = _KINDS.get(mime)
    if take is None:
        return False
    clean = path.with_name(f"{path.name}.clean")
    try:
        with (
            path.open("rb") as file,
            mmap(file.fileno(), 0, access=ACCESS_READ) as source,
            clean.open("xb") as target,
        ):
            take(source, target, orientation)
            target.flush()
            os.fsync(target.fileno())
        if filecmp.cmp(clean, path, shallow=False):
            return False
        clean.replace(path)
    finally:
        clean.unlink(missing_ok=True)
    return True


def _exif(orientation: int) -> bytes:
    """Return the smallest EXIF block with an orientation."""
    entry = struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)
    return b"MM\0*" + struct.pack(">IH", 8, 1) + entry + bytes(4)


def _read(source: mmap, length: int) -> bytes:
    content = source.read(length)
    if len(content) != length:
        raise UnexpectedStructure
    return content


def _pass(source: mmap, length: int, target: IO[bytes] | None) -> None:
    """Copy `length` bytes in chunks, or skip them if `target` is None."""
    while length:
        place = source.tell()
        piece = _read(source, min(length, _PIECE))
        length -= len(piece)
        if target is not None:
            target.write(piece)
        if place // _MAPPED != source.tell() // _MAPPED:
            source.madvise(MADV_DONTNEED)  # otherwise all of the file counts as this process's memory


# JPEG: segments, and pixels after each start of a scan


def _take_jpeg(source: mmap, target: IO[bytes], orientation: int) -> None:
    target.write(_read(source, 2))
    if orientation != UPRIGHT:
        note = _EXIF_MARK + _exif(orientation)
        target.write(b"\xff\xe1" + struct.pack(">H", len(note) + 2) + note)
    in_pixels = has_pixels = False
    while True:
        place = source.tell()
        found = (_MARKER_IN_PIXELS if in_pixels else _MARKER).search(source, place)
        if in_pixels:
            _pass(source, (found.start() if found else len(source)) - place, target)
        marker = found[1][0] if found else 0
        if found is not None and marker in _BARE and not in_pixels:
            source.seek(found.end())
            continue
        content = _segment(source, found.end()) if found and marker not in (0xD8, 0xD9) else None
        if content is None:  # the end, also of a picture that is cut off
            if not has_pixels:
                raise UnexpectedStructure
            target.write(_END if found else b"")
            return
        kept = _kept_segment(marker, content)
        if kept is not None:
            target.write(bytes((0xFF, marker)) + struct.pack(">H", len(kept) + 2) + kept)
        in_pixels = marker == 0xDA
        has_pixels |= in_pixels


def _segment(source: mmap, place: int) -> bytes | None:
    """Return the content of the segment at a position, and go to its end; None if it is damaged."""
    length = int.from_bytes(source[place : place + 2], "big")
    if length < 2 or place + length > len(source):
        return None
    source.seek(place + length)
    return source[place + 2 : place + length]


def _kept_segment(marker: int, content: bytes) -> bytes | None:
    """Return a segment if the picture needs it: tables, frames, density, color profile and Adobe's color transform."""
    if marker == 0xE0 and content.startswith(b"JFIF\0"):
        return content if len(content) <= 14 else content[:12] + b"\0\0"  # without its thumbnail
    is_kept = (
        marker in _JPEG_PARTS
        or (marker == 0xE2 and content.startswith(_PROFILE_MARK))
        or (marker == 0xEE and content.startswith(b"Adobe"))
    )
    return content if is_kept else None


# PNG: chunks with checksums


def _take_png(source: mmap, target: IO[bytes], orientation: int) -> None:
    if _read(source, len(_PNG_START)) != _PNG_START:
        raise UnexpectedStructure
    target.write(_PNG_START)
    kind = b""
    while kind != b"IEND":
        head = _read(source, 8)
        length, kind = struct.unpack(">I4s", head)
        kept = target if kind[:1].isupper() or kind in _PNG_PARTS else None
        if kept is not None:
            kept.write(head)
        _pass(source, length + 4, kept)  # with its checksum
        if kind == b"IHDR" and orientation != UPRIGHT:
            note = _exif(orientation)
            sum_ = zlib.crc32(b"eXIf" + note)
            target.write(struct.pack(">I4s", len(note), b"eXIf") + note + struct.pack(">I", sum_))


# WebP: chunks of even length, and a header with flags for them


def _take_webp(source: mmap, target: IO[bytes], orientation: int) -> None:
    riff, size, webp = struct.unpack("<4sI4s", _read(source, 12))
    if (riff, webp) != (b"RIFF", b"WEBP"):
        raise UnexpectedStructure
    end = min(size + 8, len(source))
    turned = orientation != UPRIGHT
    target.write(struct.pack("<4sI4s", b"RIFF", 0, b"WEBP"))
    extended = False
    while end - source.tell() >= 8:
        head = _read(source, 8)
        kind, length = struct.unpack("<4sI", head)
        kept = target if kind in _WEBP_PARTS else None
        if kept is not None:
            kept.write(head)
        padding = length % 2
        if kind == b"VP8X" and length:
            extended, length = True, length - 1
            (flags,) = _read(source, 1)
            target.write(bytes((flags & ~_WEBP_FLAGS | (0x08 if turned else 0),)))
        _pass(source, length, kept)
        if padding:
            source.seek(min(source.tell() + 1, len(source)))
            if kept is not None:
                kept.write(b"\0")
    if turned and extended:
        note = _exif(orientation)
        target.write(struct.pack("<4sI", b"EXIF", len(note)) + note)
    size = target.tell() - 8
    target.seek(4)
    target.write(struct.pack("<I", size))


# GIF: blocks, each a list of smaller ones


def _take_gif(source: mmap, target: IO[bytes], _: int) -> None:
    head = _read(source, 13)
    target.write(head)
    _pass(source, _palette_size(head[10]), target)
    while (kind := source.read(1)) and kind != b";":
        if kind == b"!":
            (label,) = _read(source, 1)
            content = _blocks(source)
            if label in _GIF_EXTENSIONS or (label == 0xFF and content.startswith(_GIF_APPLICATIONS)):
                target.write(bytes((0x21, label)) + content)
        elif kind == b",":
            head = _read(source, 9)
            target.write(kind + head)
            _pass(source, _palette_size(head[8]) + 1, target)
            target.write(_blocks(source))
    target.write(kind)


def _palette_size(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _blocks(source: mmap) -> bytes:
    """Return blocks up to the empty one, with their lengths."""
    start = place = source.tell()
    while length := source[place]:
        place += length + 1
    return _read(source, place + 1 - start)


_KINDS: Final = {"image/jpeg": _take_jpeg, "image/png": _take_png, "image/webp": _take_webp, "image/gif": _take_gif}
