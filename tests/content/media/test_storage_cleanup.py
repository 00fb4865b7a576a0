"""Files that a killed process leaves in the storage are removed, on both databases, from a folder and from a bucket."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import octavo
from octavo.content.media.library import MediaLibrary
from octavo.content.media.storage.base import ClosedStorage, Storage
from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.storage.s3 import S3Options, S3Storage
from octavo.content.media.storage_cleanup import StorageCleanup
from octavo.content.media.tables import MEDIA_TABLES
from octavo.core.clock import this_moment
from octavo.core.errors import ServiceUnavailable
from octavo.database import leases
from octavo.database.connection import Database
from octavo.database.synchronize import synchronize
from octavo.database.unit_of_work import unit_of_work
from octavo.schema.registry import Registry
from tests.models.pictures import Arriving, picture
from tests.s3_server import KEY, SECRET, S3Server

pytestmark = pytest.mark.anyio

PHOTO = Arriving("photo.jpg", picture("JPEG", 400, 200), "image/jpeg")
DAY = 24 * 3600 * 1000


class Shelf:
    """A database, a storage with one photo, and the cleanup of another process."""

    def __init__(self, database: Database, folder: Path, server: S3Server, bucket: str) -> None:
        self.database, self.folder, self.server, self.bucket = database, folder, server, bucket
        self.storage: Storage = LocalStorage(folder)
        if bucket:
            options = S3Options(
                bucket=bucket, folder=folder, endpoint=server.address, access_key_id=KEY, secret_access_key=SECRET
            )
            self.storage = S3Storage(options)
        self.media = MediaLibrary(database, self.storage)
        self.cleanup = StorageCleanup(database, self.storage)

    def names(self) -> set[str]:
        if self.bucket:
            return set(self.server.keys(self.bucket))
        return {path.name for path in self.folder.iterdir() if not path.name.startswith(".")}

    async def add(self) -> str:
        """Store the photo and return its name."""
        (file_id,) = await self.media.add([PHOTO])
        url = await self.database.fetch_value(f"SELECT url FROM files WHERE id = {file_id}")
        return str(url).rpartition("/")[2]

    async def due(self) -> dict[str, int]:
        """Return the time until each removal, in milliseconds."""
        rows = await self.database.fetch_all("SELECT object, due_at FROM octavo_storage_cleanup")
        return {name: due_at - this_moment() for name, due_at in rows}

    async def let_time_pass(self, milliseconds: int) -> None:
        async with unit_of_work(self.database) as unit:
            await unit.connection.execute(f"UPDATE octavo_storage_cleanup SET due_at = due_at - {milliseconds}")


@pytest.fixture(params=["local", "s3"])
async def shelf(
    request: pytest.FixtureRequest, database: Database, registry: Registry, tmp_path: Path, s3_server: S3Server
) -> Shelf:
    await synchronize(database, registry, (leases.TABLE, *MEDIA_TABLES))
    bucket = s3_server.new_bucket() if request.param == "s3" else ""
    return Shelf(database, tmp_path / "uploads", s3_server, bucket)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, database: Database) -> str:
    if database.dialect.name == "sqlite":
        return f"sqlite:///{request.getfixturevalue('sqlite_path')}"
    return str(request.getfixturevalue("postgresql_url"))


async def run_killed(shelf: Shelf, url: str, step: str, name: str) -> None:
    """Run a step in a process that is killed."""
    source = Path(octavo.__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(source), str(Path(__file__).parents[3])])}
    program = Path(__file__).with_name("killed_process.py")
    arguments = [url, str(shelf.folder), shelf.server.address, shelf.bucket, step, name]
    command = [sys.executable, str(program), *arguments]
    done = await asyncio.to_thread(subprocess.run, command, env=environment, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr


@pytest.mark.parametrize("step", ["upload", "variant"])
async def test_files_of_a_killed_process_are_removed_after_a_day(shelf: Shelf, database_url: str, step: str) -> None:
    name = await shelf.add()
    before = shelf.names()
    await run_killed(shelf, database_url, step, name)
    orphans = shelf.names() - before
    assert len(orphans) == (2 if step == "upload" else 1)
    assert (await shelf.due()).keys() == orphans
    await shelf.let_time_pass(DAY - 60_000)
    assert await shelf.cleanup.sweep() == 0
    await shelf.let_time_pass(60_000)
    await asyncio.gather(shelf.cleanup.sweep(), shelf.cleanup.sweep())
    assert (shelf.names(), await shelf.due()) == (before, {})


async def test_a_file_is_removed_when_the_process_that_deleted_it_was_killed(shelf: Shelf, database_url: str) -> None:
    name = await shelf.add()
    await run_killed(shelf, database_url, "delete", name)
    assert name in shelf.names()
    await shelf.let_time_pass(10 * 60_000)
    assert await shelf.cleanup.sweep() == 1
    assert name not in shelf.names()


async def test_the_row_of_a_file_that_was_stored_for_half_a_day_is_refused(shelf: Shelf) -> None:
    async def store() -> None:
        async with shelf.media.incoming([PHOTO]) as stored:
            await shelf.let_time_pass(DAY // 2)
            async with unit_of_work(shelf.database) as unit:
                await stored.insert(unit)

    with pytest.raises(ServiceUnavailable):
        await store()
    assert (shelf.names(), await shelf.due()) == (set(), {})
    assert await shelf.database.fetch_value("SELECT count(*) FROM files") == 0


async def test_a_name_that_a_replaced_file_has_again_stays(shelf: Shelf) -> None:
    name = await shelf.add()
    file_id = await shelf.database.fetch_value("SELECT id FROM files")
    formats: Any = await shelf.database.fetch_value("SELECT formats FROM files")
    thumbnail = json.loads(formats)["thumbnail"]["url"].rpartition("/")[2]
    async with unit_of_work(shelf.database) as unit:
        due_at = this_moment() - 1
        for each in (name, thumbnail, "medium_gone.jpg"):
            await unit.connection.execute(
                f"INSERT INTO octavo_storage_cleanup (object, file_id, due_at) VALUES ('{each}', {file_id}, {due_at})"
            )
    before = shelf.names()
    assert await shelf.cleanup.sweep() == 3
    assert (shelf.names(), await shelf.due()) == (before, {})


async def test_stored_and_deleted_files_leave_no_rows(shelf: Shelf) -> None:
    name = await shelf.add()
    assert await shelf.due() == {}
    async with unit_of_work(shelf.database) as unit:
        await shelf.cleanup.remove_with(unit, [name])
    assert await shelf.due() == {}
    assert name not in shelf.names()


async def test_rows_of_two_files_can_share_a_name(shelf: Shelf) -> None:
    """Databases of v4 can contain such rows."""
    name = await shelf.add()
    async with unit_of_work(shelf.database) as unit:
        await shelf.cleanup.remove_with(unit, [name, name])
    assert (await shelf.due(), name in shelf.names()) == ({}, False)
    expected = await shelf.cleanup.expect(["new.txt", "new.txt"])
    async with unit_of_work(shelf.database) as unit:
        await shelf.cleanup.claim(unit.connection, expected)
    assert await shelf.due() == {}


async def test_a_name_that_urls_encode_stays_while_it_is_used(shelf: Shelf) -> None:
    plain, odd = await shelf.add(), "a ü #1.jpg"
    assert isinstance(shelf.storage, LocalStorage | S3Storage)
    shelf.storage.move(plain, odd)
    async with unit_of_work(shelf.database) as unit:
        await unit.connection.execute(f"UPDATE files SET url = '{shelf.storage.url_of(odd)}'")
        await unit.connection.execute(
            f"INSERT INTO octavo_storage_cleanup (object, file_id, due_at) SELECT '{odd}', id, 1 FROM files"
        )
    assert await shelf.cleanup.sweep() == 1
    assert (odd in shelf.names(), await shelf.due()) == (True, {})


async def test_a_closed_storage_keeps_pending_removals(shelf: Shelf) -> None:
    name = await shelf.add()
    closed = StorageCleanup(shelf.database, ClosedStorage("other", shelf.folder, "unknown provider"))
    async with unit_of_work(shelf.database) as unit:
        await closed.remove_with(unit, [name])
    await shelf.let_time_pass(DAY)
    assert (await closed.sweep(), [*await shelf.due()]) == (0, [name])
    assert (await shelf.cleanup.sweep(), name in shelf.names()) == (1, False)


async def test_a_file_that_the_service_does_not_delete_stays_pending(shelf: Shelf) -> None:
    if not shelf.bucket:
        pytest.skip("only services report errors of single files")
    name = await shelf.add()
    resource = f"arn:aws:s3:::{shelf.bucket}/{name}"
    denied = {"Effect": "Deny", "Principal": "*", "Action": "s3:DeleteObject", "Resource": resource}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [denied]})
    shelf.server.client.put_bucket_policy(Bucket=shelf.bucket, Policy=policy)
    async with unit_of_work(shelf.database) as unit:
        await shelf.cleanup.remove_with(unit, [name])
    assert ([*await shelf.due()], name in shelf.names()) == ([name], True)
    with pytest.raises(ServiceUnavailable) as error:
        shelf.storage.remove([name])
    assert error.value.reason == "the storage did not delete 1 file: AccessDenied"
