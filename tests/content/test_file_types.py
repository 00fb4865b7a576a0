"""Types of files: content first, then what was declared, then the name."""

import pytest

from octavo.content.file_types import type_of
from tests.content.pictures import picture


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp", "tiff"])
def test_pictures(kind: str) -> None:
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
        (b"hello", "image/png", "fake.png", "image/png"),
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
    assert type_of(head, declared, name) == expected
