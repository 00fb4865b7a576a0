"""FileService: upload, update, replace and delete files, and link them to entries.

Each is one transaction, which also reads the response. Raises `NotFoundError` and the errors of the media library.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from octavo.content.component_owners import ComponentOwners, Owner
from octavo.content.entry_unit import EntryUnit
from octavo.content.input.prefetch import prefetch
from octavo.content.media.file_privacy import FilePrivacy, Guard
from octavo.content.media.focal_points import METADATA, FocalPoint, keeping_focal_point, with_focal_point
from octavo.content.media.folder_rows import FolderRows
from octavo.content.media.library import ROOT_FOLDER, FileInfo, IncomingFile, MediaLibrary, Naming, Replacement
from octavo.content.media.placeholder_rows import delete_placeholders, store_placeholder
from octavo.content.media.private_files import unmark_private
from octavo.content.media.shared_files import names_still_needed
from octavo.content.media.storage.base import is_segment
from octavo.content.media.storage_cleanup import file_lock
from octavo.content.media.stored_parts import stored_parts
from octavo.content.media.variant_rows import delete_variants
from octavo.content.reader import EntryReader, PreparedRead
from octavo.content.write_locks import lock_entries
from octavo.content.writer import EntryWriter
from octavo.core.errors import NotFoundError, ValidationError
from octavo.core.forms.printing import MISSING
from octavo.core.values import dataclass
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Connection
from octavo.database.leases import Lease, lease
from octavo.database.unit_of_work import UnitOfWork
from octavo.events.outbox import Outbox
from octavo.query.ast import At, Compare, Page, Query
from octavo.query.operators import OPERATORS
from octavo.query.plan.changes import AttachFiles, Change, DetachFiles, FileLink
from octavo.query.plan.present_state import EntryFact
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Form, ReadRequest
from octavo.query.sql.write.files import compile_last_place
from octavo.schema.attributes import Media
from octavo.schema.content_types import FILE, Component, ContentType
from octavo.schema.field_places import FieldPlace

_MISSING: Final = "Entity not found"


async def _allow_all(unit: EntryUnit, file_id: int) -> None:
    """Allow the change to every caller that has the action's permission."""


@dataclass(frozen=True, slots=True)
class UploadTarget:
    """A media attribute that new files are linked to, of an entry or of a component in an entry.

    `check_place` raises an error if the caller cannot update the attribute in this content type, or in a component at
    this place.
    """

    definition: ContentType | Component
    id: int
    field: str
    check_place: Callable[[FieldPlace], None]


