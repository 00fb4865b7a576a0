"""Images: sizes and formats of real images, refusals of broken and of huge ones."""

import random
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageOps, ImageStat

from octavo.content.media import image_formats
from octavo.content.media.image_formats import process_image, read_orientation
from octavo.content.media.image_headers import read_header
from octavo.content.media.image_sizes import Measured, Size
from octavo.core.errors import ApplicationError
from tests.models.pictures import ROTATED, animation, bomb, picture, turned_picture

BREAKPOINTS = {"large": 1000, "medium": 750, "small": 500}


def processed(folder: Path, content: bytes, mime: str, *, check: bool = False) -> Measured:
    path = folder / "picture"
    path.write_bytes(content)
    return process_image(path, mime, BREAKPOINTS, path, check=check)


def shown(measured: Measured) -> dict[str, tuple[int, int]]:
    """Return the formats' sizes, checked against the files."""
    found = {}
    for made in measured.formats:
        with Image.open(made.path) as image:
            image.load()
            assert image.size == (made.size.width, made.size.height)
            found[made.name] = image.size
    return found


@pytest.mark.parametrize(
    "width, height, expected",
    [
        (1200, 800, {"thumbnail": (234, 156), "large": (1000, 667), "medium": (750, 500), "small": (500, 333)}),
        (1100, 700, {"thumbnail": (245, 156), "large": (1000, 636), "medium": (750, 477), "small": (500, 318)}),
        (800, 600, {"thumbnail": (208, 156), "medium": (750, 563), "small": (500, 375)}),
        (800, 400, {"thumbnail": (245, 122), "medium": (750, 375), "small": (500, 250)}),
        (600, 900, {"thumbnail": (104, 156), "medium": (500, 750), "small": (333, 500)}),
        (3000, 2, {"thumbnail": (245, 1), "large": (1000, 1), "medium": (750, 1), "small": (500, 1)}),
        (500, 500, {"thumbnail": (156, 156)}),
        (246, 10, {"thumbnail": (245, 10)}),
        (245, 156, {}),
        (32, 20, {}),
    ],
)
def test_formats(tmp_path: Path, width: int, height: int, expected: dict[str, tuple[int, int]]) -> None:
    measured = processed(tmp_path, picture("PNG", width, height), "image/png")
    assert measured.size == Size(width, height)
    assert list(shown(measured).items()) == list(expected.items())


