"""Optimized images: smaller or upright, with the same colors, and the original if nothing is gained."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageOps

from octavo.content.media.image_metadata import remove_notes
from octavo.content.media.image_optimization import optimize_image
from tests.models.pictures import ROTATED, animation, picture

LOSSY: dict[str, dict[str, Any]] = {"JPEG": {"quality": 98}, "WEBP": {"quality": 98}, "PNG": {"compress_level": 0}}


def photograph(path: Path, kind: str, mode: str = "RGB", orientation: int = 1, **options: Any) -> None:
    noise = Image.effect_noise((160, 120), 40)
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = orientation, "Camera"
    noise.convert(mode).save(path, kind, exif=exif, icc_profile=b"profile", **options)


def shown(path: Path) -> Image.Image:
    with Image.open(path) as image:
        return ImageOps.exif_transpose(image).convert("RGB")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("upright", [False, True])
def test_a_photo_gets_smaller_and_looks_the_same(tmp_path: Path, kind: str, upright: bool) -> None:
    path, mime = tmp_path / "picture", f"image/{kind.lower()}"
    photograph(path, kind, orientation=ROTATED, **LOSSY[kind])
    before, size = shown(path), path.stat().st_size
    orientation = optimize_image(path, mime, ROTATED, smaller=True, upright=upright)
    remove_notes(path, mime, orientation)
    assert orientation == (1 if upright else ROTATED)
    assert path.stat().st_size < size
    assert shown(path).size == before.size == (120, 160)
    assert max(ImageChops.difference(shown(path), before).convert("L").tobytes()) < 60
    with Image.open(path) as image:
        assert (image.format, image.getexif().get(0x0112, 1)) == (kind, orientation)
        assert image.info["icc_profile"] == b"profile"
    assert [one.name for one in tmp_path.iterdir()] == ["picture"]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_photo_is_rotated_without_recompression(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "picture"
    photograph(path, kind, orientation=ROTATED)
    before = shown(path)
    assert optimize_image(path, f"image/{kind.lower()}", ROTATED, smaller=False, upright=True) == 1
    with Image.open(path) as image:
        assert image.size == before.size
    assert max(ImageChops.difference(shown(path), before).convert("L").tobytes()) < 40


@pytest.mark.parametrize(
    "content, mime",
    [
        (picture("JPEG", 32, 20, quality=5, optimize=True), "image/jpeg"),
        (picture("JPEG", 300, 200, "CMYK", quality=100), "image/jpeg"),
        (picture("PNG", 300, 200, "I;16", compress_level=0), "image/png"),
        (animation("WEBP", 300, 200), "image/webp"),
        (animation("PNG", 300, 200), "image/png"),
        (animation("GIF", 300, 200), "image/gif"),
        (picture("TIFF", 300, 200), "image/tiff"),
        (picture("PNG", 300, 200, compress_level=0)[:-200], "image/png"),
    ],
)
def test_other_files_do_not_change(tmp_path: Path, content: bytes, mime: str) -> None:
    path = tmp_path / "picture"
    path.write_bytes(content)
    assert optimize_image(path, mime, 1, smaller=True, upright=True) == 1
    assert path.read_bytes() == content
