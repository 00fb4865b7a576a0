"""Metadata of files that are already stored: removed on local storage and S3, also after an interruption."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from octavo.content.media.file_cleaner import CleanedFile, FileCleaner
from octavo.content.media.files import FileService
from octavo.content.media.library import MediaLibrary, MediaOptions
from octavo.content.media.processing import kilobytes
from octavo.content.media.storage.base import Storage
from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.storage.s3 import S3Options, S3Storage
from octavo.content.media.tables import MEDIA_TABLES
from octavo.content.reader import EntryReader
from octavo.content.writer import EntryWriter
from octavo.core.errors import NotFoundError, ServiceUnavailable
from octavo.database import leases
from octavo.database.connection import Database
from octavo.database.synchronize import synchronize
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Form, ReadRequest
from octavo.schema.content_types import FILE
from octavo.schema.registry import Registry
from tests.models.camera_files import SECRET, camera_files, photograph
from tests.models.pictures import Arriving
from tests.s3_server import KEY, S3Server
from tests.s3_server import SECRET as S3_SECRET

pytestmark = pytest.mark.anyio

PHOTO = Arriving("photo.jpg", photograph("JPEG", 600, 400), "image/jpeg")
Stored = Callable[[], dict[str, bytes]]


class Shelf:
    """Files that were stored with their metadata, and the cleaner that removes it."""

    def __init__(self, database: Database, registry: Registry, storage: Storage, contents: Stored) -> None:
        self.database, self.contents = database, contents
        self.writer = EntryWriter(database, registry)
        self.media = MediaLibrary(database, storage, MediaOptions(keep_notes=True))
        self.cleaner = FileCleaner(self.writer, self.media)
        self.files = FileService(self.writer, EntryReader(database, registry), self.media)
        self.reader = EntryReader(database, registry)
        request = ReadRequest(content_type=registry.content_types[FILE], by=By.ID, projection=Form.FLAT)
        self.answer = self.reader.prepare(plan_read(request, registry))

    async def row(self, file_id: int) -> dict[str, Any]:
        found = await self.reader.read_one(self.answer.bind(id=file_id), None)
        assert found is not None
        row: dict[str, Any] = json.loads(found)
        return row

    async def clean(self, *, dry: bool = False) -> list[CleanedFile]:
        found = [await self.cleaner.clean(file_id, dry=dry) async for file_id in self.cleaner.ids()]
        return [file for file in found if file is not None]

    async def check_sizes(self) -> None:
        """Check that the sizes in the rows match the files, and that no other file is stored."""
        contents = {name.rpartition("/")[2]: len(content) for name, content in self.contents().items()}
        named = set()
        async for file_id in self.cleaner.ids():
            row = await self.row(file_id)
            for part in (row, *(row["formats"] or {}).values()):
                name = part["url"].rpartition("/")[2]
                named.add(name)
                assert part["size"] == kilobytes(contents[name])
                assert part.get("sizeInBytes", contents[name]) == contents[name]
        assert contents.keys() == named


@pytest.fixture(params=["local", "s3"])
async def shelf(
    request: pytest.FixtureRequest, database: Database, registry: Registry, tmp_path: Path, s3_server: S3Server
) -> Shelf:
    await synchronize(database, registry, (leases.TABLE, *MEDIA_TABLES))
    folder = tmp_path / "uploads"
    if request.param == "local":
        storage: Storage = LocalStorage(folder)
        return Shelf(database, registry, storage, lambda: {p.name: p.read_bytes() for p in folder.iterdir()})
    bucket = s3_server.new_bucket()
    options = S3Options(
        bucket=bucket, folder=folder, endpoint=s3_server.address, access_key_id=KEY, secret_access_key=S3_SECRET
    )

    def contents() -> dict[str, bytes]:
        assert list(folder.iterdir()) == []
        keys = s3_server.keys(bucket)
        return {key: s3_server.client.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}

    return Shelf(database, registry, S3Storage(options), contents)


async def test_stored_files_lose_their_metadata(shelf: Shelf) -> None:
    files = [Arriving(name, content, mime) for name, (mime, content) in camera_files().items()]
    ids = await shelf.media.add([*files, Arriving("notes.txt", SECRET, "text/plain")])
    before, rows = shelf.contents(), [await shelf.row(file_id) for file_id in ids]
    expected = [CleanedFile(row["id"], row["name"], 1) for row in rows[:-1]]
    looked = await shelf.clean(dry=True)
    assert [(file.id, file.name, file.cleaned > 0) for file in looked] == [
        *((file.id, file.name, True) for file in expected),
        (ids[-1], "notes.txt", False),
    ]
    assert shelf.contents() == before
    assert await shelf.clean() == looked
    left = [name for name, content in shelf.contents().items() if SECRET in content]
    assert [name.rpartition("/")[2].startswith("notes") for name in left] == [True]
    await shelf.check_sizes()
    assert [file.cleaned for file in await shelf.clean()] == [0] * len(ids)
    urls = [(await shelf.row(file_id))["url"] for file_id in ids]
    assert urls == [row["url"] for row in rows]


async def test_cleaned_photos_keep_their_orientation(shelf: Shelf) -> None:
    turned = Arriving("turned.jpg", photograph("JPEG", 100, 80, orientation=6), "image/jpeg")
    await shelf.media.add([turned])
    assert [file.cleaned for file in await shelf.clean()] == [1]
    with Image.open(io.BytesIO(next(iter(shelf.contents().values())))) as image:
        assert dict(image.getexif()) == {0x0112: 6}


@pytest.mark.parametrize("error", [ServiceUnavailable, NotFoundError])
async def test_a_failed_transaction_restores_the_file(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    (file_id,) = await shelf.media.add([PHOTO])
    before, row = shelf.contents(), await shelf.row(file_id)

    async def fail(*_: Any) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(FileCleaner, "_update", fail)
        with pytest.raises(error):
            await shelf.clean()
    assert (shelf.contents(), await shelf.row(file_id)) == (before, row)
    assert [file.cleaned for file in await shelf.clean()] == [1]
    await shelf.check_sizes()


async def test_the_next_run_corrects_sizes_after_a_kill(shelf: Shelf) -> None:
    """The kill happens between the swap of the files and the commit of the row."""
    (file_id,) = await shelf.media.add([PHOTO])
    row = await shelf.row(file_id)
    await shelf.clean()
    async with shelf.database.transaction() as connection:
        await connection.execute(f"UPDATE files SET size = {row['size']} WHERE id = {file_id}")
    (result,) = await shelf.clean()
    assert (result.cleaned, result.resized) == (0, True)
    await shelf.check_sizes()


async def test_missing_and_deleted_files_are_reported(shelf: Shelf) -> None:
    first, second = await shelf.media.add([PHOTO, PHOTO])
    name = (await shelf.row(first))["url"].rpartition("/")[2]
    await shelf.media.cleanup.remove([name])
    assert (await shelf.clean())[0].missing == (name,)
    await shelf.files.delete(second, shelf.answer)
    assert await shelf.cleaner.clean(second) is None
