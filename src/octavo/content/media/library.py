"""MediaLibrary: store uploaded files and insert their rows in `files`, both or neither.

    async with library.incoming(files) as stored:
        async with unit_of_work(database) as unit:
            ids = await stored.insert(unit)

Files are copied, measured and resized before the transaction starts, so it does not wait for them. If the block raises
an exception, they are removed. Images are processed by `image_workers`. Raises `ApplicationError`, `ValidationError`,
`PayloadTooLargeError`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

import orjson

from octavo.content.core_store import stored_value
from octavo.content.media.file_names import FileName, read_file_name
from octavo.content.media.image_workers import IMAGE_WORKERS
from octavo.content.media.placeholder_rows import store_placeholder
from octavo.content.media.private_files import mark_private
from octavo.content.media.private_folders import is_private_path
from octavo.content.media.processing import (
    FileInfo,
    FileWork,
    ImageSettings,
    IncomingFile,
    MediaOptions,
    Naming,
    Part,
    StoredFile,
)
from octavo.content.media.storage.base import ReplacedObject, Storage, hides_files, is_private_file, temporary_in
from octavo.content.media.storage_cleanup import StorageCleanup
from octavo.content.media.upload_folder import LOCK, ApiFolder, Folder
from octavo.core.clock import this_moment
from octavo.core.errors import ServiceUnavailable, ValidationError
from octavo.core.threads import in_thread
from octavo.database.ambient import joined
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Database
from octavo.database.maintenance_mode import check_writable
from octavo.database.unit_of_work import UnitOfWork, unit_of_work
from octavo.events.hook_calls import create_row
from octavo.query.sql.dialects.base import Dialect
from octavo.query.sql.write.files import FILE_COLUMNS, compile_find_hash, compile_insert_file
from octavo.schema.content_types import FILE

__all__ = ["FileInfo", "IncomingFile", "MediaLibrary", "MediaOptions", "Naming", "Replacement", "StoredFiles"]

ROOT_FOLDER: Final = "/"
_SETTINGS: Final = "plugin_upload_settings"
"""v4's key for the settings in the core store."""
_MAY_BE_NOTHING: Final = frozenset({"alternativeText", "caption"})


class StoredFiles:
    """The files of one request, in order, before and while their rows are inserted."""

    def __init__(
        self, storage: Storage, cleanup: StorageCleanup, insert: str, folder: ApiFolder, dialect: Dialect
    ) -> None:
        self.files: tuple[StoredFile, ...] = ()
        self.expected: list[str] = []
        """The storage names that the transaction with the rows claims."""
        self.inserted = False
        self._storage = storage
        self._cleanup = cleanup
        self._insert = insert
        self._dialect = dialect
        self._folder = folder

    async def insert(self, unit: UnitOfWork, path: str = ROOT_FOLDER, actor_id: int | None = None) -> list[int]:
        """Insert the rows in the caller's unit of work; return their ids in order. `actor_id` is the administrator who
        creates them."""
        await self.claim(unit)
        now = this_moment()
        return [await self._insert_one(unit, stored, path, now, actor_id) for stored in self.files]

    async def claim(self, unit: UnitOfWork) -> None:
        """Keep the files, with the unit of work that stores where they are used; the other methods include this."""
        self.inserted = True
        await self._cleanup.claim(unit.connection, self.expected)

    async def _insert_one(self, unit: UnitOfWork, stored: StoredFile, path: str, now: int, actor_id: int | None) -> int:
        async def write(attributes: Mapping[str, Any]) -> int:
            row = _row(attributes, path, now, actor_id)
            file_id = int(await unit.connection.fetch_value(self._insert, row))
            if stored.placeholder is not None:
                await store_placeholder(unit.connection, self._dialect, file_id, stored.placeholder)
            await self._follow_folder(unit, stored, file_id, path)
            unit.record(FILE, file_id, ChangeKind.CREATE)
            return file_id

        return await create_row(unit, FILE, dict(stored.attributes), write)

    async def _follow_folder(self, unit: UnitOfWork, stored: StoredFile, file_id: int, path: str) -> None:
        """Mark a new file as private if its folder is. The folder may have changed since the file was stored."""
        if not hides_files(self._storage):
            return
        private = path != ROOT_FOLDER and await is_private_path(unit.connection, self._dialect, path)
        if private != stored.private:
            await in_thread(partial(self._storage.set_private, stored.names, private=private))
        if private:
            await mark_private(unit.connection, self._dialect, file_id, by_folder=True)

    async def insert_in(self, unit: UnitOfWork, folders: Sequence[Folder | None], actor_id: int | None) -> list[int]:
        """Insert the rows and put each file in its folder; None means the top."""
        await self.claim(unit)
        now, ids = this_moment(), list[int]()
        for stored, folder in zip(self.files, folders, strict=True):
            ids.append(await self._insert_one(unit, stored, folder.path if folder else ROOT_FOLDER, now, actor_id))
            if folder is not None:
                await self._folder.put(unit.connection, folder, ids[-1])
        return ids

    async def insert_sent(self, unit: UnitOfWork, actor_id: int | None = None) -> list[int]:
        """Insert the rows of files from the content API and put them in its folder."""
        if hides_files(self._storage):
            await unit.connection.lock(LOCK)  # otherwise the folder could become private before the commit
        folder = await self._folder.find(unit)
        ids = await self.insert(unit, folder.path, actor_id)
        for file_id in ids:
            await self._folder.put(unit.connection, folder, file_id)
        return ids


