"""Frames and properties of videos, read with the real ffmpeg, and the limits of hostile files."""

import asyncio
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
from tests.api.http.test_image_files import PRESETS, SECRET_TEXT, colors, get, in_bucket, opened
from tests.api.http.test_private_files import SETTINGS, hide, plain, read
from tests.api.http.test_private_objects import hidden_keys
from tests.api.rest.test_uploads import Part, Shop, open_writable
from tests.models.bookshop import FULL_TOKEN
from tests.models.templates import Copy
from tests.s3_server import S3Server

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not has_programs(), reason="needs ffmpeg and ffprobe")]


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with clips of two seconds (wide, turned, for the web, with wide pixels) and a blue one of one second."""
    folder = tmp_path_factory.mktemp("clips")
    source = ("-f", "lavfi", "-i", "color=red:size=320x240:rate=5:duration=2")
    make(folder, *source, "-c:v", "mpeg4", "wide.mp4")
    (folder / "turned.mov").write_bytes(turned((folder / "wide.mp4").read_bytes()))
    make(folder, *source, "-c:v", "libvpx", "web.webm")
    make(folder, *source, "-vf", "setsar=64/45", "-c:v", "mpeg4", "stretched.mp4")
    (folder / "stretched.mov").write_bytes(turned((folder / "stretched.mp4").read_bytes()))
    make(folder, "-f", "lavfi", "-i", "color=blue:size=320x240:rate=5:duration=1", "-c:v", "mpeg4", "blue.mp4")
    return folder


def make(folder: Path, *arguments: str) -> None:
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments], cwd=folder, check=True)


def turned(video: bytes) -> bytes:
    """Return a clip as phones record it upright: its track header has a matrix that turns it by 90 degrees."""
    start = video.index(b"tkhd") + 44
    matrix = struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, 240 << 16, 0, 1 << 30)
    return video[:start] + matrix + video[start + len(matrix) :]


@pytest.mark.parametrize(
    "name, mime, size",
    [
        ("wide.mp4", "video/mp4", Size(320, 240)),
        ("turned.mov", "video/quicktime", Size(240, 320)),
        ("web.webm", "video/webm", Size(320, 240)),
        ("stretched.mp4", "video/mp4", Size(455, 240)),
        ("stretched.mov", "video/quicktime", Size(240, 455)),
    ],
)
def test_properties_and_a_frame(clips: Path, tmp_path: Path, name: str, mime: str, size: Size) -> None:
    facts = read_facts(clips / name, mime)
    assert (facts.size, round(facts.duration or 0)) == (size, 2)
    frame = tmp_path / "frame.jpg"
    write_frame(clips / name, mime, facts, frame)
    with Image.open(frame) as image:
        assert image.size == (size.width, size.height)
        red, green, blue = image.convert("RGB").getpixel((100, 100))  # type: ignore[misc]
    assert red > 200
    assert max(green, blue) < 60


def test_a_video_that_ends_before_its_audio_has_a_frame(tmp_path: Path) -> None:
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


async def poster_name(shop: Shop) -> str:
    """The name of the only poster in the storage."""
    (row,) = await shop.site.database.fetch_all("SELECT object FROM octavo_image_variants WHERE variant = 'poster'")
    return str(row[0])


@pytest.mark.parametrize("bookshop_copy", ["sqlite"], indirect=True)
async def test_all_sizes_are_created_from_one_stored_poster(shop: Shop, clips: Path) -> None:
    (file,) = await shop.add(("files", "wide.mp4", (clips / "wide.mp4").read_bytes(), "video/mp4"))
    targets = [f"{file['url']}?preset={name}" for name in ("card", "padded", "wide")]
    first = await asyncio.gather(*(get(shop, target) for target in targets))
    assert [opened(answer).size for answer in first] == [(60, 40), (80, 80), (300, 225)]
    assert len(shop.names()) == 5, "the video, its poster and three sizes"
    path = shop.folder / file["url"].rpartition("/")[2]
    content = path.read_bytes()
    path.write_bytes(b"no video")
    assert opened(await get(shop, f"{file['url']}?preset=smallest")).width == 100, "from the poster"
    path.write_bytes(content)
    (shop.folder / await poster_name(shop)).unlink()
    assert opened(await get(shop, f"{file['url']}?preset=card&dpr=2")).size == (120, 80), "the poster is created again"
    replaced = await shop.post(f"/api/upload?id={file['id']}", blue(clips))
    assert (replaced.status, len(shop.names())) == (200, 1)
    assert colors(opened(await get(shop, targets[0]))) == {"blue"}


def blue(clips: Path) -> Part:
    return ("files", "blue.mp4", (clips / "blue.mp4").read_bytes(), "video/mp4")


@pytest.mark.parametrize("bookshop_copy", ["sqlite"], indirect=True)
async def test_posters_of_private_videos_in_a_bucket_are_private(
    anyio_backend: str, tmp_path: Path, bookshop_copy: Copy, s3_server: S3Server, clips: Path
) -> None:
    bucket = s3_server.new_bucket()
    settings = {**in_bucket(s3_server, bucket), **SETTINGS, "OCTAVO_API__IMAGES__IN_FORMATS": "true"}
    site = await open_writable(tmp_path / "shop", bookshop_copy, settings)
    shop = Shop(site, tmp_path)
    (file,) = await shop.add(("files", "wide.mp4", (clips / "wide.mp4").read_bytes(), "video/mp4"))
    assert colors(opened(await get(shop, file["formats"]["card"]["url"]))) == {"red"}
    hidden = await hide(shop, file)
    assert hidden_keys(s3_server, bucket) == [True], "the poster is deleted"
    poster = await get(shop, hidden["formats"]["card"]["url"])
    assert (opened(poster).size, poster.headers["cache-control"][:7]) == ((60, 40), "private")
    assert (await get(shop, f"/uploads/{plain(hidden['url']).rpartition('/')[2]}?preset=card")).status == 404
    assert hidden_keys(s3_server, bucket) == [True] * 3
    assert (await shop.post(f"/api/upload?id={file['id']}", blue(clips))).status == 200
    replaced = await read(shop, file)
    assert colors(opened(await get(shop, replaced["formats"]["card"]["url"]))) == {"blue"}
    assert hidden_keys(s3_server, bucket) == [True] * 3
    assert (await shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    assert s3_server.keys(bucket) == []
    await site.octavo.infrastructure.close()


@pytest.mark.parametrize("bookshop_copy", ["sqlite"], indirect=True)
async def test_unreadable_videos_are_stored_unchanged(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    (file,) = await shop.add(("files", "broken.mp4", b"\0\0\0\x18ftypmp42" + b"x" * 4000, "video/mp4"))
    assert "video" not in (file["formats"] or {})
    assert "broken.mp4 has no poster: the video cannot be read" in caplog.text
    answer = await get(shop, f"{file['url']}?preset=wide")
    assert (answer.status, answer.headers["content-type"]) == (200, "video/mp4")
