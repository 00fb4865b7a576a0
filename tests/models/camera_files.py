"""Files as phones, cameras and programs write them, with a location and other metadata. Generated on demand."""

import io
import struct
from collections.abc import Mapping
from typing import Any, Final

from PIL import Image, PngImagePlugin

SECRET: Final = b"Secret Place"
"""Occurs wherever a file can name a location."""
_GPS: Final = 0x8825
_XMP_ID: Final = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
_CANON_ID: Final = bytes.fromhex("85c0b687820f11e08111f4ce462b6a48")


def exif(tags: Mapping[int, Any] | None = None) -> Image.Exif:
    """Return EXIF data with a location, a manufacturer, a serial number and other tags."""
    found = Image.Exif()
    found.update(tags or {})
    found[0x010F] = SECRET.decode()
    found.get_ifd(0x8769)[0xA431] = SECRET.decode()
    found.get_ifd(_GPS)[1] = "N"
    found.get_ifd(_GPS)[29] = SECRET.decode()
    return found


def tiff_tags(tags: Mapping[int, Any]) -> Image.Exif:
    """Return the same tags as Pillow writes them to TIFF files."""
    found = exif(tags)
    for directory in (0x8769, _GPS):
        found[directory] = found.get_ifd(directory)
    return found


def photograph(kind: str, width: int = 300, height: int = 200, orientation: int = 1, **options: Any) -> bytes:
    """Return a photo with metadata."""
    written = io.BytesIO()
    image = Image.effect_noise((width, height), 50).convert("RGB")
    image.save(written, kind, exif=exif({0x0112: orientation} if orientation > 1 else {}), **options)
    return written.getvalue()


def several_photographs() -> bytes:
    """Return a file with two photos of a phone (MPO), each with a location."""
    images = [Image.effect_noise((600, 400), spread).convert("RGB") for spread in (20, 60)]
    images[1].encoderinfo = {"exif": exif()}
    written = io.BytesIO()
    images[0].save(written, "MPO", save_all=True, append_images=images[1:], exif=exif())
    return written.getvalue()


def box(kind: bytes, *content: bytes) -> bytes:
    body = b"".join(content)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def movie(brand: bytes = b"isom") -> bytes:
    """Return a video of a phone, with the location wherever phones, cameras and programs write it."""
    pixels, positions = b"PIXELS" * 9, SECRET * 3
    header = box(b"ftyp", brand, bytes(4)) if brand else b""
    start = len(header) + 8
    names = (b"com.apple.quicktime.location.ISO6709", b"com.apple.quicktime.title")
    keys = box(b"keys", bytes(4), struct.pack(">I", 2), *(box(b"mdta", name) for name in names))
    values = [
        box(struct.pack(">I", index), box(b"data", struct.pack(">II", 1, 0), text))
        for index, text in ((1, SECRET), (2, b"A title"))
    ]
    described = box(b"meta", box(b"hdlr", bytes(8), b"mdta", bytes(13)), keys, box(b"ilst", *values))
    credits = box(b"\xa9nam", b"A title")
    user = box(b"udta", box(b"\xa9xyz", SECRET), box(b"loci", SECRET), box(b"GPMF", SECRET), credits, bytes(4))
    film = box(
        b"moov",
        _track(b"vide", start, len(pixels)),
        _track(b"meta", start + len(pixels), len(positions)),
        described,
        user,
        box(b"uuid", _XMP_ID, SECRET),
    )
    return b"".join(
        (header, box(b"mdat", pixels, positions), film, box(b"free", SECRET), box(b"uuid", _XMP_ID, SECRET))
    )


