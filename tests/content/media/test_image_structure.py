"""Images with too many parts in their containers: refused in one pass, before a decoder opens them."""

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from octavo.content.media import image_structure
from octavo.content.media.file_types import SVG, type_of
from octavo.content.media.image_formats import process_image
from octavo.core.errors import ApplicationError


def picture(kind: str, **options: Any) -> bytes:
    written = io.BytesIO()
    Image.effect_noise((60, 40), 50).convert("RGB").save(written, kind, **options)
    return written.getvalue()


def jpeg(inserted: bytes) -> bytes:
    whole = picture("JPEG")
    return whole[:2] + inserted + whole[2:]


def segments(number: int, size: int, head: bytes = b"", marker: int = 0xE1) -> bytes:
    content = head.ljust(size, b"x")
    return (bytes((0xFF, marker)) + struct.pack(">H", len(content) + 2) + content) * number


def png(kind: bytes, number: int, content: bytes = b"") -> bytes:
    whole = picture("PNG")
    chunk = struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    return whole[:33] + chunk * number + whole[33:]


def webp(kind: bytes, number: int, content: bytes = b"") -> bytes:
    whole = picture("WEBP", exif=Image.Exif(), xmp=b"x") + (kind + struct.pack("<I", len(content)) + content) * number
    return whole[:4] + struct.pack("<I", len(whole) - 8) + whole[8:]


def gif(inserted: bytes) -> bytes:
    whole = picture("GIF")
    palette = 3 << ((whole[10] & 7) + 1)
    return whole[: 13 + palette] + inserted + whole[13 + palette :]


def tiff(directories: int, entries: int, *, big: bool = False) -> bytes:
    """Return a file with consecutive directories, each with this number of entries of one byte."""
    number, entry, offset = ("<Q", 20, "<Q") if big else ("<H", 12, "<I")
    content = b"II+\0" + struct.pack("<HHQ", 8, 0, 16) if big else b"II*\0" + struct.pack("<I", 8)
    for index in range(directories):
        rows = b"".join(struct.pack("<HH", tag, 1).ljust(entry, b"\0") for tag in range(entries))
        size = struct.calcsize(number) + len(rows) + struct.calcsize(offset)
        following = len(content) + size if index + 1 < directories else 0
        content += struct.pack(number, entries) + rows + struct.pack(offset, following)
    return content.ljust(16, b"\0")


EXIF = b"Exif\0\0"
HOSTILE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "JPEG, large Exif segments": ("image/jpeg", lambda: jpeg(segments(60, 65_000, EXIF))),
    "JPEG, large segments": ("image/jpeg", lambda: jpeg(segments(300, 65_000, marker=0xE4))),
    "JPEG, small segments": ("image/jpeg", lambda: jpeg(segments(100_000, 4))),
    "JPEG, comments": ("image/jpeg", lambda: jpeg(segments(2_000, 0, marker=0xFE))),
    "JPEG, markers alone": ("image/jpeg", lambda: jpeg(b"\xff\xd0" * 100_000)),
    "JPEG, filling": ("image/jpeg", lambda: jpeg(b"\xff" * 1_000_000)),
    "JPEG, bytes of no segment": ("image/jpeg", lambda: jpeg(segments(1, 4) + b"\0" * 1_000_000)),
    "PNG, texts": ("image/png", lambda: png(b"tEXt", 100_000, b"a\0b")),
    "PNG, large texts": ("image/png", lambda: png(b"tEXt", 20, b"a\0".ljust(1_000_000, b"x"))),
    "PNG, large Exif": ("image/png", lambda: png(b"eXIf", 1, b"II*\0".ljust(2_000_000, b"\0"))),
    "PNG, unknown chunks": ("image/png", lambda: png(b"abCd", 2_000)),
    "PNG, empty chunks of pixels": ("image/png", lambda: png(b"IDAT", 500_000)),
    "WebP, empty chunks": ("image/webp", lambda: webp(b"abcd", 2_000)),
    "WebP, large chunks": ("image/webp", lambda: webp(b"XMP ", 20, b"x" * 1_000_000)),
    "GIF, comments": ("image/gif", lambda: gif(b"!\xfe\x01x\0" * 2_000)),
    "GIF, a comment of many blocks": ("image/gif", lambda: gif(b"!\xfe" + b"\x01x" * 500_000 + b"\0")),
    "GIF, an image of many blocks": ("image/gif", lambda: picture("GIF")[:-2] + b"\x01x" * 500_000 + b"\0;"),
    "GIF, bytes of no block": ("image/gif", lambda: gif(b"\x01" * 100_000)),
    "TIFF, directories": ("image/tiff", lambda: tiff(2_000, 1)),
    "TIFF, entries": ("image/tiff", lambda: tiff(1, 60_000)),
    "BigTIFF, entries": ("image/tiff", lambda: tiff(1, 60_000, big=True)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_images_of_many_parts_are_refused_before_they_are_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    mime, make = HOSTILE[name]
    path = tmp_path / "picture"
    path.write_bytes(make())
    assert type_of(path.read_bytes()[:4096], "", "") == mime
    opened = 0

    def opening(*given: Any, **options: Any) -> Any:
        nonlocal opened
        opened += 1

    monkeypatch.setattr(Image, "open", opening)
    with pytest.raises(ApplicationError, match=r"The image has more than \d+ .*, which is the limit"):
        process_image(path, mime, {}, path)
    assert opened == 0
    assert [found.name for found in tmp_path.iterdir()] == ["picture"]


@pytest.mark.parametrize("times", [1, 2, 4])
def test_reading_the_structure_stops_at_the_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    reads = 0
    read = image_structure._read

    def counting(file: Any, length: int) -> bytes:
        nonlocal reads
        reads += 1
        return read(file, length)

    monkeypatch.setattr(image_structure, "_read", counting)
    path = tmp_path / "picture"
    path.write_bytes(jpeg(segments(50_000 * times, 4)))
    with pytest.raises(ApplicationError):
        process_image(path, "image/jpeg", {}, path)
    assert reads <= 4 * image_structure.MOST_NOTES + 5


HARMLESS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "JPEG, as cameras write it": ("image/jpeg", lambda: jpeg(segments(1, 65_000, EXIF) + segments(200, 65_000))),
    "PNG, in small chunks": ("image/png", lambda: png(b"tEXt", 900, b"a\0b")),
    "GIF, a comment": ("image/gif", lambda: gif(b"!\xfe" + b"\x01x" * 1_000 + b"\0")),
    "WebP": ("image/webp", lambda: webp(b"abcd", 500)),
    "TIFF": ("image/tiff", lambda: picture("TIFF")),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_images_with_much_metadata_are_accepted(tmp_path: Path, name: str) -> None:
    mime, make = HARMLESS[name]
    path = tmp_path / "picture"
    path.write_bytes(make())
    size = process_image(path, mime, {}, path).size
    assert size is not None
    assert (size.width, size.height) == (60, 40)


def test_the_type_of_markup_is_detected_in_one_pass() -> None:
    """Regular expressions that repeat comments took exponential time: 500 comments never ended."""
    comments = b"<!---->" * 500
    assert type_of(comments + b"<other>", "text/xml", "") == "text/xml"
    assert type_of(comments + b"<html>", "", "") == "text/html"
    assert type_of(b"<?xml version='1.0'?>" + comments + b"<svg>", "", "") == SVG
