"""Store or delete a file in a process that a signal ends between the storage and the database.

Arguments: the database's URL, the storage (a folder, or address and bucket of an S3 server), and the step.
"""

import asyncio
import io
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PIL import Image

from octavo.content.media.image_variants import ImageVariants
from octavo.content.media.library import MediaLibrary
from octavo.content.media.storage.base import StoredObject
from octavo.content.media.storage.local import LocalStorage
from octavo.content.media.storage.s3 import S3Options, S3Storage
from octavo.content.media.storage_cleanup import StorageCleanup
from octavo.content.media.transformations import Transformation
from octavo.database import open_database
from octavo.database.unit_of_work import unit_of_work
from tests.models.pictures import Arriving
from tests.s3_server import KEY, SECRET


def end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Ending:
    """A storage whose process ends after it has written a file, except for formats, or before it removes one."""

    def write(self, path: Path, name: str, mime: str) -> StoredObject:
        kept: StoredObject = super().write(path, name, mime)  # type: ignore[misc]
        if not name.startswith("thumbnail_"):
            end()
        return kept

    def remove(self, names: Iterable[str]) -> None:
        end()


class EndingLocalStorage(Ending, LocalStorage):
    pass


class EndingS3Storage(Ending, S3Storage):
    pass


def open_storage(folder: Path, address: str, bucket: str) -> Any:
    if not bucket:
        return EndingLocalStorage(folder)
    return EndingS3Storage(
        S3Options(bucket=bucket, folder=folder, endpoint=address, access_key_id=KEY, secret_access_key=SECRET)
    )


def photo() -> Arriving:
    written = io.BytesIO()
    Image.new("RGB", (400, 200), "red").save(written, "JPEG")
    return Arriving("lost.jpg", written.getvalue(), "image/jpeg")


async def main(url: str, folder: str, address: str, bucket: str, step: str, name: str) -> None:
    database = open_database(url)
    await database.connect()
    storage = open_storage(Path(folder), address, bucket)
    match step:
        case "upload":
            await MediaLibrary(database, storage).add([photo()])
        case "variant":
            variants = ImageVariants(database, storage, storage, 1 << 30, shared=True)
            await variants.find(name, Transformation(width=20), "webp")
        case "delete":
            async with unit_of_work(database) as unit:
                await unit.connection.execute("DELETE FROM files")
                await StorageCleanup(database, storage).remove_with(unit, [name])


asyncio.run(main(*sys.argv[1:]))
