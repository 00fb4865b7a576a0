"""Pictures for the tests, drawn on demand, and uploads."""

import base64
import io
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

from PIL import Image

ROTATED = 6


@dataclass(frozen=True)
class Arriving:
    """An uploaded file of a form."""

    filename: str
    content: bytes
    content_type: str = ""

    @property
    def file(self) -> IO[bytes]:
        return io.BytesIO(self.content)


def picture(kind: str, width: int, height: int, mode: str = "RGB", **options: Any) -> bytes:
    """Return a picture in one color."""
    return _saved(Image.new(mode, (width, height)), kind, **options)


def turned_picture(width: int, height: int) -> bytes:
    """Return a photo of a camera held upright: landscape pixels and an EXIF orientation."""
    exif = Image.Exif()
    exif[0x0112] = ROTATED
    return picture("JPEG", width, height, exif=exif)


def animation(kind: str, width: int, height: int) -> bytes:
    """Return an animation with three frames."""
    frames: Sequence[Image.Image] = [Image.new("L", (width, height), shade).convert("RGB") for shade in (0, 99, 200)]
    return _saved(frames[0], kind, save_all=True, append_images=frames[1:], duration=50)


def bomb(width: int, height: int) -> bytes:
    """Return a small file that claims to be a very large picture."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(bytes(1000))) + _chunk(b"IEND")
    )


def _chunk(name: bytes, content: bytes = b"") -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    written = io.BytesIO()
    image.save(written, kind, **options)
    return written.getvalue()


def heic_picture() -> bytes:
    """Return a HEIC photo of 120 x 60 pixels, red on the left and blue on the right. Requires an encoder with x265."""
    return base64.b64decode(_HEIC)


_HEIC = (
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAX1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAA"
    "AAAERAAAEAAQAAAAABoQABAAAAAAAAAGkAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA/WlwcnAA"
    "AADdaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkA"
    "AAAwAAAwAeoDyBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwYkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAeAAAAEAA"
    "AAAoY2xhcAAAAHgAAAABAAAAPAAAAAEAAAAAAAAAAv////wAAAACAAAAEHBpeGkAAAAAAwgICAAAABhpcG1hAAAAAAAAAAEAAQWBAgMFhAAAAH"
    "FtZGF0AAAAZSgBrwnR6EA98yL///I/N//8sM7L+8WrCFzqS5b9pyAf7ndcHrE6h8xs6ynBbmvOE0iaVm2Ex5UobrFKSZG6tzbpLhD8pLei+DWo"
    "SnWDk2jugXUkXHqebKbgUwzjvono0xPVA/Pg"
)