class Replacement:
    """A stored file that is about to replace another."""

    def __init__(self, storage: Storage, stored: StoredFile, unsaid: Iterable[str] = ()) -> None:
        self._storage = storage
        self._unsaid = frozenset(unsaid)
        self._stored = stored
        self._swapped: list[tuple[Part, ReplacedObject]] = []
        self._temporary: list[str] = stored.names
        self.names: set[str] = set()
        """The storage names of its parts, after they have been swapped."""

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The changes of the row after the swap. Unknown values stay, unless the info explicitly clears them."""
        there = {part.format: part.kept for part in self._stored.parts}
        there |= {part.format: exchanged.kept for part, exchanged in self._swapped}
        attributes = self._stored.located(there)
        said = {name: value for name, value in attributes.items() if value is not None}
        nothing = {name: None for name in self._unsaid if name in _MAY_BE_NOTHING}
        size = {name: attributes[name] for name in ("width", "height")}
        return {**nothing, **said, **size, "formats": attributes["formats"] or {}}

    @property
    def placeholder(self) -> str | None:
        """The placeholder of the new image, as JSON text."""
        return self._stored.placeholder

    async def swap(self) -> None:
        """Move the parts to their final names; can be called again."""
        await in_thread(self._swap)

    async def undo(self) -> None:
        """Restore the old file."""
        await in_thread(self._undo)

    async def clean(self) -> None:
        """Remove temporary files."""
        await in_thread(lambda: self._storage.remove(self._temporary))

    def _swap(self) -> None:
        self._undo()
        for part in self._stored.parts:
            backup = temporary_in(self._storage, self._stored.described["ext"])
            self._temporary.append(backup)
            exchanged = self._storage.exchange(part.kept.name, part.target, backup)
            if exchanged.backup is not None:
                self._temporary.append(exchanged.backup)
            self.names.add(exchanged.kept.name)
            self._swapped.append((part, exchanged))
        self._storage.flush()

    def _undo(self) -> None:
        while self._swapped:
            part, exchanged = self._swapped.pop()
            self._storage.move(exchanged.kept.name, part.kept.name)
            if exchanged.backup is not None:
                self._storage.move(exchanged.backup, exchanged.kept.name)


class MediaLibrary:
    """Stores files for one project. Create one per process; it belongs to the event loop that first uses it."""

    def __init__(self, database: Database, storage: Storage, options: MediaOptions | None = None) -> None:
        self.storage = storage
        self.cleanup = StorageCleanup(database, storage)
        self._database = database
        self._options = options or MediaOptions()
        dialect = database.dialect
        self._insert = compile_insert_file(dialect)
        self._find_hash = compile_find_hash(dialect)
        self._folder = ApiFolder(dialect)

    @asynccontextmanager
    async def incoming(
        self,
        files: Sequence[IncomingFile],
        infos: Sequence[FileInfo] = (),
        path: str = "",
        private: Sequence[bool] = (),
    ) -> AsyncIterator[StoredFiles]:
        """Put files into the storage; remove them if the block raises an exception.

        `infos` belong to the files, in order; `path` is a folder, for storages that have folders. `private`: whether
        each file gets into a private folder of the library. Run the transaction inside the block. Raises
        UnderMaintenance before it processes the files.
        """
        check_writable(self._database.read_only_message)
        stored = StoredFiles(self.storage, self.cleanup, self._insert, self._folder, self._database.dialect)
        hides = hides_files(self.storage)
        try:
            for index, file in enumerate(files):
                info = infos[index] if index < len(infos) else FileInfo()
                hidden = hides and index < len(private) and private[index]
                stored.files = (*stored.files, await self._publish(file, info, path, stored.expected, private=hidden))
            if files:
                await in_thread(self.storage.flush)
            yield stored
        except BaseException:
            await self._discard_unless_committed(stored)
            raise
        scope = joined(self._database)
        if scope is not None:
            scope.unit.after_undo(lambda: self._discard_unless_committed(stored))

    @asynccontextmanager
    async def replacing(
        self, file: IncomingFile, info: FileInfo, naming: Naming, is_stored: Callable[[], Awaitable[bool]]
    ) -> AsyncIterator[Replacement]:
        """Prepare a file to replace another one; the old one is restored if the block raises an exception.

        `is_stored` returns whether the row was updated, in case the connection was lost during the commit.
        """
        check_writable(self._database.read_only_message)
        replacement = Replacement(self.storage, await self._stage(file, info, naming), info.unsaid)
        try:
            yield replacement
        except ServiceUnavailable:
            if not await is_stored():
                await replacement.undo()
            raise
        except BaseException:
            await replacement.undo()
            raise
        finally:
            await replacement.clean()

    async def sent_privately(self) -> bool:
        """Return whether the folder for files from the content API is private."""
        if not hides_files(self.storage):
            return False
        return await is_private_path(self._database, self._database.dialect, await self._folder.path(self._database))

    async def add(self, files: Sequence[IncomingFile], infos: Sequence[FileInfo] = ()) -> list[int]:
        """Store files and insert their rows in a new unit of work; return the ids."""
        async with self.incoming(files, infos) as stored, unit_of_work(self._database) as unit:
            return await stored.insert(unit)

    async def _discard_unless_committed(self, stored: StoredFiles) -> None:
        if not await self._may_be_committed(stored):
            await self.cleanup.remove([name for file in stored.files for name in file.names])

    async def _may_be_committed(self, stored: StoredFiles) -> bool:
        """Return whether a commit may have succeeded although the connection was lost. Orphaned files do less harm."""
        if not stored.inserted or not stored.files:
            return False
        try:
            committed = await self._database.fetch_value(self._find_hash, (stored.files[0].attributes["hash"],))
        except ServiceUnavailable:
            return True
        return committed is not None

    async def _publish(
        self, file: IncomingFile, info: FileInfo, path: str, expected: list[str], *, private: bool
    ) -> StoredFile:
        async def store(work: FileWork, name: FileName) -> StoredFile:
            naming = work.new_naming(name, info, path)
            expected.extend(await self.cleanup.expect(work.names(naming)))
            return await in_thread(lambda: work.publish(name, info, naming))

        return await self._take(file, info, store, private=private)

    async def _stage(self, file: IncomingFile, info: FileInfo, naming: Naming) -> StoredFile:
        """Store a replacement under temporary names."""

        async def store(work: FileWork, name: FileName) -> StoredFile:
            return await in_thread(lambda: work.stage(name, info, work.replacing(name, naming)))

        is_private = await in_thread(lambda: is_private_file(self.storage, naming.known.get("")))
        return await self._take(file, info, store, lambda work, name: work.replacing(name, naming), private=is_private)

    async def _take(
        self,
        file: IncomingFile,
        info: FileInfo,
        store: Callable[[FileWork, FileName], Awaitable[StoredFile]],
        check: Callable[[FileWork, FileName], object] = lambda *_: None,
        *,
        private: bool = False,
    ) -> StoredFile:
        """Copy and prepare a file, and store it. `check` raises an error before it is prepared."""
        name = read_file_name(file.filename)
        _check_info(info)
        work = FileWork(self.storage, self._options, private=private)
        try:
            await in_thread(lambda: work.copy(file, name))
            check(work, name)
            settings = await self._image_settings() if work.is_image else ImageSettings()
            preparation = work.preparation(settings)
            if preparation is not None:
                work.prepared(await IMAGE_WORKERS.run(preparation, heavy=work.is_heavy(settings)), name)
            return await store(work, name)
        except BaseException:
            await in_thread(work.discard)
            raise

    async def _image_settings(self) -> ImageSettings:
        """Return the settings that administrators choose. Without stored ones, originals stay as they are."""
        stored_settings = await stored_value(self._database, _SETTINGS)
        if not isinstance(stored_settings, Mapping):
            return ImageSettings()
        scaled = stored_settings.get("responsiveDimensions") is not False
        return ImageSettings(
            scaled, stored_settings.get("sizeOptimization") is True, stored_settings.get("autoOrientation") is True
        )


def _row(attributes: Mapping[str, Any], folder_path: str, now: int, actor_id: int | None) -> tuple[Any, ...]:
    """Return the values of a new row, in column order."""
    values = {
        **attributes,
        "alternative_text": attributes["alternativeText"],
        "formats": _json(attributes["formats"]),
        "preview_url": attributes["previewUrl"],
        "provider_metadata": _json(attributes["provider_metadata"]),
        "folder_path": folder_path,
        "created_at": now,
        "updated_at": now,
        "created_by_id": actor_id,
        "updated_by_id": actor_id,
    }
    return tuple(values[column] for column in FILE_COLUMNS)


def _json(value: Any) -> str | None:
    return orjson.dumps(value).decode() if value else None


def _check_info(info: FileInfo) -> None:
    if info.name:
        read_file_name(info.name)
    for label, text in (("name", info.name), ("alternativeText", info.alternative_text), ("caption", info.caption)):
        if text is not None and len(text) > 255:
            raise ValidationError(f"{label} must be at most 255 characters")