@pytest.mark.parametrize(
    "kind, mode",
    [
        *(("PNG", mode) for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")),
        *(("JPEG", mode) for mode in ("L", "RGB", "CMYK")),
        *(("TIFF", mode) for mode in ("1", "L", "RGB", "CMYK", "F", "I;16")),
        *(("WEBP", mode) for mode in ("RGB", "RGBA")),
        ("GIF", "P"),
    ],
)
def test_every_kind_of_pixel(tmp_path: Path, kind: str, mode: str) -> None:
    measured = processed(tmp_path, picture(kind, 300, 200, mode), f"image/{kind.lower()}")
    assert (measured.size, shown(measured)) == (Size(300, 200), {"thumbnail": (234, 156)})
    with Image.open(measured.formats[0].path) as image:
        assert image.format == kind


def test_a_rotated_photo_has_its_displayed_size(tmp_path: Path) -> None:
    measured = processed(tmp_path, turned_picture(800, 400), "image/jpeg")
    assert measured.size == Size(400, 800)
    assert shown(measured) == {"thumbnail": (78, 156), "medium": (375, 750), "small": (250, 500)}


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_formats_are_turned_as_displayed(tmp_path: Path, kind: str, orientation: int) -> None:
    drawn = Image.new("RGB", (800, 400), "white")
    drawn.paste("black", (0, 0, 400, 200))
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / "picture"
    drawn.save(path, kind, exif=exif)
    with Image.open(path) as image:
        expected = ImageOps.exif_transpose(image).convert("L")
    measured = process_image(path, f"image/{kind.lower()}", BREAKPOINTS, path)
    assert measured.size == Size(*expected.size)
    with Image.open(measured.formats[0].path) as made:
        differences = ImageChops.difference(made.convert("L"), expected.resize(made.size))
        assert ImageStat.Stat(differences).mean[0] < 3


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_animations_have_no_formats(tmp_path: Path, kind: str) -> None:
    measured = processed(tmp_path, animation(kind, 600, 400), f"image/{kind.lower()}")
    assert measured == Measured(Size(600, 400))


@pytest.mark.parametrize("mime", ["text/plain", "application/pdf", "image/bmp", "image/x-icon"])
def test_other_types_have_no_size(tmp_path: Path, mime: str) -> None:
    assert processed(tmp_path, b"whatever", mime) == Measured()


@pytest.mark.parametrize(
    "text, expected",
    [
        ('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="20"/>', Size(10, 20)),
        ('<svg width="10.6px" height="20px"><rect/></svg>', Size(11, 20)),
        ('<svg viewBox="0 0 600 400"/>', Size(600, 400)),
        ('<svg width="100%" height="100%" viewBox="0,0,600,400"/>', Size(600, 400)),
        ('<svg width="1e999" height="nan"/>', None),
        ('<svg width="300" viewBox="0 0 600 400"/>', Size(300, 200)),
        ('<svg height="100" viewBox="0 0 600 400"/>', Size(150, 100)),
        ('<svg height="100" width="100%" viewBox="-5 -5 600 400"/>', Size(150, 100)),
        ('<svg width="210mm" height="297mm" viewBox="0 0 210 297"/>', Size(794, 1123)),
        ('<svg width="2in" height="5.08cm"/>', Size(192, 192)),
        ('<svg width="10em" height="12pt"/>', Size(160, 16)),
        ('<svg width="1pc" height="40Q"/>', Size(16, 38)),
        ('<svg width="100"/>', None),
        ('<svg width="10vw" height="10"/>', None),
        ('<svg width="-1" height="10"/>', None),
        ("<svg/>", None),
        ("<svg", None),
        ("", None),
        ('<!DOCTYPE svg [<!ENTITY a "1">]><svg width="&a;" height="1"/>', None),
    ],
)
def test_sizes_of_svg(tmp_path: Path, text: str, expected: Size | None) -> None:
    assert processed(tmp_path, text.encode(), "image/svg+xml") == Measured(expected)


def test_entities_are_never_expanded(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    text = f'<!DOCTYPE svg [<!ENTITY l0 "lol">{laughs}]><svg width="&l11;" height="1"/>'
    assert processed(tmp_path, text.encode(), "image/svg+xml") == Measured()


@pytest.mark.parametrize("size", [(20_001, 10_000), (30_000, 30_000), (2**31 - 1, 2**31 - 1)])
def test_decompression_bombs_are_refused_before_decoding(tmp_path: Path, size: tuple[int, int]) -> None:
    with pytest.raises(ApplicationError, match="too large: at most 200 million pixels"):
        processed(tmp_path, bomb(*size), "image/png")


@pytest.mark.parametrize(
    "kind, mode, options, most",
    [
        ("PNG", "L", {}, 1_600),
        ("PNG", "I;16", {}, 800),
        ("PNG", "RGB", {}, 400),
        ("GIF", "P", {}, 1_600),
        ("WEBP", "RGB", {}, 100),
        ("JPEG", "RGB", {"progressive": True, "subsampling": "4:4:4"}, 160),
        ("JPEG", "RGB", {"progressive": True, "subsampling": "4:2:0"}, 228),
    ],
)
def test_an_image_that_needs_too_much_memory_gets_no_formats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, mode: str, options: dict[str, Any], most: int
) -> None:
    monkeypatch.setattr(image_formats, "MAX_MEMORY", 1_600)
    mime = f"image/{kind.lower()}"
    assert processed(tmp_path, picture(kind, most // 10, 8, mode, **options), mime) == Measured(Size(most // 10, 8))
    larger = picture(kind, most // 10 + 1, 10, mode, **options)
    assert processed(tmp_path, larger, mime) == Measured(Size(most // 10 + 1, 10), is_too_large=True)
    monkeypatch.setattr(image_formats, "MAX_UNDECODED_PIXELS", 10)
    with pytest.raises(ApplicationError, match="The image is too large"):
        processed(tmp_path, larger, mime)


def turned(kind: str, **options: Any) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = ROTATED
    return picture(kind, 300, 200, exif=exif, **options)


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "JPEG"])
def test_an_image_that_is_not_decoded_has_its_displayed_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(image_formats, "MAX_MEMORY", 1_000)
    found = processed(tmp_path, turned(kind), f"image/{kind.lower()}")
    assert found == Measured(Size(200, 300), orientation=ROTATED, is_too_large=True)
    assert read_orientation(tmp_path / "picture", f"image/{kind.lower()}") == ROTATED


@pytest.mark.parametrize(
    "kind, content, exif",
    [
        ("PNG", picture("PNG", 300, 200), False),
        ("PNG", turned("PNG"), True),
        ("WEBP", picture("WEBP", 300, 200), False),
        ("WEBP", picture("WEBP", 300, 200, lossless=True), False),
        ("WEBP", turned("WEBP"), True),
    ],
)
def test_headers(tmp_path: Path, kind: str, content: bytes, exif: bool) -> None:
    path = tmp_path / "picture"
    path.write_bytes(content)
    header = read_header(path, kind)
    assert header is not None
    assert (header.width, header.height, bool(header.exif)) == (300, 200, exif)


@pytest.mark.parametrize("kind, content", [("WEBP", b"RIFF\0\0\0\0WEBPVP8 "), ("PNG", b"\x89PNG"), ("GIF", b"GIF89a")])
def test_files_without_a_header(tmp_path: Path, kind: str, content: bytes) -> None:
    path = tmp_path / "picture"
    path.write_bytes(content)
    assert read_header(path, kind) is None


def test_a_full_disk_is_not_the_fault_of_the_image(tmp_path: Path) -> None:
    path = tmp_path / "picture"
    path.write_bytes(picture("PNG", 300, 200))
    (tmp_path / "full.thumbnail").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        process_image(path, "image/png", {}, tmp_path / "full")


def test_compressed_strips_of_a_tiff_count_as_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_formats, "MAX_MEMORY", 100_000)
    assert processed(tmp_path, picture("TIFF", 150, 150), "image/tiff").size == Size(150, 150)
    assert processed(tmp_path, picture("TIFF", 150, 150, compression="tiff_lzw"), "image/tiff").is_too_large


def test_large_photos_are_decoded_at_a_reduced_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_formats, "MAX_MEMORY", 12_000_000)  # all pixels would need 48,000,000
    measured = processed(tmp_path, picture("JPEG", 4000, 3000), "image/jpeg")
    assert shown(measured) == {"thumbnail": (208, 156), "large": (1000, 750), "medium": (750, 563), "small": (500, 375)}


@pytest.mark.parametrize("kind, mode", [("PNG", "P"), ("PNG", "I;16"), ("PNG", "RGBA"), ("TIFF", "CMYK"), ("GIF", "P")])
def test_large_images_keep_their_colors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, mode: str) -> None:
    """They are converted in strips: here of six rows."""
    monkeypatch.setattr(image_formats, "_STRIP_PIXELS", 6_000)
    ramp = Image.linear_gradient("L").resize((1000, 803))
    gradient = Image.frombytes("I;16", ramp.size, b"".join(bytes((0, shade)) for shade in ramp.tobytes()))
    source = gradient if mode == "I;16" else ramp.convert("RGB").convert(mode)
    path = tmp_path / "picture"
    source.save(path, kind)
    measured = process_image(path, f"image/{kind.lower()}", {}, path)
    with Image.open(measured.formats[0].path) as made:
        expected = ramp.resize(made.size)
        differences = ImageChops.difference(made.convert("L"), expected)
        assert max(differences.tobytes()) <= 6  # palettes approximate colors


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "TIFF"])
def test_broken_images_are_refused(tmp_path: Path, kind: str) -> None:
    whole, chance = picture(kind, 300, 200), random.Random(5)
    with pytest.raises(ApplicationError, match="File is not a valid image"):
        processed(tmp_path, whole[: len(whole) // 2], f"image/{kind.lower()}")
    for _ in range(40):
        damaged = bytearray(whole)
        for _ in range(8):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        with suppress(ApplicationError):  # no other exception is allowed
            processed(tmp_path, bytes(damaged), f"image/{kind.lower()}")


@pytest.mark.parametrize(
    "content, mime",
    [
        (picture("BMP", 300, 200), "image/png"),
        (b"\x89PNG\r\n\x1a\nhello", "image/png"),
        (b"\xff\xd8\xffhello", "image/jpeg"),
        (b"GIF89ahello", "image/gif"),
        (b"RIFF\5\0\0\0WEBPhello", "image/webp"),
    ],
)
def test_files_that_only_start_like_an_image_have_no_size_or_are_refused(
    tmp_path: Path, content: bytes, mime: str
) -> None:
    assert processed(tmp_path, content, mime) == Measured()
    with pytest.raises(ApplicationError, match="File is not a valid image"):
        processed(tmp_path, content, mime, check=True)


def test_raw_formats_of_cameras_are_accepted(tmp_path: Path) -> None:
    tags = ((256, 4, 10), (257, 4, 10), (258, 3, 14), (259, 3, 34713), (262, 3, 32803))  # as Nikon compresses
    entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    content = b"II*\0\x08\0\0\0" + struct.pack("<H", len(tags)) + entries + bytes(4)
    assert processed(tmp_path, content, "image/tiff", check=True) == Measured()
