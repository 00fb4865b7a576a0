"""Types of files: by content first, then by the declared type, then by name."""

import pytest

from octavo.content.media.file_types import type_of
from tests.models.pictures import picture


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp", "tiff"])
def test_images(kind: str) -> None:
    assert type_of(picture(kind.upper(), 9, 9), "text/plain", "a.txt") == f"image/{kind}"


@pytest.mark.parametrize(
    "head, declared, name, expected",
    [
        (b"%PDF-1.7", "text/plain", "a.txt", "application/pdf"),
        (b"\x1f\x8b\x08", "", "a", "application/gzip"),
        (b"<!DOCTYPE html><p>", "image/png", "a.png", "text/html"),
        (b"\xef\xbb\xbf \n<!-- a --><HTML>", "image/png", "a.png", "text/html"),
        (b"<script>alert(1)</script>", "image/gif", "a.gif", "text/html"),
        (b'<?xml version="1.0"?><!-- a --><svg xmlns="...">', "text/plain", "a.txt", "image/svg+xml"),
        (b"<svg/>", "image/png", "a.png", "image/svg+xml"),
        (b"\0\0\0\x18ftypisom", "", "a", "video/mp4"),
        (b"RIFF....WAVEfmt", "", "a", "audio/wav"),
        (b"hello", "image/png", "fake.png", "text/plain"),
        (b"hello", "", "fake.jpg", "text/plain"),
        (b"a,b\n1,2\n", "image/jpg", "table.csv", "text/csv"),
        ("Größe".encode() * 1000, "image/webp", "a.webp", "text/plain"),
        ("Größe".encode("latin-1"), "image/gif", "a.gif", "application/octet-stream"),
        (b"hello", "image/heic", "a.heic", "text/plain"),
        (b"hello", "image/svg+xml", "a.svg", "text/plain"),
        (b"MZ\x90\0", "image/png", "a.png", "application/octet-stream"),
        (b"MZ\x90\0", "image/png", "a", "application/octet-stream"),
        (b"", "image/png", "a.png", "application/octet-stream"),
        (b"\0\0\0\x18ftypheic", "image/heic", "a.heic", "image/heic"),
        (b"\0\0\0\x18ftypmif1", "image/avif", "a.avif", "image/avif"),
        (b"BM\x46\0\0\0\0\0\0\0", "image/png", "a.png", "image/bmp"),
        (b"BMW cars", "image/bmp", "a.bmp", "text/plain"),
        (b"8BPS\0\1", "image/png", "a.png", "image/vnd.adobe.photoshop"),
        (b"\0\0\1\0", "image/x-icon", "a.ico", "image/x-icon"),
        (b"II+\0\x08\0", "", "a", "image/tiff"),
        (b"#define a_width 8", "image/x-xbitmap", "a.xbm", "image/x-xbitmap"),
        (b"<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a 'b'>]>", "image/svg+xml", "a.svg", "image/svg+xml"),
        ("<svg/>".encode("utf-16"), "image/svg+xml", "a.svg", "image/svg+xml"),
        (b"hello", "application/gzip", "a.gz", "application/gzip"),
        (b"hello", "Text/CSV; charset=utf-8", "a.txt", "text/csv"),
        (b"hello", "", "a.txt", "text/plain"),
        (b"hello", "no type", "a.css", "text/css"),
        (b"hello", "a/b\r\nx: y", "a", "application/octet-stream"),
        (b"hello", "a/" + "b" * 300, "a", "application/octet-stream"),
        (b"", "", "a.unknown", "application/octet-stream"),
    ],
)
def test_types(head: bytes, declared: str, name: str, expected: str) -> None:
    assert type_of(head, declared, name, check_images=True) == expected


@pytest.mark.parametrize("check_images", [True, False])
def test_an_empty_file_is_not_an_image(check_images: bool) -> None:
    assert type_of(b"", "image/png", "a.png", check_images=check_images) == "application/octet-stream"
    assert type_of(b"", "image/x-icon", "a.ico", check_images=check_images) == "application/octet-stream"
    assert type_of(b"", "text/csv", "a.csv", check_images=check_images) == "text/csv"


@pytest.mark.parametrize("head", [b"hello", b"MZ\x90\0"])
def test_declared_types_are_used_if_images_are_not_checked(head: bytes) -> None:
    assert type_of(head, "image/png", "fake.png") == "image/png"
    assert type_of(head, "", "fake.jpg") == "image/jpeg"
    assert type_of(b"%PDF-1.7", "image/png", "fake.png") == "application/pdf"
