"""Stored files contain no location, wherever phones and cameras write it, and their image stays."""

import io
import random
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from octavo.content.media.image_formats import process_image
from octavo.content.media.image_metadata import remove_notes
from tests.models.camera_files import SECRET, camera_files, canon_raw, movie, several_photographs, tiff_tags
from tests.models.pictures import animation

FILES = camera_files()
READABLE = [name for name in FILES if not name.endswith((".heic", ".mp4", ".mov", ".cr3"))]


def cleaned(folder: Path, mime: str, content: bytes) -> bytes:
    path = folder / "file"
    path.write_bytes(content)
    assert remove_notes(path, mime)
    assert [found.name for found in folder.iterdir()] == ["file"]
    once = path.read_bytes()
    assert not remove_notes(path, mime)
    assert path.read_bytes() == once
    return once


@pytest.mark.parametrize("name", FILES)
def test_locations_are_removed_from_every_file(tmp_path: Path, name: str) -> None:
    mime, content = FILES[name]
    assert SECRET in content
    after = cleaned(tmp_path, mime, content)
    assert SECRET not in after
    assert b"XMP DataXMP" not in after


@pytest.mark.parametrize("name", READABLE)
def test_the_image_stays(tmp_path: Path, name: str) -> None:
    mime, content = FILES[name]
    after = cleaned(tmp_path, mime, content)
    with Image.open(io.BytesIO(content)) as old, Image.open(io.BytesIO(after)) as new:
        if mime == "image/jpeg":
            assert new.tobytes() == old.tobytes()
        else:
            frames = [frame.tobytes() for frame in ImageSequence.Iterator(old)]
            assert [frame.tobytes() for frame in ImageSequence.Iterator(new)] == frames
        assert new.getexif().get_ifd(0x8825) == {}
        assert new.info.get("loop") == old.info.get("loop")


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_raise_nothing(tmp_path: Path, name: str) -> None:
    """Truncated or changed anywhere: no exception, no endless loop, no file left over."""
    mime, whole = FILES[name]
    chance, path = random.Random(name), tmp_path / "file"
    for _ in range(60):
        content = bytearray(whole[: chance.randrange(1, len(whole) + 1)])
        for _ in range(chance.randrange(6)):
            content[chance.randrange(min(len(content), 700))] = chance.randrange(256)
        path.write_bytes(content)
        if not remove_notes(path, mime):
            assert path.read_bytes() == content
        assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_titles_and_pixels_of_videos_stay(tmp_path: Path) -> None:
    after = cleaned(tmp_path, "video/mp4", movie())
    assert (after.count(b"A title"), after.count(b"PIXELS")) == (2, 9)
    assert len(after) == len(movie())


def test_raw_files_keep_what_decoders_need(tmp_path: Path) -> None:
    assert cleaned(tmp_path, "image/x-canon-cr3", canon_raw()).count(b"needed") == 2
    written = io.BytesIO()
    Image.new("RGB", (60, 40)).save(written, "TIFF", exif=tiff_tags({50706: b"\1\4\0\0", 700: b"GPS"}))
    with Image.open(io.BytesIO(written.getvalue())) as image:
        assert image.getexif().get_ifd(0x8825)[29] == SECRET.decode()
    with Image.open(io.BytesIO(cleaned(tmp_path, "image/tiff", written.getvalue()))) as image:
        tags = image.getexif()
        assert (tags[50706], tags.get_ifd(0x8825), tags.get(700)) == (b"\1\4\0\0", {}, None)
        assert tags[271] == SECRET.decode()
        assert tags.get_ifd(0x8769)[0xA431] == SECRET.decode()


@pytest.mark.parametrize("name", ["two-photos.jpg", "scan.tiff"])
def test_only_animations_have_no_formats(tmp_path: Path, name: str) -> None:
    mime, content = FILES[name]
    path = tmp_path / "file"
    path.write_bytes(content)
    assert [made.name for made in process_image(path, mime, {}, path).formats] == ["thumbnail"]
    path.write_bytes(animation("WEBP", 300, 200))
    assert process_image(path, "image/webp", {}, path).formats == ()


@pytest.mark.parametrize("name", READABLE)
def test_formats_have_no_metadata(tmp_path: Path, name: str) -> None:
    mime, content = FILES[name]
    path = tmp_path / "file"
    path.write_bytes(content)
    for made in process_image(path, mime, {}, path).formats:
        assert SECRET not in made.path.read_bytes()


def test_both_images_of_a_file_have_a_location() -> None:
    assert several_photographs().count(SECRET) == 6
