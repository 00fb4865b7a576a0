"""PlaceholderCreator: create the placeholders of images that are already stored."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from octavo.content.media.file_preparation import describe_placeholder
from octavo.content.media.image_sizes import THUMBNAIL_NAME
from octavo.content.media.image_workers import IMAGE_WORKERS
from octavo.content.media.placeholder_rows import add_placeholder, find_missing
from octavo.content.media.storage.base import ReadableStorage, Storage
from octavo.content.media.storage_cleanup import file_lock
from octavo.content.media.stored_parts import stored_parts
from octavo.content.media.transformations import is_transformable
from octavo.content.media.variant_rows import version_of
from octavo.core.threads import in_thread
from octavo.database.connection import Database
from octavo.database.unit_of_work import UnitOfWork, run_unit

_LARGEST: Final = 1 << 30
"""The maximum size of a file that is copied from the storage, in bytes."""


class PlaceholderCreator:
    """Creates the missing placeholders of one project, one after the other."""

    def __init__(self, database: Database, storage: Storage, readable: ReadableStorage) -> None:
        """Create the service. `readable` is the storage, for reading."""
        self._database = database
        self._storage = storage
        self._readable = readable

    async def missing(self) -> AsyncIterator[dict[str, Any]]:
        """Yield the rows of images without a placeholder, in the order of their ids."""
        after = 0
        while rows := await find_missing(self._database, after):
            for row in rows:
                after = row["id"]
                yield row

    async def create(self, row: dict[str, Any]) -> bool:
        """Create the placeholder of an image; return False if it has none, or if it was changed or deleted meanwhile.

        Raises FileNotFoundError if the storage has lost the file, ApplicationError, and ServiceUnavailable.
        """
        read = {name: _read(row[name]) for name in ("formats", "provider_metadata")}
        parts = dict(stored_parts(self._storage, {**row, **read}))
        name, mime = parts.get(""), str(row["mime"])
        if THUMBNAIL_NAME in parts:
            name, mime = parts[THUMBNAIL_NAME], str(read["formats"][THUMBNAIL_NAME].get("mime") or mime)
        if name is None or not is_transformable(mime):
            return False
        path = self._storage.workspace.temporary()
        try:
            await in_thread(lambda: self._fetch(name, path))
            work = partial(describe_placeholder, path, mime)
            placeholder = await IMAGE_WORKERS.run(work, heavy=mime != "image/jpeg")
        finally:
            await in_thread(lambda: path.unlink(missing_ok=True))
        if placeholder is None:
            return False
        return await run_unit(self._database, UnitOfWork, partial(self._store, row, placeholder))

    def _fetch(self, name: str, path: Path) -> None:
        with self._readable.open(name) as content:
            self._storage.workspace.receive(content, path, _LARGEST)

    async def _store(self, row: dict[str, Any], placeholder: str, unit: UnitOfWork) -> bool:
        await unit.connection.lock(file_lock(row["id"]))
        if await version_of(unit.connection, self._database, row["id"]) != row["version"]:
            return False
        await add_placeholder(unit.connection, self._database.dialect, row["id"], placeholder)
        return True


def _read(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str | bytes) and value else value
