"""A corpus of unusual files: their rows, how they are served, and that no image contains a location."""

import urllib.request
from collections.abc import AsyncIterator
from email.message import Message
from pathlib import Path

import pytest

from tests.api.rest.test_uploads import Shop, open_writable, private_shop
from tests.models.camera_files import SECRET
from tests.models.odd_files import broken_images, odd_files
from tests.models.templates import Copy

__all__ = ["private_shop"]

pytestmark = pytest.mark.anyio

UNKNOWN = "application/octet-stream"
INLINE, DOWNLOAD = None, "attachment"
OFFICE = "application/vnd.openxmlformats-officedocument."
NONE: list[str] = []
THUMBNAIL, SMALL = ["thumbnail"], ["small", "thumbnail"]
ALL = ["large", "medium", *SMALL]

IMAGES: dict[str, tuple[str, str | None, int | None, int | None, list[str]]] = {
    "two-photos.jpg": ("image/jpeg", INLINE, 600, 400, SMALL),
    "second-photo.jpg": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
    "motion-photo.jpg": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
    "segments.jpg": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
    "note-between-scans.jpg": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
    "screenshot.png": ("image/png", INLINE, 300, 200, THUMBNAIL),
    "animation.gif": ("image/gif", INLINE, 60, 40, NONE),
    "photo.webp": ("image/webp", INLINE, 300, 200, THUMBNAIL),
    "scan.tiff": ("image/tiff", INLINE, 300, 200, THUMBNAIL),
    "compressed.tiff": ("image/tiff", INLINE, 300, 200, THUMBNAIL),
    "big.tiff": ("image/tiff", INLINE, 300, 200, THUMBNAIL),
    "photo.avif": ("image/avif", INLINE, 300, 200, NONE),
    "photo.heic": ("image/heic", INLINE, None, None, NONE),
    "upright.jpg": ("image/jpeg", INLINE, 300, 600, SMALL),
    "upright.png": ("image/png", INLINE, 300, 600, SMALL),
    "upright.webp": ("image/webp", INLINE, 600, 300, SMALL),
    "upright.tif": ("image/tiff", INLINE, 300, 600, SMALL),
    "cmyk.jpg": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
    "gray.jpg": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
    "progressive.jpg": ("image/jpeg", INLINE, 600, 400, SMALL),
    "tiny.jpg": ("image/jpeg", INLINE, 1, 1, NONE),
    "line.png": ("image/png", INLINE, 3000, 1, ALL),
    "depth16.png": ("image/png", INLINE, 300, 200, THUMBNAIL),
    "palette.png": ("image/png", INLINE, 300, 200, THUMBNAIL),
    "alpha.png": ("image/png", INLINE, 300, 200, THUMBNAIL),
    "animated.png": ("image/png", INLINE, 300, 200, NONE),
    "animated.webp": ("image/webp", INLINE, 300, 200, NONE),
    "animated.gif": ("image/gif", INLINE, 300, 200, NONE),
    "still.gif": ("image/gif", INLINE, 300, 200, THUMBNAIL),
    "pages.tiff": ("image/tiff", INLINE, 400, 300, THUMBNAIL),
    "fax.tiff": ("image/tiff", INLINE, 300, 200, THUMBNAIL),
    "still.avif": ("image/avif", INLINE, 300, 200, NONE),
    "drawing.svg": ("image/svg+xml", DOWNLOAD, 38, 76, NONE),
    "box.svg": ("image/svg+xml", DOWNLOAD, 320, 240, NONE),
    "script.svg": ("image/svg+xml", DOWNLOAD, None, None, NONE),
    "picture.bmp": ("image/bmp", INLINE, None, None, NONE),
    "polyglot.gif": ("image/gif", INLINE, 9, 9, NONE),
    "polyglot.jpg": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
    "polyglot.html": ("image/png", DOWNLOAD, 9, 9, NONE),
    "lying.png": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
    "Ümläut Ω.jpg": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
    "日本語.png": ("image/png", INLINE, 9, 9, NONE),
    "фото 1 (2).JPG": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
    "photo.jpg@2x": ("image/jpeg", INLINE, 300, 200, THUMBNAIL),
}
"""Type in the row, disposition, width, height and formats."""