def _track(handler: bytes, start: int, size: int) -> bytes:
    table = box(
        b"stbl",
        box(b"stsc", bytes(4), struct.pack(">4I", 1, 1, 3, 1)),
        box(b"stsz", bytes(4), struct.pack(">II", size // 3, 3)),
        box(b"stco", bytes(4), struct.pack(">II", 1, start)),
    )
    media = box(b"mdia", box(b"hdlr", bytes(8), handler, bytes(13)), box(b"minf", table))
    return box(b"trak", media, box(b"udta", box(b"\xa9xyz", SECRET)))


def canon_raw() -> bytes:
    """Return a raw file of a Canon camera: its tags and the location."""
    tags = box(b"uuid", _CANON_ID, box(b"CMT1", b"needed"), box(b"CMT4", SECRET))
    return box(b"ftyp", b"crx ", bytes(4)) + box(b"moov", tags) + box(b"uuid", b"preview of it...", b"needed")


def _png() -> bytes:
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", SECRET.decode())
    text.add_itxt("XML:com.adobe.xmp", SECRET.decode())
    text.add(b"caBX", SECRET)
    return photograph("PNG", pnginfo=text) + SECRET


def _gif() -> bytes:
    frames = [Image.new("P", (60, 40), shade) for shade in (1, 2, 3)]
    written = io.BytesIO()
    frames[0].save(written, "GIF", save_all=True, append_images=frames[1:], comment=SECRET, loop=0, duration=50)
    content = written.getvalue()
    xmp = b"!\xff\x0bXMP DataXMP" + SECRET.replace(b" ", b"\x01") + b"\x01" + bytes(range(255, -1, -1)) + b"\0"
    note = b"!\xfe" + bytes((len(SECRET),)) + SECRET + b"\0"
    return content[:-1] + note + xmp + b";" + SECRET


def _tiff(**options: Any) -> bytes:
    pages = [Image.effect_noise((300, 200), spread).convert("RGB") for spread in (20, 60)]
    written = io.BytesIO()
    with_tags = exif if options.get("compression") else tiff_tags  # libtiff does not write directories
    notes = with_tags({270: SECRET.decode(), 700: SECRET, 33723: SECRET})
    pages[0].save(written, "TIFF", save_all=True, append_images=pages[1:], exif=notes, **options)
    return written.getvalue() + SECRET


def _avif(brand: bytes = b"avif") -> bytes:
    content = photograph("AVIF", xmp=b"<x:xmpmeta>" + SECRET + b"</x:xmpmeta>")
    return content.replace(b"ftypavif", b"ftyp" + brand) + box(b"mpvd", movie()) + SECRET


def camera_files() -> Mapping[str, tuple[str, bytes]]:
    """Return type and content of each file, by name."""
    jpeg = photograph("JPEG", comment=SECRET, progressive=True)
    segments = b"".join(
        bytes((0xFF, marker)) + struct.pack(">H", len(SECRET) + 2) + SECRET for marker in (0xE0, 0xE3, 0xED, 0xEF)
    )
    return {
        "two-photos.jpg": ("image/jpeg", several_photographs()),
        "second-photo.jpg": ("image/jpeg", jpeg + photograph("JPEG")),
        "motion-photo.jpg": ("image/jpeg", jpeg + movie()),
        "segments.jpg": ("image/jpeg", jpeg[:2] + segments + b"filler" + jpeg[2:]),
        "note-between-scans.jpg": ("image/jpeg", _between_scans(jpeg, segments)),
        "screenshot.png": ("image/png", _png()),
        "animation.gif": ("image/gif", _gif()),
        "photo.webp": ("image/webp", photograph("WEBP", xmp=SECRET) + SECRET),
        "scan.tiff": ("image/tiff", _tiff()),
        "compressed.tiff": ("image/tiff", _tiff(compression="tiff_lzw")),
        "big.tiff": ("image/tiff", _tiff(big_tiff=True)),
        "photo.avif": ("image/avif", _avif()),
        "photo.heic": ("image/heic", _avif(b"heic")),
        "film.mp4": ("video/mp4", movie()),
        "film.mov": ("video/quicktime", movie(b"qt  ")),
        "no-brand.mov": ("video/quicktime", movie(b"")),
        "raw.cr3": ("image/x-canon-cr3", canon_raw()),
    }


def _between_scans(jpeg: bytes, segments: bytes) -> bytes:
    second = jpeg.index(b"\xff\xda", jpeg.index(b"\xff\xda") + 2)
    place = jpeg.rindex(b"\xff\xc4", 0, second)
    return jpeg[:place] + segments + jpeg[place:]
