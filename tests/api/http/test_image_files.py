"""Transformed images over HTTP, on both databases: by presets, stored once, and removed with their file."""

import asyncio
import base64
import io
import json
import tempfile
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from octavo.content.media import image_variants
from octavo.content.media.image_variants import ImageVariants
from octavo.content.media.image_workers import IMAGE_WORKERS
from octavo.content.media.placeholder_creator import PlaceholderCreator
from octavo.content.media.private_files import sign
from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.transformations import HEIC, KINDS, Transformation, preset_version
from octavo.content.media.variant_rows import Variant
from octavo.database import leases
from tests.api.http.asgi import Answer, call
from tests.api.rest.test_uploads import BOOK, NOTE, Part, Shop, open_writable
from tests.models.bookshop import FULL_TOKEN
from tests.models.pictures import animation, bomb, heic_picture, turned_picture
from tests.models.site import another
from tests.models.templates import Copy
from tests.s3_server import KEY, SECRET, S3Server

pytestmark = pytest.mark.anyio

PRESETS: dict[str, dict[str, Any]] = {
    "card": {"width": 60, "height": 40},
    "wide": {"width": 300, "format": "jpeg"},
    "padded": {"width": 80, "height": 80, "fit": "contain", "format": "png"},
    "smallest": {"width": 100, "format": "avif", "quality": 50},
}
WITH_PRESETS = {"OCTAVO_API__IMAGES__PRESETS": json.dumps(PRESETS)}
LISTED = {"OCTAVO_API__IMAGES__IN_FORMATS": "true"}
ON_SQLITE = pytest.mark.parametrize("bookshop_copy", ["sqlite"], indirect=True)
"""For tests of pixels, formats, buckets and parameters of URLs: each database stores the same row of the file."""
SECRET_TEXT = "a secret of more than thirty-two characters"
WEBP = "image/avif;q=0,image/webp,*/*;q=0.8"