SERVED: dict[str, tuple[str, str | None]] = {
    "polyglot.html": ("text/html; charset=utf-8", DOWNLOAD),
    "lying.png": ("image/png", INLINE),
    "film.mp4": ("video/mp4", INLINE),
    "film.mov": ("video/quicktime", INLINE),
    "no-brand.mov": ("video/quicktime", INLINE),
    "raw.cr3": (UNKNOWN, DOWNLOAD),
    "favicon.ico": ("image/vnd.microsoft.icon", INLINE),
    "page.html": ("text/html; charset=utf-8", DOWNLOAD),
    "page.xhtml": ("application/xhtml+xml", DOWNLOAD),
    "feed.xml": ("application/xml; charset=utf-8", DOWNLOAD),
    "code.js": ("text/plain; charset=utf-8", INLINE),
    "style.css": ("text/css; charset=utf-8", INLINE),
    "data.json": ("application/json; charset=utf-8", INLINE),
    "map.geojson": ("application/geo+json", DOWNLOAD),
    "table.csv": ("text/csv; charset=utf-8", INLINE),
    "notes.md": ("text/markdown; charset=utf-8", DOWNLOAD),
    "dates.ics": ("text/calendar; charset=utf-8", DOWNLOAD),
    "card.vcf": ("text/vcard; charset=utf-8", DOWNLOAD),
    "track.gpx": ("application/gpx+xml", DOWNLOAD),
    "paper.pdf": ("application/pdf", INLINE),
    "letter.docx": (f"{OFFICE}wordprocessingml.document", DOWNLOAD),
    "sheet.xlsx": (f"{OFFICE}spreadsheetml.sheet", DOWNLOAD),
    "book.epub": ("application/epub+zip", DOWNLOAD),
    "model.glb": ("model/gltf-binary", DOWNLOAD),
    "files.zip": ("application/zip", DOWNLOAD),
    "files.7z": ("application/x-7z-compressed", DOWNLOAD),
    "files.tar.gz": ("application/gzip", DOWNLOAD),
    "song.mp3": ("audio/mpeg", INLINE),
    "song.flac": ("audio/flac", INLINE),
    "song.ogg": ("audio/ogg", INLINE),
    "song.m4a": ("audio/mp4", INLINE),
    "sound.wav": ("audio/wav", INLINE),
    "film.webm": ("video/webm", INLINE),
    "film.mkv": ("video/x-matroska", INLINE),
    "film.m4v": ("video/x-m4v", INLINE),
    "font.woff2": ("font/woff2", INLINE),
    "font.otf": ("font/otf", INLINE),
    "program.exe": ("application/x-msdos-program", DOWNLOAD),
    "unknown": (UNKNOWN, DOWNLOAD),
    "text.png": ("image/png", INLINE),
    "صورة.pdf": ("application/pdf", INLINE),
    "x.pdf (1)": ("application/pdf", INLINE),
    "👩‍👩‍👧.txt": ("text/plain; charset=utf-8", INLINE),
    "a.b.c.tar": ("application/x-tar", DOWNLOAD),
    "-rf.txt": ("text/plain; charset=utf-8", INLINE),
}
"""Content type and disposition when served, if they differ from the row or the file is no image."""

TYPES = {
    **dict.fromkeys(("film.mp4", "film.m4v"), "video/mp4"),
    "film.mov": "video/quicktime",
    "page.html": "text/html",
    "files.tar.gz": "application/gzip",
    "song.mp3": "audio/mpeg",
    "sound.wav": "audio/wav",
    **dict.fromkeys(("paper.pdf", "صورة.pdf", "x.pdf (1)"), "application/pdf"),
}
"""The types in the rows of other files, if the content shows them."""


@pytest.fixture
async def local_shop(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> AsyncIterator[Shop]:
    site = await open_writable(tmp_path / "shop", bookshop_copy, {})
    yield Shop(site, tmp_path / "shop/public/uploads")
    await site.database.close()


async def rows_of(shop: Shop) -> dict[str, dict[str, object]]:
    """Upload the corpus without types, as some clients do; check the rows and return them by name."""
    parts = [("files", name, content, UNKNOWN) for name, content in odd_files().items()]
    rows = {str(row["name"]): row for row in await shop.add(*parts)}
    for name, row in rows.items():
        mime, _, width, height, formats = IMAGES.get(name, (TYPES.get(name, UNKNOWN), None, None, None, NONE))
        found = (row["mime"], row["width"], row["height"], sorted(row["formats"] or ()))
        assert (name, *found) == (name, mime, width, height, formats)
    assert len(rows) == len(IMAGES) + len(set(SERVED) - set(IMAGES))
    return rows


def urls_of(row: dict[str, object]) -> list[str]:
    formats = row["formats"] or {}
    assert isinstance(formats, dict)
    return [str(part["url"]) for part in (row, *formats.values())]


async def test_files_on_local_storage(local_shop: Shop) -> None:
    for name, row in (await rows_of(local_shop)).items():
        expected = SERVED.get(name) or IMAGES[name][:2]
        for url in urls_of(row):
            served = await local_shop.site.get(url)
            headers = served.headers
            assert (name, headers["content-type"], headers.get("content-disposition")) == (name, *expected)
            assert headers["x-content-type-options"] == "nosniff"
            assert SECRET not in served.body, name


async def test_files_on_s3(private_shop: Shop) -> None:
    for name, row in (await rows_of(private_shop)).items():
        for url in urls_of(row):
            content, headers = fetched(url)
            is_download = headers.get("Content-Disposition") == "attachment"
            assert (name, headers["Content-Type"]) == (name, row["mime"])
            assert is_download == (row["mime"] in (UNKNOWN, "text/html", "image/svg+xml", "application/gzip")), name
            assert SECRET not in content, name


def fetched(url: str) -> tuple[bytes, Message]:
    with urllib.request.urlopen(url, timeout=60) as response:
        return response.read(), response.headers


async def test_broken_images_are_refused_and_not_stored(local_shop: Shop) -> None:
    before = await local_shop.count()
    for name, content in broken_images().items():
        answer = await local_shop.post("/api/upload", ("files", name, content, UNKNOWN))
        assert (name, answer.status) == (name, 400)
    for name in ("empty.txt", "empty.jpg"):
        answer = await local_shop.post("/api/upload", ("files", name, b"", UNKNOWN))
        assert (name, answer.status, answer.json["error"]["message"]) == (name, 400, "Files are empty")
    assert (await local_shop.count(), local_shop.names()) == (before, set())
