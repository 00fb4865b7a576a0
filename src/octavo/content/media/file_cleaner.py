"""FileCleaner: remove metadata from stored files, as uploads do since Octavo removes it.

Each file is copied to the workspace, cleaned by a worker, and written under a temporary name. Then the new parts get
the names of the old ones, and one transaction updates the sizes in the row. If the process ends in between, each part
is still either the old one or the new one, and the next run continues: it also corrects sizes.
"""

import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from octavo.content.entry_unit import EntryUnit
from octavo.content.media.file_preparation import clean_file, prepared_type
from octavo.content.media.file_privacy import Purge, purge_nothing
from octavo.content.media.file_types import HEAD_BYTES, type_of
from octavo.content.media.image_workers import IMAGE_WORKERS
from octavo.content.media.library import MediaLibrary, Replacement
from octavo.content.media.processing import Part, StoredFile, kilobytes
from octavo.content.media.storage.base import ReadableStorage, Storage, temporary_in
from octavo.content.media.storage_cleanup import file_lock
from octavo.content.media.stored_parts import stored_parts
from octavo.content.reader import EntryReader
from octavo.content.writer import EntryWriter
from octavo.core.errors import NotFoundError
from octavo.core.threads import in_thread
from octavo.core.values import dataclass
from octavo.database.leases import Lease, lease
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Form, ReadRequest
from octavo.query.sql.raw_statement import RawStatement
from octavo.schema.content_types import FILE

_NEXT: Final = RawStatement("SELECT id FROM files WHERE id > {after} ORDER BY id LIMIT 100")


@dataclass(frozen=True, slots=True)
class CleanedFile:
    """The result for one file: its row's id and name, its number of parts that had metadata, the names of parts that
    are missing in the storage, and whether sizes in the row were wrong."""

    id: int
    name: str
    cleaned: int = 0
    missing: tuple[str, ...] = ()
    resized: bool = False


@dataclass(frozen=True, slots=True)
class _CheckedPart:
    """A part in the workspace: its format, its name in the storage, its type, and whether metadata was removed."""

    format: str
    name: str
    mime: str
    path: Path
    is_cleaned: bool
    size: int


