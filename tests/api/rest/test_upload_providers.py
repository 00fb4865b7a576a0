"""Uploads over HTTP to Cloudinary, and with an unsupported provider; on both databases."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.api.rest.test_uploads import BIG, NOTE, ONE, SMALL, Shop, open_writable
from tests.cloudinary_server import CLOUD, KEY, SECRET, CloudinaryServer, cloudinary_server
from tests.models.bookshop import FULL_TOKEN
from tests.models.templates import Copy

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def cloud() -> Iterator[CloudinaryServer]:
    with cloudinary_server() as server:
        yield server


@pytest.fixture
async def shop(anyio_backend: str, tmp_path: Path, bookshop_copy: Copy, cloud: CloudinaryServer) -> AsyncIterator[Shop]:
    cloud.files.clear()
    given = {
        "PROVIDER": "@strapi/provider-upload-cloudinary",
        "PROVIDER_OPTIONS__UPLOAD_PREFIX": cloud.address,
        "ACTION_OPTIONS__UPLOAD__FOLDER": "site",
    }
    named = {"CLOUDINARY_NAME": CLOUD, "CLOUDINARY_KEY": KEY, "CLOUDINARY_SECRET": SECRET}
    settings = {f"OCTAVO_PLUGINS__UPLOAD__CONFIG__{name}": value for name, value in given.items()}
    site = await open_writable(tmp_path / "shop", bookshop_copy, {**settings, **named})
    yield Shop(site, tmp_path / "shop/public/uploads")
    await site.database.close()


async def test_uploaded_replaced_and_removed(shop: Shop, cloud: CloudinaryServer) -> None:
    (file,) = await shop.add(BIG)
    assert (file["provider"], file["url"].rpartition("/")[2]) == ("@strapi/provider-upload-cloudinary", file["hash"])
    assert file["provider_metadata"] == {"public_id": f"site/{file['hash']}", "resource_type": "image"}
    noted = {made["provider_metadata"]["public_id"] for made in file["formats"].values()}
    assert noted == {f"site/thumbnail_{file['hash']}", f"site/small_{file['hash']}"}
    assert set(cloud.files) == {f"image/{name}" for name in (f"site/{file['hash']}", *noted)}
    replaced = (await shop.post(f"/api/upload?id={file['id']}", ONE)).json
    assert (replaced["provider_metadata"], replaced["formats"]) == (file["provider_metadata"], {})
    assert replaced["url"] != file["url"]
    assert cloud.files == {f"image/site/{file['hash']}": SMALL}
    another = (await shop.post(f"/api/upload?id={file['id']}", NOTE)).json
    assert another["provider_metadata"]["resource_type"] == "raw"
    assert list(cloud.files.values()) == [b"hello world\n"]
    assert (await shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    assert cloud.files == {}


async def test_files_that_v4_uploaded(shop: Shop, cloud: CloudinaryServer) -> None:
    (file,) = await shop.add(ONE)
    cloud.files = {"image/old/cat": b"old", "image/old/thumbnail_cat": b"old"}
    formats = {"thumbnail": {"url": "https://x/y.png", "provider_metadata": {"public_id": "old/thumbnail_cat"}}}
    metadata = {"public_id": "old/cat", "resource_type": "image"}
    await shop.site.database.execute(
        f"UPDATE files SET provider = 'cloudinary', hash = 'cat', formats = '{json.dumps(formats)}',"
        f" provider_metadata = '{json.dumps(metadata)}' WHERE id = {file['id']}"
    )
    replaced = (await shop.post(f"/api/upload?id={file['id']}", BIG)).json
    assert replaced["provider_metadata"] == metadata
    assert set(cloud.files) == {"image/old/cat", "image/old/thumbnail_cat", "image/old/small_cat"}
    assert cloud.files["image/old/cat"] != b"old"
    assert (await shop.send("DELETE", f"/api/upload/files/{file['id']}")).status == 200
    assert cloud.files == {}


async def test_failed_requests_leave_no_files(shop: Shop, cloud: CloudinaryServer) -> None:
    bad, there = ("files", "bad.png", b"broken", "image/png"), await shop.count()
    assert (await shop.post("/api/upload", ONE, bad)).status == 400
    assert (cloud.files, await shop.count()) == ({}, there)
    (file,) = await shop.add(ONE)
    before = dict(cloud.files)
    assert (await shop.post(f"/api/upload?id={file['id']}", bad)).status == 400
    assert cloud.files == before
    assert (await shop.site.get(f"/api/upload/files/{file['id']}", FULL_TOKEN)).json == file