def halves(width: int, height: int, kind: str = "JPEG") -> bytes:
    """Return an image whose left half is red and whose right half is blue."""
    image = Image.new("RGB", (width, height), "red")
    image.paste("blue", (width // 2, 0, width, height))
    written = io.BytesIO()
    image.save(written, kind)
    return written.getvalue()


PHOTO: Part = ("files", "photo.jpg", halves(400, 200), "image/jpeg")


@pytest.fixture
async def shop(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> AsyncIterator[Shop]:
    site = await open_writable(tmp_path / "shop", bookshop_copy, WITH_PRESETS)
    yield Shop(site, tmp_path / "shop/public/uploads")
    await site.octavo.infrastructure.close()


async def get(shop: Shop, target: str, accept: str = WEBP, method: str = "GET", **headers: str) -> Answer:
    given = [("Accept", accept), *((name.replace("_", "-"), value) for name, value in headers.items())]
    return await call(shop.site.octavo.asgi, method, target, given)


def opened(answer: Answer) -> Image.Image:
    assert answer.status == 200, answer.body
    return Image.open(io.BytesIO(answer.body))


def colors(image: Image.Image) -> set[str]:
    """Return the colors of the first and the last column."""
    found = (image.convert("RGB").getpixel((x, image.height // 2)) for x in (1, image.width - 2))
    return {"red" if isinstance(one, tuple) and one[0] > one[2] else "blue" for one in found}


@ON_SQLITE
async def test_a_preset_resizes_and_crops_in_the_best_format(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    answer = await get(shop, f"{file['url']}?preset=card")
    assert answer.only("content-type", "vary", "cache-control", "x-content-type-options", "accept-ranges") == {
        "content-type": "image/webp",
        "vary": "Origin, Accept",
        "cache-control": "max-age=0",
        "x-content-type-options": "nosniff",
        "accept-ranges": "bytes",
    }
    assert (opened(answer).size, opened(answer).format) == ((60, 40), "WEBP")
    other = await get(shop, f"{file['url']}?preset=card", accept="*/*")
    assert (opened(other).size, opened(other).format) == ((60, 40), "JPEG")
    assert (opened(await get(shop, f"{file['url']}?preset=card&dpr=2"))).size == (120, 80)
    wide = await get(shop, f"{file['url']}?preset=wide")
    assert (opened(wide).size, opened(wide).format, wide.headers.get("vary")) == ((300, 150), "JPEG", "Origin")
    assert opened(await get(shop, f"{file['url']}?preset=wide&dpr=3")).size == (400, 200), "never enlarged"
    padded = opened(await get(shop, f"{file['url']}?preset=padded"))
    assert (padded.size, padded.getpixel((40, 2))) == ((80, 80), (255, 255, 255))
    assert opened(await get(shop, f"{file['url']}?preset=smallest")).format == "AVIF"


async def test_a_variant_is_created_once_and_read_with_one_statement(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    before = shop.names()
    first = await get(shop, f"{file['url']}?preset=card")
    created = shop.names() - before
    assert len(created) == 1
    statements = shop.site.database.statements
    again = await get(shop, f"{file['url']}?preset=card")
    assert shop.site.database.statements - statements == 1
    assert (again.body, again.headers["etag"]) == (first.body, first.headers["etag"])
    assert shop.names() - before == created
    unchanged = await get(shop, f"{file['url']}?preset=card", if_none_match=first.headers["etag"])
    assert (unchanged.status, unchanged.body) == (304, b"")
    head = await get(shop, f"{file['url']}?preset=card", method="HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(first.body)))
    part = await get(shop, f"{file['url']}?preset=card", range="bytes=0-3")
    assert (part.status, part.body) == (206, b"RIFF")


async def assert_answered_without_the_content(shop: Shop, url: str, first: Answer) -> None:
    """Assert that HEAD and responses with status 304 and 416 do not read the variant, which the storage has lost."""
    named = first.headers["etag"], first.headers["last-modified"]
    head = await get(shop, url, method="HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(first.body)))
    unchanged = await get(shop, url, if_none_match=named[0])
    assert (unchanged.status, unchanged.body, unchanged.headers["vary"]) == (304, b"", "Origin, Accept")
    beyond = await get(shop, url, range=f"bytes={len(first.body)}-")
    assert (beyond.status, beyond.headers["content-range"]) == (416, f"bytes */{len(first.body)}")
    assert {answer.headers["etag"] for answer in (head, unchanged, beyond)} == {named[0]}


@ON_SQLITE
async def test_responses_without_content_need_no_file(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    url = f"{file['url']}?preset=card"
    first = await get(shop, url)
    (path,) = shop.folder.glob("variant_*")
    path.unlink()
    await assert_answered_without_the_content(shop, url, first)
    assert list(shop.folder.glob("variant_*")) == []


async def test_a_full_disk_is_reported_for_the_action(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = await shop.add(PHOTO)
    monkeypatch.setattr(shop.site.octavo.infrastructure.storage.workspace, "folder", Path("/proc/nowhere"))
    answer = await get(shop, f"{file['url']}?preset=card")
    assert (answer.status, answer.json["error"]["message"]) == (503, "The image cannot be transformed")
    assert answer.headers["retry-after"] == "5"


async def test_requests_share_one_creation(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = await shop.add(PHOTO)
    before = shop.names()
    answers = await asyncio.gather(*(get(shop, f"{file['url']}?preset=card") for _ in range(20)))
    assert {answer.body for answer in answers} == {answers[0].body}
    assert len(shop.names() - before) == 1
    monkeypatch.setattr(image_variants, "MOST_WAITING", 0)
    refused = await get(shop, f"{file['url']}?preset=wide")
    assert (refused.status, refused.headers["retry-after"]) == (503, "2")
    assert (await get(shop, f"{file['url']}?preset=card")).status == 200, "stored variants need no slot"


async def test_processes_share_one_creation(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    name, before, shared = file["url"].removeprefix("/uploads/"), shop.names(), shop.site.octavo.infrastructure
    storage = LocalStorage(shop.folder)
    nodes = [ImageVariants(shared.database, storage, storage, 1 << 30, shared=True) for _ in range(3)]
    found = await asyncio.gather(*(node.find(name, Transformation(width=50), "webp") for node in nodes))
    assert isinstance(found[0], Variant)
    assert found[1:] == found[:1] * 2
    assert len(shop.names() - before) == 1


async def test_a_timeout_while_another_process_works_is_not_an_outage(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = await shop.add(PHOTO)
    database, storage = shop.site.octavo.infrastructure.database, LocalStorage(shop.folder)
    node, wanted = ImageVariants(database, storage, storage, 1 << 30, shared=True), Transformation(width=50)
    monkeypatch.setattr(leases, "PATIENCE_SECONDS", 0.0)
    async with leases.lease(database, f"octavo: image {file['id']} {wanted.key('webp')}"):
        with pytest.raises(image_variants.TooManyImages):
            await node.find(file["url"].removeprefix("/uploads/"), wanted, "webp")


async def test_a_file_that_changes_meanwhile_is_transformed_again(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    images = shop.site.octavo.infrastructure.images
    assert images is not None
    name = file["url"].removeprefix("/uploads/")
    wanted = [Transformation(width=width) for width in range(20, 40)]
    finding = asyncio.gather(*(images.find(name, one, "webp") for one in wanted))
    other = ("files", "other.jpg", halves(100, 400), "image/jpeg")
    replaced, found = await asyncio.gather(shop.post(f"/api/upload?id={file['id']}", other), finding)
    assert replaced.status == 200
    for one in wanted:
        again = await images.find(name, one, "webp")
        assert isinstance(again, Variant)
        with Image.open(shop.folder / again.object) as image:
            assert image.size == (one.width, 4 * (one.width or 0))
    assert len([each for each in shop.names() if each.startswith("variant_")]) == len(wanted) == len(found)


async def test_maintenance_mode_serves_stored_variants(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    assert (await get(shop, f"{file['url']}?preset=card")).status == 200
    shop.site.database.read_only_message = "Back soon"
    assert (await get(shop, f"{file['url']}?preset=card")).status == 200
    refused = await get(shop, f"{file['url']}?preset=wide")
    assert (refused.status, refused.json["error"]["message"]) == (503, "Back soon")


async def test_a_url_with_the_version_can_be_cached_forever(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    row = "SELECT version FROM octavo_image_variants"
    await get(shop, f"{file['url']}?preset=card")
    file_version = f"{await shop.site.database.fetch_value(row):x}"
    version = file_version + preset_version(Transformation(**PRESETS["card"]), ("webp",))
    exact = await get(shop, f"{file['url']}?preset=card&v={version}")
    assert exact.headers["cache-control"] == "public, max-age=31536000, immutable"
    older = await get(shop, f"{file['url']}?preset=card&v=1")
    assert (older.headers["cache-control"], older.body) == ("max-age=0", exact.body)
    without_preset = await get(shop, f"{file['url']}?preset=card&v={file_version}")
    assert without_preset.headers["cache-control"] == "max-age=0"


@ON_SQLITE
@pytest.mark.parametrize(
    "changed",
    [
        {"OCTAVO_API__IMAGES__PRESETS": json.dumps({**PRESETS, "card": {"width": 50, "height": 40}})},
        {"OCTAVO_API__IMAGES__AUTO_FORMATS": "avif,webp"},
    ],
)
async def test_the_version_changes_with_the_preset(
    tmp_path: Path, bookshop_copy: Copy, changed: dict[str, str]
) -> None:
    versions = []
    for number, settings in enumerate(({**WITH_PRESETS, **LISTED}, {**WITH_PRESETS, **LISTED, **changed})):
        site = await open_writable(tmp_path / str(number), bookshop_copy, settings)
        shop = Shop(site, tmp_path / str(number) / "public/uploads")
        (file,) = await shop.add(PHOTO)
        versions.append(file["formats"]["card"]["url"].rpartition("&v=")[2].partition("-")[2])
        fresh = await get(shop, file["formats"]["card"]["url"])
        assert fresh.headers["cache-control"] == "public, max-age=31536000, immutable"
        await site.octavo.infrastructure.close()
    assert versions[0] != versions[1]


@ON_SQLITE
async def test_a_url_is_not_cached_after_it_expires(tmp_path: Path, bookshop_copy: Copy) -> None:
    settings = {"IMAGES_SECRET": SECRET_TEXT, "OCTAVO_MIDDLEWARES__PUBLIC__UPLOADS_MAX_AGE": "10000000000"}
    site = await open_writable(tmp_path / "shop", bookshop_copy, settings)
    shop = Shop(site, tmp_path / "shop/public/uploads")
    (file,) = await shop.add(PHOTO)
    query = "width=37&expires=4102444800"
    answer = await get(shop, f"{file['url']}?{query}&signature={sign(file['url'], query, SECRET_TEXT)}")
    lifetime = int(answer.headers["cache-control"].removeprefix("max-age="))
    assert 0 < lifetime <= 4102444800 - int(datetime.fromisoformat(file["createdAt"]).timestamp())
    await site.octavo.infrastructure.close()


async def test_variants_are_replaced_and_deleted_with_their_file(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    red_and_blue = opened(await get(shop, f"{file['url']}?preset=card"))
    assert colors(red_and_blue) == {"red", "blue"}
    await shop.post(f"/api/upload?id={file['id']}", ("files", "other.jpg", halves(100, 400), "image/jpeg"))
    assert [name for name in shop.names() if name.startswith("variant_")] == []
    replaced = opened(await get(shop, f"{file['url']}?preset=wide"))
    assert replaced.size == (100, 400)
    assert (await shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    assert [name for name in shop.names() if name.startswith(("variant_", "photo_"))] == []
    assert await shop.count("octavo_image_variants") == 0
    assert (await get(shop, f"{file['url']}?preset=wide")).status == 404


@ON_SQLITE
async def test_crops_keep_the_focal_point(shop: Shop) -> None:
    (file,) = await shop.add(("files", "photo.jpg", halves(1000, 40), "image/jpeg"))
    assert colors(opened(await get(shop, f"{file['url']}?preset=card"))) == {"red", "blue"}
    for x, color in ((0.9, "blue"), (0.1, "red")):
        metadata = json.dumps({"focalPoint": {"x": x, "y": 0.5}})
        await shop.site.database.execute(
            f"UPDATE files SET provider_metadata = '{metadata}', updated_at = created_at WHERE id = {file['id']}"
        )
        await shop.post(f"/api/upload?id={file['id']}", ("fileInfo", json.dumps({"caption": f"at {x}"})))
        assert colors(opened(await get(shop, f"{file['url']}?preset=card"))) == {color}


@ON_SQLITE
async def test_photos_are_upright_and_keep_no_metadata(shop: Shop) -> None:
    (file,) = await shop.add(("files", "turned.jpg", turned_picture(400, 200), "image/jpeg"))
    image = opened(await get(shop, f"{file['url']}?preset=wide"))
    assert (image.size, dict(image.getexif())) == ((200, 400), {})


@ON_SQLITE
@pytest.mark.parametrize(
    "part",
    [
        ("files", "moving.gif", animation("GIF", 100, 80), "image/gif"),
        ("files", "drawing.svg", b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', "image/svg+xml"),
        NOTE,
    ],
)
async def test_other_files_are_served_unchanged(shop: Shop, part: Any) -> None:
    (file,) = await shop.add(part)
    plain = await shop.site.get(file["url"])
    answer = await get(shop, f"{file['url']}?preset=card")
    assert (answer.status, answer.body, answer.headers["content-type"]) == (
        200,
        plain.body,
        plain.headers["content-type"],
    )
    assert await shop.count("octavo_image_variants") == 0


async def test_files_that_cannot_be_transformed_need_no_search_of_the_table(shop: Shop) -> None:
    moving = ("files", "moving.gif", animation("GIF", 100, 80), "image/gif")
    drawing = (
        "files",
        "drawing.svg",
        b'<svg xmlns="http://www.w3.org/2000/svg"/>',
        "image/svg+xml",
    )
    file, gif, svg, note = await shop.add(PHOTO, moving, drawing, NOTE)
    urls = [(file["formats"]["thumbnail"]["url"], 1), (gif["url"], 2), (svg["url"], 0), (note["url"], 0)]
    for url, most in urls:
        first = await get(shop, f"{url}?preset=card")
        statements = shop.site.database.statements
        again = await get(shop, f"{url}?preset=card")
        assert (again.status, again.body) == (200, first.body)
        assert shop.site.database.statements - statements == most, url


async def test_an_animation_that_is_replaced_is_transformed(shop: Shop) -> None:
    (file,) = await shop.add(("files", "moving.gif", animation("GIF", 100, 80), "image/gif"))
    assert (await get(shop, f"{file['url']}?preset=card")).headers["content-type"] == "image/gif"
    still = ("files", "still.gif", halves(100, 80, "GIF"), "image/gif")
    assert (await shop.post(f"/api/upload?id={file['id']}", still)).status == 200
    assert (await get(shop, f"{file['url']}?preset=card")).headers["content-type"] == "image/webp"


@ON_SQLITE
async def test_images_that_need_much_memory_are_transformed_one_at_a_time(shop: Shop) -> None:
    photo, drawing = await shop.add(PHOTO, ("files", "drawing.png", halves(400, 200, "PNG"), "image/png"))
    heavy = IMAGE_WORKERS._heavy
    assert await asyncio.to_thread(heavy.acquire, timeout=60)
    try:
        waiting = asyncio.create_task(get(shop, f"{drawing['url']}?preset=card"))
        for preset in ("card", "wide", "padded"):
            assert (await get(shop, f"{photo['url']}?preset={preset}")).status == 200
        assert not waiting.done()
    finally:
        heavy.release()
    assert opened(await waiting).size == (60, 40)


async def test_a_damaged_file_is_tried_once_and_served(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    (file,) = await shop.add(PHOTO)
    (shop.folder / file["url"].removeprefix("/uploads/")).write_bytes(bomb(50_000, 50_000))
    for _ in range(3):
        assert (await get(shop, f"{file['url']}?preset=card")).body == bomb(50_000, 50_000)
    assert [record.message for record in caplog.records if "cannot be transformed" in record.message] == [
        f"{file['url'].removeprefix('/uploads/')} cannot be transformed, so the original is served: "
        "The image cannot be decoded: its format is not supported"
    ]


async def test_a_variant_that_the_storage_lost_is_created_again(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    first = await get(shop, f"{file['url']}?preset=card")
    for path in shop.folder.glob("variant_*"):
        path.unlink()
    assert (await get(shop, f"{file['url']}?preset=card")).body == first.body


async def test_the_oldest_variants_are_deleted_first(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = await shop.add(PHOTO)
    images = shop.site.octavo.infrastructure.images
    assert images is not None
    monkeypatch.setattr(images, "_most_bytes", 1)
    for preset in ("card", "wide", "padded"):
        await get(shop, f"{file['url']}?preset={preset}")
    assert await shop.count("octavo_image_variants") == 0
    assert [name for name in shop.names() if name.startswith("variant_")] == []


@ON_SQLITE
@pytest.mark.parametrize("query", ["v=3", "width=600", "preset=unknown", "width=600&format=webp", "preset=", "x=1"])
async def test_other_parameters_return_the_original_under_v4(shop: Shop, query: str) -> None:
    (file,) = await shop.add(PHOTO)
    plain, answer = await shop.site.get(file["url"]), await get(shop, f"{file['url']}?{query}")
    assert (answer.status, answer.body) == (200, plain.body)
    assert answer.only("cache-control", "etag", "vary") == plain.only("cache-control", "etag", "vary")


@ON_SQLITE
async def test_other_parameters_are_refused_under_safe(shop: Shop) -> None:
    (file,) = await shop.add(PHOTO)
    async with another(shop.site, image_parameters="refuse") as site:
        strict = Shop(site, shop.folder)
        assert (await get(strict, f"{file['url']}?v=3")).status == 200
        assert (await get(strict, f"{file['url']}?preset=card&dpr=2&v=3")).status == 200
        refused = await get(strict, f"{file['url']}?preset=crad&width=600&dpr=9")
        assert (refused.status, [one["message"] for one in refused.json["error"]["details"]["errors"]]) == (
            400,
            [
                "preset: unknown preset. Set it in `images.presets` of api.toml. Presets: card, padded, smallest, wide",
                "width: cannot be combined with `preset`",
                "dpr: expected a whole number from 1 to 3",
            ],
        )


@ON_SQLITE
async def test_listed_sizes_and_signed_urls(tmp_path: Path, bookshop_copy: Copy) -> None:
    settings = {"OCTAVO_API__IMAGES__SIZES": "100, 200", "IMAGES_SECRET": SECRET_TEXT}
    site = await open_writable(tmp_path / "shop", bookshop_copy, settings)
    shop = Shop(site, tmp_path / "shop/public/uploads")
    (file,) = await shop.add(PHOTO)
    plain = (await shop.site.get(file["url"])).body
    assert opened(await get(shop, f"{file['url']}?width=100&format=jpeg&dpr=2")).size == (200, 100)
    assert (await get(shop, f"{file['url']}?width=101")).body == plain
    assert (await get(shop, f"{file['url']}?width=100&quality=1")).body == plain
    query = "width=37&height=37&crop=0,0,100,100&focus=.5,1&quality=30&expires=99999999999"
    answer = await get(shop, f"{file['url']}?{query}&signature={sign(file['url'], query, SECRET_TEXT)}")
    assert (opened(answer).size, colors(opened(answer))) == ((37, 37), {"red"})
    query = "crop=390,0,100,100"
    moved = opened(await get(shop, f"{file['url']}?{query}&signature={sign(file['url'], query, SECRET_TEXT)}"))
    assert (moved.size, colors(moved)) == ((100, 100), {"blue"})
    wrong = await get(shop, f"{file['url']}?{query}1&signature={sign(file['url'], query, SECRET_TEXT)}")
    assert (wrong.status, wrong.json["error"]["name"]) == (403, "ForbiddenError")
    await shop.site.octavo.infrastructure.close()


async def test_names_without_a_file(shop: Shop) -> None:
    for name in (
        "missing.jpg",
        "..%2f..%2fconfig",
        "%00.jpg",
        ".hidden.jpg",
        "a" * 900 + ".jpg",
        "a.b.c.d.e.f.g.h.i.j",
    ):
        assert (await get(shop, f"/uploads/{name}?preset=card")).status in (400, 404)


# In a bucket


def in_bucket(s3_server: S3Server, bucket: str) -> dict[str, str]:
    """Return environment variables for files in a bucket."""
    given = {
        "PROVIDER": "aws-s3",
        "PROVIDER_OPTIONS__ROOT_PATH": "site",
        "PROVIDER_OPTIONS__S3_OPTIONS__ENDPOINT": s3_server.address,
        "PROVIDER_OPTIONS__S3_OPTIONS__FORCE_PATH_STYLE": "true",
    }
    amazon = {"AWS_ACCESS_KEY_ID": KEY, "AWS_ACCESS_SECRET": SECRET, "AWS_BUCKET": bucket}
    return {**{f"OCTAVO_PLUGINS__UPLOAD__CONFIG__{name}": value for name, value in given.items()}, **amazon}


@pytest.fixture
async def bucket_shop(
    anyio_backend: str, tmp_path: Path, bookshop_copy: Copy, s3_server: S3Server
) -> AsyncIterator[tuple[Shop, str]]:
    bucket = s3_server.new_bucket()
    settings = {**in_bucket(s3_server, bucket), **WITH_PRESETS, **LISTED}
    site = await open_writable(tmp_path / "shop", bookshop_copy, settings)
    yield Shop(site, tmp_path / "shop/public/uploads"), bucket
    await site.octavo.infrastructure.close()


async def test_images_in_a_bucket(bucket_shop: tuple[Shop, str], s3_server: S3Server) -> None:
    shop, bucket = bucket_shop
    (file,) = await shop.add(PHOTO, ("path", "in/folder"))
    name = file["url"].partition("/site/")[2]
    assert name.startswith("in/folder/photo_")
    before = set(s3_server.keys(bucket))
    assert file["formats"]["card"]["url"].startswith(f"/uploads/{name}?preset=card&v=")
    first = await get(shop, file["formats"]["card"]["url"])
    assert (opened(first).size, first.headers["content-type"]) == ((60, 40), "image/webp")
    (created,) = set(s3_server.keys(bucket)) - before
    assert created.startswith("site/in/folder/variant_photo_")
    assert s3_server.head(bucket, created)["ContentType"] == "image/webp"
    again = await get(shop, f"/uploads/{name}?preset=card", if_none_match=first.headers["etag"])
    assert again.status == 304
    thumbnail = file["formats"]["thumbnail"]["url"]
    moved = await get(shop, f"/uploads/{thumbnail.partition('/site/')[2]}?preset=card")
    assert (moved.status, moved.headers.get("location")) == (302, thumbnail)
    (note,) = await shop.add(NOTE)
    moved = await get(shop, f"/uploads/{note['url'].partition('/site/')[2]}?preset=card")
    assert (moved.status, moved.headers["location"]) == (302, note["url"])
    assert (await shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    assert set(s3_server.keys(bucket)) == {note["url"].partition(f"/{bucket}/")[2]}


@ON_SQLITE
async def test_only_the_needed_bytes_are_copied_from_a_bucket(
    bucket_shop: tuple[Shop, str], s3_server: S3Server
) -> None:
    shop, bucket = bucket_shop
    (file,) = await shop.add(PHOTO)
    url = file["formats"]["card"]["url"]
    first = await get(shop, url)
    for given, body in (("bytes=1-2", first.body[1:3]), ("bytes=-3", first.body[-3:]), ("bytes=9-", first.body[9:])):
        part = await get(shop, url, range=given)
        assert (part.status, part.body) == (206, body)
    dated = await get(shop, url, range="bytes=0-3", if_range="Thu, 01 Jan 1970 00:00:00 GMT")
    assert (dated.status, dated.body) == (200, first.body)
    images, name = shop.site.octavo.infrastructure.images, file["url"].partition("/site/")[2]
    assert images is not None
    found = await images.find(name, Transformation(**PRESETS["card"]), "webp")
    assert isinstance(found, Variant)
    copy = await images.open(found, 4)
    assert copy is not None
    with copy:
        assert copy.read() == b"RIFF"
    s3_server.client.delete_object(Bucket=bucket, Key=f"site/{found.object}")
    before = s3_server.keys(bucket)
    await assert_answered_without_the_content(shop, url, first)
    assert s3_server.keys(bucket) == before
    assert (await get(shop, url)).body == first.body


@ON_SQLITE
async def test_copies_from_a_bucket_are_limited(
    bucket_shop: tuple[Shop, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shop, _ = bucket_shop
    (file,) = await shop.add(PHOTO)
    url = file["formats"]["card"]["url"]
    first = await get(shop, url)
    monkeypatch.setattr(image_variants, "MOST_COPIES", 0)
    refused = await get(shop, url)
    assert (refused.status, refused.headers["retry-after"]) == (503, "2")
    assert refused.json["error"]["message"] == "Too many images are being read from the storage. Try again later"
    assert (await get(shop, url, method="HEAD")).status == 200
    monkeypatch.setattr(image_variants, "MOST_COPIES", 1)
    for _ in range(3):
        assert (await get(shop, url)).body == first.body, "finished copies release their slots"
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    full = await get(shop, url)
    assert (full.status, full.json["error"]["message"]) == (503, "The image cannot be served")
    monkeypatch.undo()
    assert (await get(shop, url)).body == first.body


async def test_images_in_a_private_bucket(
    anyio_backend: str, tmp_path: Path, bookshop_copy: Copy, s3_server: S3Server
) -> None:
    bucket = s3_server.new_bucket()
    settings = {**in_bucket(s3_server, bucket), **WITH_PRESETS, "AWS_ACL": "private", "IMAGES_SECRET": SECRET_TEXT}
    site = await open_writable(tmp_path / "shop", bookshop_copy, settings)
    shop = Shop(site, tmp_path / "shop/public/uploads")
    (file, note) = await shop.add(PHOTO, NOTE)
    path, other = (f"/uploads/{one['hash']}{one['ext']}" for one in (file, note))
    assert (await get(shop, f"{path}?preset=card")).status == 404
    query = "preset=card&expires=99999999999"
    answer = await get(shop, f"{path}?{query}&signature={sign(path, query, SECRET_TEXT)}")
    assert (opened(answer).size, answer.headers["cache-control"]) == ((60, 40), "private, max-age=0")
    moved = await get(shop, f"{other}?{query}&signature={sign(other, query, SECRET_TEXT)}")
    assert (moved.status, "X-Amz-Signature=" in moved.headers["location"]) == (302, True)
    thumbnail = f"/uploads/thumbnail_{file['hash']}{file['ext']}"
    assert (await get(shop, f"{thumbnail}?preset=card")).status == 404
    moved = await get(shop, f"{thumbnail}?{query}&signature={sign(thumbnail, query, SECRET_TEXT)}")
    assert (moved.status, "X-Amz-Signature=" in moved.headers["location"]) == (302, True)
    await site.octavo.infrastructure.close()


# In responses


@pytest.fixture
async def listing_shop(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> AsyncIterator[Shop]:
    site = await open_writable(tmp_path / "shop", bookshop_copy, {**WITH_PRESETS, **LISTED})
    yield Shop(site, tmp_path / "shop/public/uploads")
    await site.octavo.infrastructure.close()


async def test_presets_in_the_formats_of_responses(listing_shop: Shop) -> None:
    shop = listing_shop
    book = await shop.book()
    place = (("ref", BOOK), ("refId", str(book)), ("field", "cover"))
    (file,) = await shop.add(("files", 'a"b.jpg', halves(500, 250), "image/jpeg"), *place)
    assert list(file["formats"]) == ["thumbnail", "placeholder", *PRESETS]
    row = "SELECT updated_at FROM files ORDER BY id DESC LIMIT 1"
    url, version = file["url"], file["formats"]["card"]["url"].rpartition("&v=")[2]
    assert await shop.site.database.fetch_value(row)
    assert file["formats"]["card"] == {
        "url": f"{url}?preset=card&v={version}",
        "width": 60,
        "height": 40,
        "srcset": f"{url}?preset=card&v={version} 1x, {url}?preset=card&dpr=2&v={version} 2x, "
        f"{url}?preset=card&dpr=3&v={version} 3x",
    }
    version = file["formats"]["wide"]["url"].rpartition("&v=")[2]
    assert file["formats"]["wide"] == {
        "url": f"{url}?preset=wide&v={version}",
        "width": 300,
        "height": 150,
        "srcset": f"{url}?preset=wide&v={version} 1x, {url}?preset=wide&dpr=2&v={version} 2x",
    }
    for name, size in (("card", (60, 40)), ("wide", (300, 150)), ("padded", (80, 80))):
        answer = await get(shop, file["formats"][name]["url"])
        assert (opened(answer).size, answer.headers["cache-control"].partition(", ")[0]) == (size, "public")
    shown = (await shop.site.get(f"/api/books/{book}?populate=cover", FULL_TOKEN)).json
    assert shown["data"]["attributes"]["cover"]["data"]["attributes"]["formats"] == file["formats"]
    listed = (await shop.site.get(f"/api/upload/files?filters[id]={file['id']}", FULL_TOKEN)).json
    assert [one["formats"] for one in listed] == [file["formats"]]
    query = f"{{ book(id: {book}) {{ data {{ attributes {{ cover {{ data {{ attributes {{ formats }} }} }} }} }} }} }}"
    answered = (await shop.send("POST", "/graphql", json.dumps({"query": query}).encode())).json
    assert answered["data"]["book"]["data"]["attributes"]["cover"]["data"]["attributes"]["formats"] == file["formats"]
    stored = await shop.site.database.fetch_value("SELECT formats FROM files ORDER BY id DESC LIMIT 1")
    assert list(json.loads(stored) if isinstance(stored, str) else stored) == ["thumbnail"]


def placeholder_of(file: dict[str, Any]) -> Image.Image:
    """Return the tiny image in a file's placeholder."""
    placeholder = file["formats"]["placeholder"]
    head, _, content = placeholder["url"].partition(",")
    assert head == "data:image/webp;base64"
    image = Image.open(io.BytesIO(base64.b64decode(content)))
    assert image.size == (placeholder["width"], placeholder["height"])
    assert 15 <= len(base64.b64decode(placeholder["thumbhash"])) <= 30
    return image


async def test_images_have_a_placeholder(listing_shop: Shop) -> None:
    shop = listing_shop
    (file,) = await shop.add(PHOTO)
    assert (placeholder_of(file).size, colors(placeholder_of(file))) == ((16, 8), {"red", "blue"})
    assert len(json.dumps(file["formats"]["placeholder"])) < 500
    turned = ("files", "turned.jpg", turned_picture(200, 100), "image/jpeg")
    for name, size in (("tiny.png", (8, 16)), ("tiny.gif", (8, 16)), ("tiny.webp", (8, 16)), ("tiny.tif", (8, 16))):
        kind = {"gif": "GIF", "png": "PNG", "webp": "WEBP", "tif": "TIFF"}[name[5:]]
        (each,) = await shop.add(("files", name, halves(60, 120, kind), f"image/{kind.lower()}"))
        assert (name, placeholder_of(each).size) == (name, size)
    (each,) = await shop.add(turned)
    assert placeholder_of(each).size == (8, 16), "upright"
    changed = await shop.post(f"/api/upload?id={file['id']}", ("files", "o.jpg", halves(90, 360), "image/jpeg"))
    assert placeholder_of(changed.json).size == (4, 16)
    assert (await shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    rows = await shop.site.database.fetch_all("SELECT file_id FROM octavo_image_placeholders")
    assert len(rows) == 5
    assert file["id"] not in {file_id for (file_id,) in rows}


async def test_stored_images_get_a_placeholder(listing_shop: Shop) -> None:
    shop = listing_shop
    photo, tiny, _ = await shop.add(PHOTO, ("files", "tiny.png", halves(30, 30, "PNG"), "image/png"), NOTE)
    (broken,) = await shop.add(("files", "broken.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"))
    (lost,) = await shop.add(PHOTO)
    database = shop.site.database
    await database.execute("DELETE FROM octavo_image_placeholders")
    for name in [lost["url"], lost["formats"]["thumbnail"]["url"]]:
        (shop.folder / name.removeprefix("/uploads/")).unlink()
    storage = shop.site.octavo.infrastructure.storage
    assert isinstance(storage, LocalStorage)
    creator = PlaceholderCreator(database, storage, storage)
    rows = [row async for row in creator.missing() if row["id"] >= photo["id"]]
    assert [row["id"] for row in rows] == [photo["id"], tiny["id"], broken["id"], lost["id"]]
    assert [await creator.create(row) for row in rows[:3]] == [True, True, False]
    with pytest.raises(FileNotFoundError):
        await creator.create(rows[3])
    missing = [row["id"] async for row in creator.missing()]
    assert missing[-2:] == [broken["id"], lost["id"]]
    assert not {photo["id"], tiny["id"]} & {*missing}
    for file in (photo, tiny):
        shown = (await shop.site.get(f"/api/upload/files/{file['id']}", FULL_TOKEN)).json
        assert shown["formats"]["placeholder"] == file["formats"]["placeholder"]
        assert shown["updatedAt"] == file["updatedAt"]
    await database.execute("DELETE FROM octavo_image_placeholders")
    await shop.post(f"/api/upload?id={photo['id']}", ("files", "o.jpg", halves(90, 360), "image/jpeg"))
    assert await creator.create(rows[0]) is False, "replaced meanwhile"


@ON_SQLITE
async def test_other_files_keep_their_formats(listing_shop: Shop) -> None:
    (note, small) = await listing_shop.add(NOTE, PHOTO)
    assert (note["formats"], list(small["formats"])) == (None, ["thumbnail", "placeholder", *PRESETS])
    (tiny,) = await listing_shop.add(("files", "tiny.png", halves(30, 30, "PNG"), "image/png"))
    assert tiny["formats"]["card"]["width"] == 30
    assert tiny["formats"]["card"]["srcset"] == f"{tiny['formats']['card']['url']} 1x"


async def test_any_mime_type_is_safe_in_responses(listing_shop: Shop) -> None:
    (file,) = await listing_shop.add(PHOTO)
    await listing_shop.site.database.execute(f"UPDATE files SET mime = 'a/b],c' WHERE id = {file['id']}")
    shown = await listing_shop.site.get(f"/api/upload/files/{file['id']}", FULL_TOKEN)
    assert (shown.status, shown.json["mime"], list(shown.json["formats"])) == (
        200,
        "a/b],c",
        ["thumbnail", "placeholder"],
    )


@ON_SQLITE
async def test_gif_images_have_no_size_because_animations_stay_unchanged(listing_shop: Shop) -> None:
    (file,) = await listing_shop.add(("files", "moving.gif", animation("GIF", 100, 80), "image/gif"))
    assert list(file["formats"]["card"]) == ["url"]
    answer = await get(listing_shop, file["formats"]["card"]["url"])
    assert (answer.status, answer.headers["content-type"]) == (200, "image/gif")


@pytest.mark.skipif(HEIC not in KINDS, reason="needs pi-heif")
@pytest.mark.parametrize("bookshop_copy", ["sqlite"], indirect=True)
async def test_heic_photos_have_formats_in_jpeg(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy) -> None:
    settings = {
        "OCTAVO_API__COMPAT__HEIC_FORMATS": "jpeg",
        "OCTAVO_PLUGINS__UPLOAD__CONFIG__BREAKPOINTS": '{"small": 60}',
    }
    shop = Shop(await open_writable(tmp_path / "shop", bookshop_copy, settings), tmp_path / "shop/public/uploads")
    photo: Part = ("files", "photo.heic", heic_picture(), "image/heic")
    (file,) = await shop.add(photo)
    small = file["formats"]["small"]
    assert (file["mime"], file["ext"], file["width"], file["height"]) == ("image/heic", ".heic", 120, 60)
    assert (small["mime"], small["ext"], small["url"][-4:], small["width"]) == ("image/jpeg", ".jpg", ".jpg", 60)
    assert (await get(shop, small["url"])).headers["content-type"] == "image/jpeg"
    replaced = await shop.post(f"/api/upload?id={file['id']}", photo)
    assert (replaced.json["formats"]["small"]["url"], len(shop.names())) == (small["url"], 2)
    assert (await shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    assert shop.names() == set()
    await shop.site.octavo.infrastructure.close()
