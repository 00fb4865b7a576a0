"""Private files in a bucket: they have another key, and only the service's signed URLs return them."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from octavo.content.media.private_file_mover import PrivateFileMover
from octavo.content.media.private_files import mark_private
from octavo.content.media.storage.s3 import S3Storage
from octavo.database.unit_of_work import unit_of_work
from tests.api.http.test_image_files import halves, in_bucket
from tests.api.http.test_private_files import PHOTO, SETTINGS, get, hide, names, plain, read, urls
from tests.api.rest.test_uploads import Shop, open_writable
from tests.models.bookshop import FULL_TOKEN
from tests.models.templates import Copy
from tests.s3_server import S3Server

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("bookshop_copy", ["sqlite"], indirect=True)]


@pytest.fixture
async def bucket_shop(
    anyio_backend: str, tmp_path: Path, bookshop_copy: Copy, s3_server: S3Server
) -> AsyncIterator[tuple[Shop, str]]:
    bucket = s3_server.new_bucket()
    settings = {
        **in_bucket(s3_server, bucket),
        **SETTINGS,
        "AWS_ACL": "public-read",
        "OCTAVO_API__IMAGES__IN_FORMATS": "true",
    }
    site = await open_writable(tmp_path / "shop", bookshop_copy, settings)
    yield Shop(site, tmp_path / "shop/public/uploads"), bucket
    await site.octavo.infrastructure.close()


def hidden_keys(s3_server: S3Server, bucket: str) -> list[bool]:
    """Return for each object of a bucket whether it has a private file's key."""
    return [key.startswith("site/.private-") for key in s3_server.keys(bucket)]


async def test_private_files_in_a_bucket_are_served_by_signed_urls(
    bucket_shop: tuple[Shop, str], s3_server: S3Server
) -> None:
    shop, bucket = bucket_shop
    (file,) = await shop.add(PHOTO, ("path", "in/folder"))
    assert (await get(shop, file["formats"]["wide"]["url"])).status == 200
    count = len(s3_server.keys(bucket))
    hidden = await hide(shop, file)
    assert hidden_keys(s3_server, bucket) == [True] * (count - 1), "the transformed image is deleted"
    (key, *_) = (key for key in s3_server.keys(bucket) if "/photo_" in key)
    grants = s3_server.client.get_object_acl(Bucket=bucket, Key=key)["Grants"]
    assert [grant["Permission"] for grant in grants] == ["FULL_CONTROL"]
    path = file["url"].partition("/site/")[2]
    assert plain(hidden["url"]) == f"/uploads/{path}"
    for url in urls(hidden):
        wrong = f"{url[:-1]}{'A' if url[-1] != 'A' else 'B'}"
        assert [(await get(shop, each)).status for each in (plain(url), wrong)] == [404, 403]
        shown = await get(shop, url)
        assert (shown.status, shown.headers["cache-control"].partition("=")[0]) == (200, "private, max-age")
    whole = await get(shop, hidden["url"])
    assert whole.body == PHOTO[2]
    part = await get(shop, hidden["url"], range="bytes=5-8")
    assert (part.status, part.body) == (206, PHOTO[2][5:9])
    head = await get(shop, hidden["url"], "HEAD")
    assert (head.body, head.headers["content-length"]) == (b"", str(len(PHOTO[2])))
    assert (await get(shop, hidden["url"], if_none_match=whole.headers["etag"])).status == 304
    assert (await get(shop, f"/uploads/{key.removeprefix('site/')}")).status == 404
    public = await hide(shop, file, private=False)
    assert public["url"] == file["url"]
    assert not any(hidden_keys(s3_server, bucket))


async def test_a_private_file_in_a_bucket_stays_private_when_it_is_replaced(
    bucket_shop: tuple[Shop, str], s3_server: S3Server
) -> None:
    shop, bucket = bucket_shop
    (file,) = await shop.add(PHOTO)
    first = (await hide(shop, file))["url"]
    tag = (await get(shop, first)).headers["etag"]
    await shop.post(f"/api/upload?id={file['id']}", ("files", "large.jpg", halves(1200, 600), "image/jpeg"))
    replaced = await read(shop, file)
    assert {"thumbnail", "small", "medium", "large"} <= replaced["formats"].keys()
    assert [(await get(shop, url)).status for url in urls(replaced)] == [200] * len(urls(replaced))
    assert all(hidden_keys(s3_server, bucket))
    assert (await get(shop, first, if_none_match=tag)).status == 200
    assert (await shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    assert s3_server.keys(bucket) == []


async def test_misplaced_objects_are_moved(bucket_shop: tuple[Shop, str]) -> None:
    shop, _ = bucket_shop
    shared = shop.site.octavo.infrastructure
    storage = shared.media.storage
    assert isinstance(storage, S3Storage)
    files = [await shop.add(PHOTO) for _ in range(3)]
    marked, unmarked, right = (file for (file,) in files)
    await hide(shop, right)
    storage.set_private(names(unmarked), private=True)
    for name in names(right):  # a crash between the copy and the deletion
        assert storage._copy(name, name, True, False)
    (partly,) = await shop.add(PHOTO)
    thumbnail = partly["formats"]["thumbnail"]["url"].partition("/site/")[2]
    storage.set_private([thumbnail], private=True)
    async with unit_of_work(shared.database) as unit:
        await mark_private(unit.connection, shared.database.dialect, marked["id"])
    assert await PrivateFileMover(shared.database, storage).reconcile_all() == 4
    assert not any(storage.is_public(name) for name in names(right))
    assert not storage.is_private(thumbnail)
    assert {storage.is_private(name) for name in names(marked)} == {True}
    assert {storage.is_private(name) for name in names(unmarked)} == {False}
    found = (await shop.site.get(f"/api/upload/files/{unmarked['id']}", FULL_TOKEN)).json
    assert found["url"] == unmarked["url"]
    assert await PrivateFileMover(shared.database, storage).reconcile_all() == 0
    off = S3Storage(replace(storage._options, hides_files=False))
    off.remove([*names(marked), *names(right)])
    assert not storage.is_private(right["url"].partition("/site/")[2])


async def test_names_with_characters_of_urls_are_signed(bucket_shop: tuple[Shop, str]) -> None:
    """A file of v4 can have any extension."""
    shop, _ = bucket_shop
    storage = shop.site.octavo.infrastructure.media.storage
    assert isinstance(storage, S3Storage)
    (file,) = await shop.add(("files", "report.txt", b"secret", "text/plain"))
    name = "report_1.100% #1?.txt"
    storage.move(file["url"].partition("/site/")[2], name)
    url = storage.url_of(name)
    await shop.site.database.execute(f"UPDATE files SET url = '{url}' WHERE id = {file['id']}")
    hidden = await hide(shop, file)
    assert plain(hidden["url"]) == "/uploads/report_1.100%25%20%231%3F.txt"
    assert (await get(shop, hidden["url"])).body == b"secret"
