"""ThumbHash: equal to the reference implementation (JavaScript), for images without exact halves."""

import base64

import pytest

from octavo.content.media.thumbhash import thumbhash

EXPECTED = [
    (32, 20, True, "HwgCDIRlZIdRJ1BFRIiHMJYKdw=="),
    (32, 20, False, "3/eBA4IX2YCRTGj7RMEOWQmxZrR3eIc="),
    (20, 32, True, "3/cBDAI3ZkYnCTOkZoaGdrCRCA=="),
    (20, 32, False, "3/eBAwIYLJZlO/Wpi9BgWiZ3B5mGang="),
    (16, 16, True, "HwgGDwRjQWUDILVlUokQaOSZCSxnOVAH"),
    (100, 3, True, "IAgCCYIiMwR7ZoaGYJsowFk="),
    (100, 3, False, "HwiCAYAHWsSvRWj19STgGhMCeHeHiXg="),
]


def pixels(width: int, height: int, *, opaque: bool) -> bytes:
    return bytes(
        value % 256
        for y in range(height)
        for x in range(width)
        for value in (x * x * 7 + y * 13, x * 31 + y * y * 3, x * 17 + y * 29, 255 if opaque else x * 11 + y * 5)
    )


@pytest.mark.parametrize("width, height, opaque, expected", EXPECTED)
def test_hashes_equal_the_reference(width: int, height: int, opaque: bool, expected: str) -> None:
    assert base64.b64encode(thumbhash(width, height, pixels(width, height, opaque=opaque))).decode() == expected


def test_an_even_picture_has_no_details() -> None:
    assert set(thumbhash(8, 8, bytes([10, 200, 30, 255]) * 64)[5:]) == {0}
    assert set(thumbhash(2, 1, bytes(8))[6:]) == {0}