class FileCleaner:
    """Cleans the stored files of one project. The storage must be a `ReadableStorage`."""

    def __init__(self, writer: EntryWriter, media: MediaLibrary, purge: Purge = purge_nothing) -> None:
        """Create the service. `purge` purges the copies of files in CDNs."""
        self._writer = writer
        self._purge = purge
        self._storage: Storage = media.storage
        self._type = writer.registry.content_types[FILE]
        self._rows = EntryReader(writer.database, writer.registry)
        request = ReadRequest(content_type=self._type, by=By.ID, projection=Form.FLAT)
        self._row = self._rows.prepare(plan_read(request, writer.registry))

    async def ids(self) -> AsyncIterator[int]:
        """Yield the ids of all files, in order."""
        database, after = self._writer.database, 0
        while rows := await database.fetch_all(*_NEXT.bind(database.dialect, after=after)):
            for (after,) in rows:
                yield after

    async def clean(self, file_id: int, *, dry: bool = False) -> CleanedFile | None:
        """Remove the metadata of a file and its formats; `dry`: only look for it. Return None for a deleted file.

        Raises ApplicationError if the file cannot be processed, and ServiceUnavailable.
        """
        if dry:
            return await self._clean(file_id, None)
        async with lease(self._writer.database, file_lock(file_id)) as held:
            return await self._clean(file_id, held)

    async def _clean(self, file_id: int, held: Lease | None) -> CleanedFile | None:
        row = await self._read(file_id)
        if row is None:
            return None
        parts, missing = list[_CheckedPart](), list[str]()
        try:
            for format_name, name in stored_parts(self._storage, row):
                path = self._storage.workspace.temporary()
                try:
                    part = await self._check(path, row, format_name, name)
                except FileNotFoundError:
                    missing.append(name)
                    continue
                if part is not None:
                    parts.append(part)
            changes = _size_changes(row, parts)
            if held is not None and (changes or any(part.is_cleaned for part in parts)):
                await self._replace(row, [part for part in parts if part.is_cleaned], changes, held)
        finally:
            await in_thread(lambda: _remove(parts))
        cleaned = sum(part.is_cleaned for part in parts)
        return CleanedFile(file_id, str(row["name"]), cleaned, tuple(missing), bool(changes))

    async def _read(self, file_id: int) -> dict[str, Any] | None:
        found = await self._rows.read_one(self._row.bind(id=file_id), None)
        row: dict[str, Any] | None = None if found is None else orjson.loads(found)
        return row

    async def _check(self, path: Path, row: Mapping[str, Any], format_name: str, name: str) -> _CheckedPart | None:
        """Copy a part to the workspace and clean it there; None if files of its type have no metadata."""
        try:
            mime = await in_thread(lambda: self._fetch(path, name, str(row["mime"] or "")))
            if mime is None:
                return None
            is_cleaned = await IMAGE_WORKERS.run(partial(clean_file, path, mime))
        except BaseException:
            await in_thread(lambda: path.unlink(missing_ok=True))
            raise
        size = await in_thread(lambda: path.stat().st_size)
        declared = (row["formats"][format_name] if format_name else row).get("mime")
        return _CheckedPart(format_name, name, str(declared or mime), path, is_cleaned, size)

    def _fetch(self, path: Path, name: str, declared: str) -> str | None:
        """Copy a stored part to a path and return its type; None without copying if it can have no metadata."""
        assert isinstance(self._storage, ReadableStorage)
        with self._storage.open(name) as source:
            head = source.read(HEAD_BYTES)
            types = (type_of(head, known, name, check_images=True) for known in (declared, ""))
            mime = prepared_type(types, head)
            if mime is None:
                return None
            with path.open("xb") as copy:
                copy.write(head)
                shutil.copyfileobj(source, copy, 1 << 20)
        return mime

    async def _replace(
        self, row: Mapping[str, Any], parts: list[_CheckedPart], changes: Mapping[str, Any], held: Lease
    ) -> None:
        """Swap the parts in the storage, then update the row. Raises an error if nothing changed."""
        described = {"ext": str(row["ext"] or "")}
        replacement: Replacement | None = None
        staged = list[Part]()
        try:
            for part in parts:
                staged.append(await in_thread(partial(self._stage, part, described["ext"])))
            replacement = Replacement(self._storage, StoredFile(described, staged))
            await replacement.swap()
            names = sorted(replacement.names)
            await self._writer.run(partial(self._update, row["id"], changes, held, names))
        except BaseException as error:
            if replacement is not None:
                await replacement.undo()
            if not isinstance(error, NotFoundError) or await self._read(row["id"]) is not None:
                raise
            await in_thread(lambda: self._storage.remove(part.name for part in parts))  # else they would be orphaned
        finally:
            await in_thread(lambda: self._storage.remove([part.kept.name for part in staged]))
            if replacement is not None:
                await replacement.clean()

    def _stage(self, part: _CheckedPart, extension: str) -> Part:
        temporary = temporary_in(self._storage, extension)
        return Part(part.format, part.name, self._storage.write(part.path, temporary, part.mime))

    async def _update(
        self, file_id: int, changes: Mapping[str, Any], held: Lease, names: Sequence[str], unit: EntryUnit
    ) -> None:
        await unit.connection.lock(file_lock(file_id))
        if not await unit.update(self._type, file_id, dict(changes), actor_id=None):
            raise NotFoundError
        await self._purge(unit, names)
        await held.end_with(unit)


def _size_changes(row: Mapping[str, Any], parts: list[_CheckedPart]) -> dict[str, Any]:
    """Return the attributes of a row whose sizes are not those of the parts."""
    changes = dict[str, Any]()
    formats = dict(row["formats"] or {})
    for part in parts:
        if not part.format:
            if row["size"] != kilobytes(part.size):
                changes["size"] = kilobytes(part.size)
            continue
        described = formats[part.format]
        sizes = {"size": kilobytes(part.size), "sizeInBytes": part.size}
        formats[part.format] = {**described, **{key: sizes[key] for key in sizes if key in described}}
    return {**changes, "formats": formats} if formats != (row["formats"] or {}) else changes


def _remove(parts: list[_CheckedPart]) -> None:
    for part in parts:
        part.path.unlink(missing_ok=True)
