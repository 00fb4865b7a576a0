"""Read the size and the Exif block of PNG and WebP files without a decoder, which would need memory for all pixels."""

import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Final

from octavo.content.media.image_structure import MOST_EXIF_BYTES
from octavo.core.values import dataclass

_PNG_START: Final = 8
_MOST_PARTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Header:
    """The size as stored in the file, in pixels, and the Exif block, which can be empty."""

    width: int
    height: int
    exif: bytes = b""


def read_header(path: Path, kind: str) -> Header | None:
    """Return the header of a PNG or WebP file (Pillow's names). None for other and damaged files."""
    read = _READERS.get(kind)
    if read is None:
        return None
    try:
        with path.open("rb") as file:
            return read(file)
    except struct.error:
        return None


def _read_png(file: IO[bytes]) -> Header | None:
    file.seek(_PNG_START)
    _, kind, width, height = struct.unpack(">I4sII", file.read(16))
    file.seek(_PNG_START)
    if kind != b"IHDR":
        return None
    return Header(width, height, _find_exif(file, ">I4s", b"eXIf", extra=4, even=False))


def _read_webp(file: IO[bytes]) -> Header | None:
    head = file.read(30)
    kind = head[12:16]
    file.seek(12)
    if kind == b"VP8X":
        width, height = (1 + int.from_bytes(head[start : start + 3], "little") for start in (24, 27))
        return Header(width, height, _find_exif(file, "<4sI", b"EXIF", extra=0, even=True))
    if kind == b"VP8 ":
        width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", head, 26))
        return Header(width, height)
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", head, 21)
        return Header(1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF))
    return None


def _find_exif(file: IO[bytes], layout: str, wanted: bytes, *, extra: int, even: bool) -> bytes:
    """Return the content of the first chunk of a kind. `extra`: bytes after each chunk; `even`: chunks are padded."""
    for _ in range(_MOST_PARTS):
        head = file.read(8)
        if len(head) < 8:
            break
        first, second = struct.unpack(layout, head)
        kind, length = (first, second) if isinstance(first, bytes) else (second, first)
        if kind == wanted:
            return file.read(min(length, MOST_EXIF_BYTES))
        file.seek(length + extra + (length % 2 if even else 0), 1)
    return b""


_READERS: Final[Mapping[str, Callable[[IO[bytes]], Header | None]]] = {"PNG": _read_png, "WEBP": _read_webp}
