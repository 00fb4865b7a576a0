"""A corpus of files as phones, cameras, office programs and attackers create them. Generated on demand."""

import io
import struct
import zipfile
from collections.abc import Mapping

from PIL import Image

from tests.models.camera_files import box, camera_files, photograph
from tests.models.pictures import animation, bomb, picture


def odd_files() -> Mapping[str, bytes]:
    """Return the content of each file, by name. Files with a location contain `SECRET`."""
    jpeg = photograph("JPEG")
    pages = [Image.new("RGB", (400, 300), shade) for shade in ("red", "blue")]
    camera = {name: content for name, (_, content) in camera_files().items()}
    return {
        **camera,
        "upright.jpg": photograph("JPEG", 600, 300, orientation=6),
        "upright.png": photograph("PNG", 600, 300, orientation=8),
        "upright.webp": photograph("WEBP", 600, 300, orientation=3),
        "upright.tif": _saved(Image.new("RGB", (600, 300)), "TIFF", exif={0x0112: 6}),
        "cmyk.jpg": picture("JPEG", 300, 200, "CMYK"),
        "gray.jpg": picture("JPEG", 300, 200, "L"),
        "progressive.jpg": picture("JPEG", 600, 400, progressive=True),
        "tiny.jpg": picture("JPEG", 1, 1),
        "line.png": picture("PNG", 3000, 1),
        "depth16.png": picture("PNG", 300, 200, "I;16"),
        "palette.png": picture("PNG", 300, 200, "P"),
        "alpha.png": picture("PNG", 300, 200, "RGBA"),
        "animated.png": animation("PNG", 300, 200),
        "animated.webp": animation("WEBP", 300, 200),
        "animated.gif": animation("GIF", 300, 200),
        "still.gif": picture("GIF", 300, 200, "P"),
        "pages.tiff": _saved(pages[0], "TIFF", save_all=True, append_images=pages[1:]),
        "fax.tiff": picture("TIFF", 300, 200, "1", compression="group4"),
        "still.avif": picture("AVIF", 300, 200),
        "drawing.svg": b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="10mm" height="20mm"/>',
        "box.svg": b'\xef\xbb\xbf<!-- a --><svg viewBox="0 0 640 480" height="240"/>',
        "script.svg": b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
        "picture.bmp": picture("BMP", 30, 20),
        "favicon.ico": picture("ICO", 32, 32),
        "page.html": b"<!doctype html><script>alert(1)</script>",
        "page.xhtml": b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
        "feed.xml": b'<?xml version="1.0"?><feed/>',
        "code.js": b"alert(1)",
        "style.css": b"a { color: red }",
        "data.json": b'{"a": 1}',
        "map.geojson": b'{"type": "Point"}',
        "table.csv": b"a;b\n1;2\n",
        "notes.md": b"# Notes",
        "dates.ics": b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
        "card.vcf": b"BEGIN:VCARD\r\nEND:VCARD\r\n",
        "track.gpx": b'<?xml version="1.0"?><gpx/>',
        "paper.pdf": b"%PDF-1.7\n%%EOF",
        "letter.docx": _archive("word/document.xml"),
        "sheet.xlsx": _archive("xl/workbook.xml"),
        "book.epub": _archive("mimetype"),
        "model.glb": b"glTF" + struct.pack("<II", 2, 12),
        "files.zip": _archive("a.txt"),
        "files.7z": b"7z\xbc\xaf\x27\x1c" + bytes(20),
        "files.tar.gz": b"\x1f\x8b\x08" + bytes(20),
        "song.mp3": b"ID3\4" + bytes(30),
        "song.flac": b"fLaC" + bytes(30),
        "song.ogg": b"OggS" + bytes(30),
        "song.m4a": box(b"ftyp", b"M4A ", bytes(8)),
        "sound.wav": b"RIFF" + struct.pack("<I", 4) + b"WAVE",
        "film.webm": b"\x1a\x45\xdf\xa3" + bytes(30),
        "film.mkv": b"\x1a\x45\xdf\xa3" + bytes(30),
        "film.m4v": box(b"ftyp", b"M4V ", bytes(8)),
        "font.woff2": b"wOF2" + bytes(30),
        "font.otf": b"OTTO" + bytes(30),
        "program.exe": b"MZ" + bytes(30),
        "unknown": bytes(range(256)),
        "polyglot.gif": picture("GIF", 9, 9, "P") + b"<script>alert(1)</script>",
        "polyglot.jpg": jpeg + _archive("evil.txt"),
        "polyglot.html": picture("PNG", 9, 9),
        "lying.png": picture("JPEG", 300, 200),
        "text.png": b"no picture",
        "Ümläut Ω.jpg": jpeg,
        "日本語.png": picture("PNG", 9, 9),
        "صورة.pdf": b"%PDF-1.4",
        "фото 1 (2).JPG": jpeg,
        "photo.jpg@2x": jpeg,
        "x.pdf (1)": b"%PDF-1.4",
        "👩‍👩‍👧.txt": b"family",
        "a.b.c.tar": bytes(512),
        "-rf.txt": b"text",
    }


def broken_images() -> Mapping[str, bytes]:
    """Return images that no decoder accepts."""
    return {
        "half.jpg": picture("JPEG", 300, 200)[:300],
        "half.png": picture("PNG", 300, 200)[:120],
        "half.gif": animation("GIF", 300, 200)[:200],
        "half.tiff": photograph("TIFF")[:500],
        "half.webp": photograph("WEBP")[:400],
        "huge.png": bomb(60_000, 60_000),
    }


def _saved(image: Image.Image, kind: str, exif: Mapping[int, int] | None = None, **options: object) -> bytes:
    written = io.BytesIO()
    tags = Image.Exif()
    tags.update(exif or {})
    image.save(written, kind, exif=tags, **options)
    return written.getvalue()


def _archive(name: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(name, "content")
    return written.getvalue()
