"""Metadata is removed from images; pixels, orientation and colors stay, bit by bit."""

import io
import random
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageCms, ImageOps, PngImagePlugin

from octavo.content.media.image_formats import process_image
from octavo.content.media.image_metadata import UPRIGHT, remove_notes

GPS, MAKE, ORIENTATION = 0x8825, 0x010F, 0x0112
SECRET = b"Secret Place"
KINDS = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()

each_kind = pytest.mark.parametrize("kind", KINDS)


def noted(kind: str, orientation: int = 6, **options: Any) -> bytes:
    """Return an image with a location, a camera maker, a text and a color profile."""
    exif = Image.Exif()
    exif[ORIENTATION], exif[MAKE] = orientation, SECRET.decode()
    exif.get_ifd(GPS)[1] = "N"
    exif.get_ifd(GPS)[29] = SECRET.decode()
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", SECRET.decode())
    text.add_itxt("XML:com.adobe.xmp", SECRET.decode(), zip=False)
    kinds: dict[str, dict[str, Any]] = {
        "JPEG": {"comment": SECRET},
        "PNG": {"pnginfo": text},
        "WEBP": {"xmp": SECRET, "lossless": True},
    }
    written = io.BytesIO()
    image = Image.effect_noise((60, 40), 50).convert("RGB")
    image.save(written, kind, exif=exif, icc_profile=PROFILE, **{**kinds[kind], **options})
    return written.getvalue()


def cleaned(folder: Path, content: bytes, kind: str) -> tuple[bytes, bool]:
    path = folder / "picture"
    path.write_bytes(content)
    orientation = process_image(path, KINDS[kind], {}, path).orientation
    done = remove_notes(path, KINDS[kind], orientation)
    assert [found.name for found in folder.iterdir()] == ["picture"]
    return path.read_bytes(), done


@each_kind
@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_metadata_is_removed_and_the_image_stays(tmp_path: Path, kind: str, orientation: int) -> None:
    before = noted(kind, orientation)
    after, done = cleaned(tmp_path, before, kind)
    assert done
    assert SECRET in before
    assert SECRET not in after
    with Image.open(io.BytesIO(before)) as old, Image.open(io.BytesIO(after)) as new:
        assert new.tobytes() == old.tobytes()
        assert new.info["icc_profile"] == PROFILE
        assert dict(new.getexif()) == ({} if orientation == UPRIGHT else {ORIENTATION: orientation})
        assert new.getexif().get_ifd(GPS) == {}
        assert ImageOps.exif_transpose(new).tobytes() == ImageOps.exif_transpose(old).tobytes()


@each_kind
def test_images_without_metadata_do_not_change(tmp_path: Path, kind: str) -> None:
    written = io.BytesIO()
    Image.effect_noise((60, 40), 50).convert("RGB").save(written, kind)
    assert cleaned(tmp_path, written.getvalue(), kind) == (written.getvalue(), False)


@pytest.mark.parametrize("options", [{"progressive": True}, {"restart_marker_rows": 1}, {"quality": 5}])
def test_every_kind_of_jpeg(tmp_path: Path, options: dict[str, Any]) -> None:
    before = noted("JPEG", **options)
    after, _ = cleaned(tmp_path, before, "JPEG")
    with Image.open(io.BytesIO(before)) as old, Image.open(io.BytesIO(after)) as new:
        assert (new.tobytes(), SECRET in after) == (old.tobytes(), False)


def test_other_files_do_not_change(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(SECRET)
    assert not remove_notes(path, "text/plain")
    assert not remove_notes(path, "image/tiff")
    assert path.read_bytes() == SECRET


@each_kind
def test_broken_files_do_not_change(tmp_path: Path, kind: str) -> None:
    """Truncated or changed anywhere: no exception, no endless loop, no file left over."""
    whole, dice = noted(kind), random.Random(kind)
    path = tmp_path / "picture"
    for _ in range(300):
        content = bytearray(whole[: dice.randrange(len(whole))])
        for _ in range(dice.randrange(3)):
            if content:
                content[dice.randrange(min(len(content), 400))] = dice.randrange(256)
        path.write_bytes(content)
        if not remove_notes(path, KINDS[kind], 6):
            assert path.read_bytes() == content
        assert [found.name for found in tmp_path.iterdir()] == ["picture"]
