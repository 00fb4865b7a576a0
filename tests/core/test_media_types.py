"""Media types and file extensions: complete, with an encoding for texts, and the same on each host."""

import mimetypes

import pytest

from octavo.content.media.file_types import type_of
from octavo.core.media_types import content_type_of, extension_of

OFFICE = "application/vnd.openxmlformats-officedocument"


@pytest.mark.parametrize(
    "name, expected",
    [
        ("a.ogg", "audio/ogg"),
        ("a.flac", "audio/flac"),
        ("a.opus", "audio/ogg"),
        ("a.weba", "audio/webm"),
        ("a.m4v", "video/x-m4v"),
        ("a.mkv", "video/x-matroska"),
        ("a.3gp", "video/3gpp"),
        ("a.heic", "image/heic"),
        ("a.ttf", "font/ttf"),
        ("a.otf", "font/otf"),
        ("a.woff2", "font/woff2"),
        ("a.docx", f"{OFFICE}.wordprocessingml.document"),
        ("a.xlsx", f"{OFFICE}.spreadsheetml.sheet"),
        ("a.pptx", f"{OFFICE}.presentationml.presentation"),
        ("a.epub", "application/epub+zip"),
        ("a.7z", "application/x-7z-compressed"),
        ("a.geojson", "application/geo+json"),
        ("a.gpx", "application/gpx+xml"),
        ("a.glb", "model/gltf-binary"),
        ("a.ICS", "text/calendar; charset=utf-8"),
        ("a.csv", "text/csv; charset=utf-8"),
        ("a.md", "text/markdown; charset=utf-8"),
        ("a.html", "text/html; charset=utf-8"),
        ("a.xhtml", "application/xhtml+xml"),
        ("a.mjs", "text/javascript; charset=utf-8"),
        ("a.svg", "image/svg+xml"),
        ("a.svgz", "application/octet-stream"),
        ("a.json", "application/json; charset=utf-8"),
        ("a.webmanifest", "application/manifest+json"),
        ("a", "application/octet-stream"),
        ("a.unknown", "application/octet-stream"),
    ],
)
def test_types_of_names(name: str, expected: str) -> None:
    assert content_type_of(name) == expected


def test_the_types_of_the_host_do_not_count() -> None:
    mimetypes.add_type("text/html", ".octavo-test")
    assert content_type_of("a.octavo-test") == "application/octet-stream"


@pytest.mark.parametrize(
    "mime, expected",
    [
        ("application/octet-stream", ".bin"),
        ("text/plain", ".txt"),
        ("image/jpeg", ".jpg"),
        ("image/png", ".png"),
        ("audio/mpeg", ".mp3"),
        ("video/quicktime", ".mov"),
        ("application/pdf", ".pdf"),
        ("a/b", ""),
    ],
)
def test_a_type_has_its_usual_extension(mime: str, expected: str) -> None:
    assert extension_of(mime) == expected


def test_the_table_determines_the_type_of_uploads_on_every_host() -> None:
    mimetypes.add_type("text/x-host", ".glb")
    try:
        assert type_of(b"glTF\x02\x00\x00\x00", "", "model.glb") == "model/gltf-binary"
    finally:
        mimetypes.init()