class FileService:
    """Manages the files of one project."""

    def __init__(
        self, writer: EntryWriter, reader: EntryReader, media: MediaLibrary, outbox: Outbox | None = None
    ) -> None:
        self.privacy = FilePrivacy(writer, reader, media, outbox or Outbox(writer.database))
        self._writer = writer
        self._reader = reader
        self._media = media
        self._cleanup = media.cleanup
        self._registry = writer.registry
        self._type = writer.registry.content_types[FILE]
        self._rows = EntryReader(reader.database, reader.registry)  # without signatures
        row = ReadRequest(content_type=self._type, by=By.ID, projection=Form.FLAT)
        self._row = self._rows.prepare(plan_read(row, self._registry))
        self._last_place = compile_last_place(reader.dialect)
        self._folders = FolderRows(reader.dialect)
        self._owners = ComponentOwners(writer.database, writer.registry)

    async def add(
        self,
        files: Sequence[IncomingFile],
        infos: Sequence[FileInfo],
        answer: PreparedRead,
        place: UploadTarget | None = None,
        path: str = "",
        actor_id: int | None = None,
    ) -> list[bytes]:
        """Store files, link them to `place` if given, and return their responses. `actor_id` is the creator.

        If the entry, component or media attribute does not exist, the files are stored without a link.
        """
        private = [await self._media.sent_privately()] * len(files)
        async with self._media.incoming(files, infos, path, private) as stored:

            async def work(unit: EntryUnit) -> list[bytes]:
                ids = await stored.insert_sent(unit, actor_id)
                if place is not None:
                    await self._attach(unit, place, ids)
                return [await self._show(answer, file_id, unit.connection) for file_id in ids]

            return await self._writer.run(work)

    async def add_to_folders(
        self, files: Sequence[IncomingFile], infos: Sequence[FileInfo], answer: PreparedRead, actor_id: int | None
    ) -> list[bytes]:
        """Store files, each in the folder of its info, and return their responses.

        Raises ValidationError for a folder that does not exist.
        """
        wanted = [_folder_id(info) for info in (*infos, *[FileInfo()] * len(files))[: len(files)]]
        private = await self._folders.check_places(self._writer.database, wanted)
        async with self._media.incoming(files, infos, private=private) as stored:

            async def work(unit: EntryUnit) -> list[bytes]:
                folders = await self._folders.places(unit, wanted)
                ids = await stored.insert_in(unit, folders, actor_id)
                return [await self._show(answer, file_id, unit.connection) for file_id in ids]

            return await self._writer.run(work)

    async def describe(
        self,
        file_id: int,
        info: FileInfo,
        answer: PreparedRead,
        actor_id: int | None = None,
        guard: Guard = _allow_all,
        *,
        moving: bool = False,
    ) -> bytes:
        """Update the given details of a file. Raises NotFoundError.

        `moving`: also update its folder. Raises ValidationError for a folder that does not exist.
        """
        said = {"name": info.name, "alternativeText": info.alternative_text, "caption": info.caption}
        changed = {name: text for name, text in said.items() if text is not None}

        async def work(unit: EntryUnit) -> bytes:
            await guard(unit, file_id)
            place = await self._place(unit, info) if moving else {}
            if not await unit.update(self._type, file_id, {**changed, **place}, actor_id=actor_id):
                raise NotFoundError(_MISSING)
            return await self._show(answer, file_id, unit.connection)

        return await self._with_folder(file_id, answer, await self._writer.run(work), moving=moving)

    async def focus(
        self, file_id: int, point: FocalPoint | None, answer: PreparedRead, actor_id: int | None, guard: Guard
    ) -> bytes:
        """Set or remove (None) the focal point of an image.

        Raises NotFoundError, and ValidationError if the file is not an image.
        """

        async def work(unit: EntryUnit) -> bytes:
            await unit.connection.lock(file_lock(file_id))
            held = await self._read_row(file_id, unit.connection)
            await guard(unit, file_id)
            if not str(held["mime"]).startswith("image/"):
                raise ValidationError("Only images have a focal point")
            await unit.update(self._type, file_id, {METADATA: with_focal_point(held, point)}, actor_id=actor_id)
            await self.privacy.purge(unit, [*self._names(held)])
            await self._cleanup.remove_with(unit, await delete_variants(unit.connection, [file_id]))
            return await self._show(answer, file_id, unit.connection)

        return await self._writer.run(work)

    async def replace(
        self,
        file_id: int,
        file: IncomingFile,
        info: FileInfo,
        answer: PreparedRead,
        actor_id: int | None = None,
        guard: Guard = _allow_all,
        *,
        moving: bool = False,
    ) -> bytes:
        """Replace a file's content; its id and URL stay. Raises NotFoundError. `moving`: see `describe`."""
        await self._read_row(file_id)

        async def more(unit: EntryUnit) -> dict[str, Any]:
            await guard(unit, file_id)
            return await self._place(unit, info) if moving else {}

        async with lease(self._writer.database, file_lock(file_id)) as held:
            shown = await self._replace(file_id, file, info, answer, held, actor_id, more)
        return await self._with_folder(file_id, answer, shown, moving=moving)

    async def _with_folder(self, file_id: int, answer: PreparedRead, shown: bytes, *, moving: bool) -> bytes:
        """Make a file private or public if its new folder requires it; return its response."""
        if moving and await self.privacy.follow_folders():
            return await self._reader.read_one(answer.bind(id=file_id), None) or shown
        return shown

    async def _replace(
        self,
        file_id: int,
        file: IncomingFile,
        info: FileInfo,
        answer: PreparedRead,
        held: Lease,
        actor_id: int | None,
        more: Callable[[EntryUnit], Awaitable[dict[str, Any]]],
    ) -> bytes:
        """Swap the files in the storage, then update the row. The lease excludes concurrent replacements."""
        naming = self._naming(await self._read_row(file_id))
        new: Replacement | None = None

        async def is_stored() -> bool:
            now = await self._read_row(file_id)
            return new is not None and keeping_focal_point(now, new.attributes).items() <= now.items()

        try:
            async with self._media.replacing(file, info, naming, is_stored) as new:
                swapped = new
                await swapped.swap()

                async def work(unit: EntryUnit) -> bytes:
                    return await self._put(unit, file_id, swapped, answer, held, actor_id, await more(unit))

                return await self._writer.run(work)
        except NotFoundError:
            if new is not None and await self._is_gone(file_id):  # the stored file would be orphaned
                await self._cleanup.remove(list(new.names))
            raise

    async def _is_gone(self, file_id: int) -> bool:
        """Return whether a file was deleted. The project's code can also raise NotFoundError."""
        return await self._rows.read_one(self._row.bind(id=file_id), None) is None

    async def delete(self, file_id: int, answer: PreparedRead, guard: Guard = _allow_all) -> bytes:
        """Delete a file with its formats and links; return its previous state. Raises NotFoundError."""

        async def work(unit: EntryUnit) -> bytes:
            await unit.connection.lock(file_lock(file_id))
            held = await self._read_row(file_id, unit.connection)
            await guard(unit, file_id)
            shown = await self._show(answer, file_id, unit.connection)
            await unit.delete(self._type, file_id)
            await self._delete_with(unit, [file_id], [held])
            return shown

        return await self._writer.run(work)

    async def delete_many(self, unit: EntryUnit, ids: Sequence[int]) -> None:
        """Delete files in the caller's unit of work; the storage removes them after the commit."""
        await unit.connection.lock_all([file_lock(file_id) for file_id in sorted(ids)])
        chosen = At(attribute="id", filter=Compare(operator=OPERATORS["$in"], values=tuple(ids)))
        query = Query(filters=chosen, page=Page(with_count=False))
        request = ReadRequest(content_type=self._type, query=query, projection=Form.FLAT)
        with unit.ambient():
            rows, _ = await self._rows.read_list(self._rows.prepare(plan_read(request, self._registry)))
        await unit.delete_many(self._type, ids)
        await self._delete_with(unit, ids, orjson.loads(rows))

    async def _place(self, unit: EntryUnit, info: FileInfo) -> dict[str, Any]:
        """Return the folder columns of a row if the info sets a folder."""
        if info.folder is MISSING:
            return {}
        [folder] = await self._folders.places(unit, [_folder_id(info)])
        await self.privacy.note_move(unit)
        return {"folder": folder and folder.id, "folderPath": folder.path if folder else ROOT_FOLDER}

    async def _put(
        self,
        unit: EntryUnit,
        file_id: int,
        new: Replacement,
        answer: PreparedRead,
        held: Lease,
        actor_id: int | None,
        more: Mapping[str, Any],
    ) -> bytes:
        """Update the row and return the response. Files that only the old version had are removed from the storage."""
        await unit.connection.lock(file_lock(file_id))
        before = await self._read_row(file_id, unit.connection)
        changed = keeping_focal_point(before, new.attributes)
        await unit.update(self._type, file_id, {**changed, **more}, actor_id=actor_id)
        kept = set(self._names({**before, **new.attributes}))
        unneeded = await self._unneeded(unit, [before], [name for name in self._names(before) if name not in kept])
        await self.privacy.purge(unit, [*self._names(before)])
        variants = await delete_variants(unit.connection, [file_id])
        await self._cleanup.remove_with(unit, [*unneeded, *variants], file_id)
        await store_placeholder(unit.connection, self._reader.dialect, file_id, new.placeholder)
        await held.end_with(unit)
        return await self._show(answer, file_id, unit.connection)

    async def _unneeded(self, unit: UnitOfWork, rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
        """Return the names that only these rows had."""
        if not names:
            return []
        ids, urls = {row["id"] for row in rows}, [row["url"] for row in rows]
        needed = await names_still_needed(unit.connection, self._reader.dialect, self._media.storage, urls, ids)
        return [name for name in names if name not in needed]

    async def _attach(self, unit: EntryUnit, place: UploadTarget, ids: Sequence[int]) -> None:
        """Link files to a media attribute. Does nothing if it does not exist. Raises the errors of `check_place`."""
        attribute = place.definition.attributes.get(place.field)
        if not isinstance(attribute, Media):
            return
        entries = await self._locked_entries(unit, place)
        if not entries:
            return
        uid, entry_id = place.definition.uid, place.id
        last, changes = 0.0, list[Change]()
        if attribute.multiple:
            last = await unit.connection.fetch_value(self._last_place, (uid, entry_id, place.field)) or 0.0
        else:
            ids = ids[-1:]
            changes.append(DetachFiles(places=((uid, entry_id, place.field),)))
        links = tuple(FileLink(one, uid, entry_id, place.field, last + order) for order, one in enumerate(ids, 1))
        await unit.apply([*changes, AttachFiles(links=links)])
        for entry in entries:
            unit.record(*entry, ChangeKind.UPDATE)

    async def _locked_entries(self, unit: EntryUnit, place: UploadTarget) -> set[tuple[str, int]]:
        """Lock and return the entry, or the entries that contain the component, by type and id; none if missing."""
        definition = place.definition
        if isinstance(definition, ContentType):
            entry = (definition.uid, place.id)
            await lock_entries(unit.connection, [entry])
            fact = EntryFact(content_type=definition, id=place.id)
            prefetched = await prefetch(unit, self._registry, self._reader.dialect, [fact])
            return {entry} if prefetched.entry(fact) is not None else set()
        owners = await self._owners.of(definition, place.id, unit.connection)
        for owner in owners:
            place.check_place(owner.place)
        await lock_entries(unit.connection, _entries(owners))
        return _entries(owners) & _entries(await self._owners.of(definition, place.id, unit.connection))

    async def _show(self, answer: PreparedRead, file_id: int, connection: Connection) -> bytes:
        shown = await self._reader.read_one(answer.bind(id=file_id), connection)
        if shown is None:
            raise NotFoundError(_MISSING)
        return shown

    async def _read_row(self, file_id: int, connection: Connection | None = None) -> dict[str, Any]:
        """Return the row of a file. Raises NotFoundError."""
        row = await self._rows.read_one(self._row.bind(id=file_id), connection)
        if row is None:
            raise NotFoundError(_MISSING)
        held: dict[str, Any] = orjson.loads(row)
        return held

    def _naming(self, held: Mapping[str, Any]) -> Naming:
        """Return the storage names of a file and its formats, so that their URLs stay."""
        known = dict(stored_parts(self._media.storage, held))
        prefix = self._media.storage.folder_of(known[""]) if "" in known else ""
        file_hash, extension = str(held["hash"]), str(held["ext"] or "")
        if not is_segment(f"{file_hash}{extension}"):
            file_hash, extension = f"file_{held['id']}", ""
        return Naming(file_hash, extension, prefix, known)

    def _names(self, held: Mapping[str, Any]) -> Iterator[str]:
        """Yield the names of a file's parts in the storage."""
        return (name for _, name in stored_parts(self._media.storage, held))

    async def _delete_with(
        self, unit: UnitOfWork, file_ids: Sequence[int], deleted: Sequence[Mapping[str, Any]]
    ) -> None:
        """Delete what Octavo stores about deleted files, and their parts and transformed images in the storage.

        Parts that other rows share stay.
        """
        names = await self._unneeded(unit, deleted, [name for held in deleted for name in self._names(held)])
        await self.privacy.purge(unit, names)
        variants = await delete_variants(unit.connection, file_ids)
        await self._cleanup.remove_with(unit, [*names, *variants])
        await delete_placeholders(unit.connection, file_ids)
        await unmark_private(unit.connection, file_ids)


def _entries(owners: Iterable[Owner]) -> set[tuple[str, int]]:
    return {(owner.content_type.uid, owner.entry_id) for owner in owners}


def _folder_id(info: FileInfo) -> Any:
    return None if info.folder is MISSING else info.folder
