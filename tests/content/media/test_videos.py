"""Frames and facts of videos, read with the real ffmpeg, and what hostile files cannot do."""

import json
import struct
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PIL import Image

from octavo.content.media.image_sizes import Size
from octavo.content.media.videos import has_programs, read_facts, write_frame
from octavo.core.errors import ApplicationError
from tests.api.http.test_image_files import PRESETS, SECRET_TEXT, get, opened
from tests.api.rest.test_uploads import Shop, open_writable
from tests.models.bookshop import FULL_TOKEN
from tests.models.templates import Copy

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not has_programs(), reason="needs ffmpeg and ffprobe")]


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wide clip, a turned one and one for the web, each of two seconds."""
    folder = tmp_path_factory.mktemp("clips")
    source = ("-f", "lavfi", "-i", "color=red:size=320x240:rate=5:duration=2")
    make(folder, *source, "-c:v", "mpeg4", "wide.mp4")
    (folder / "turned.mov").write_bytes(turned((folder / "wide.mp4").read_bytes()))
    make(folder, *source, "-c:v", "libvpx", "web.webm")
    return folder


def make(folder: Path, *arguments: str) -> None:
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], cwd=folder, check=True)


def turned(video: bytes) -> bytes:
    """A clip as phones record it upright: its track header has a matrix that turns it by 90 degrees."""
    start = video.index(b"tkhd") + 44
    matrix = struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, 240 << 16, 0, 1 << 30)
    return video[:start] + matrix + video[start + len(matrix) :]


@pytest.mark.parametrize(
    "name, mime, size",
    [
        ("wide.mp4", "video/mp4", Size(320, 240)),
        ("turned.mov", "video/quicktime", Size(240, 320)),
        ("web.webm", "video/webm", Size(320, 240)),
    ],
)
def test_facts_and_a_frame(clips: Path, tmp_path: Path, name: str, mime: str, size: Size) -> None:
    facts = read_facts(clips / name, mime)
    assert (facts.size, round(facts.duration or 0)) == (size, 2)
    frame = tmp_path / "frame.jpg"
    write_frame(clips / name, mime, facts, frame)
    with Image.open(frame) as image:
        assert image.size == (size.width, size.height)
        red, green, blue = image.convert("RGB").getpixel((100, 100))  # type: ignore[misc]
    assert red > 200
    assert max(green, blue) < 60


def test_a_picture_that_ends_before_the_sound_has_a_frame(tmp_path: Path) -> None:
    sound = ("-f", "lavfi", "-i", "sine=duration=9")
    make(
        tmp_path, "-f", "lavfi", "-i", "color=red:size=64x48:rate=5:duration=0.2", *sound, "-c:v", "mpeg4", "short.mp4"
    )
    write_frame(
        tmp_path / "short.mp4", "video/mp4", read_facts(tmp_path / "short.mp4", "video/mp4"), tmp_path / "frame.jpg"
    )
    assert (tmp_path / "frame.jpg").stat().st_size > 0


def test_other_files_and_hosts_are_not_opened(clips: Path, tmp_path: Path) -> None:
    """A playlist or a list of files names others; ffmpeg would open them if it chose the demuxer by the content."""
    path = str(clips / "wide.mp4")
    for name, text in (
        ("playlist.mp4", f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n{path}\n#EXT-X-ENDLIST\n"),
        ("list.mp4", f"ffconcat version 1.0\nfile '{path}'\n"),
        ("empty.mp4", ""),
        ("noise.mp4", "\0\0\0\x18ftypmp42" + "x" * 4000),
    ):
        hostile = tmp_path / name
        hostile.write_text(text)
        for mime in ("video/mp4", "video/webm"):
            with pytest.raises(ApplicationError, match="cannot be read"):
                read_facts(hostile, mime)


@pytest.fixture
async def shop(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> AsyncIterator[Shop]:
    settings = {
        "IMAGES_SECRET": SECRET_TEXT,
        "OCTAVO_API__IMAGES__PRESETS": json.dumps(PRESETS),
        "OCTAVO_API__IMAGES__IN_FORMATS": "true",
    }
    site = await open_writable(tmp_path / "shop", bookshop_copy, settings)
    yield Shop(site, tmp_path / "shop/public/uploads")
    await site.octavo.infrastructure.close()


@pytest.mark.parametrize("bookshop_copy", ["sqlite"], indirect=True)
async def test_posters_are_transformed_images(shop: Shop, clips: Path) -> None:
    (file,) = await shop.add(("files", "wide.mp4", (clips / "wide.mp4").read_bytes(), "video/mp4"))
    shown = (await shop.site.get(f"/api/upload/files/{file['id']}", FULL_TOKEN)).json
    assert (shown["width"], shown["mime"]) == (None, "video/mp4")
    formats = shown["formats"]
    assert formats["video"] == {"width": 320, "height": 240, "duration": 2.0}
    assert formats["placeholder"].keys() == {"url", "width", "height", "thumbhash"}
    poster = await get(shop, formats["wide"]["url"])
    assert (opened(poster).width, poster.headers["content-type"]) == (formats["wide"]["width"], "image/jpeg")
    whole = await get(shop, file["url"])
    assert whole.headers["content-type"] == "video/mp4"
    assert (await shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    assert shop.names() == set()


@pytest.mark.parametrize("bookshop_copy", ["sqlite"], indirect=True)
async def test_videos_that_cannot_be_read_are_stored_as_they_are(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    (file,) = await shop.add(("files", "broken.mp4", b"\0\0\0\x18ftypmp42" + b"x" * 4000, "video/mp4"))
    assert "video" not in (file["formats"] or {})
    assert "broken.mp4 has no poster: the video cannot be read" in caplog.text
    answer = await get(shop, f"{file['url']}?preset=wide")
    assert (answer.status, answer.headers["content-type"]) == (200, "video/mp4")
