"""LibraryChanges: move and delete several files and folders at once. Each is one transaction.

Missing files and folders are ignored, as in Strapi. If the action is not allowed on one of the files, including files
anywhere in the folders, nothing changes and ForbiddenError is raised.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from octavo.access.authorization.ability import UPDATE
from octavo.access.authorization.actor import Actor
from octavo.content.entry_unit import EntryUnit
from octavo.content.manager.library_access import Library
from octavo.content.media.files import FileService
from octavo.content.media.folder_rows import FolderRow, FolderRows, read_folder_id
from octavo.content.media.library import ROOT_FOLDER
from octavo.content.media.private_folders import forget_deleted_folders
from octavo.content.media.upload_folder import LOCK
from octavo.content.writer import EntryWriter
from octavo.core.errors import Problem, ValidationError
from octavo.core.forms import (
    DEFINED,
    INTEGER,
    REQUIRED,
    Id,
    Items,
    Number,
    Record,
    Text,
    at_least,
    at_most,
    check,
    rule,
)
from octavo.query.numbers import read_entry_id
from octavo.schema.content_types import FILE, FOLDER

DELETE: Final = "delete"
MOST_AT_ONCE: Final = 1_000
_TEXTS: Final = ("alternativeText", "caption")
_IDS: Final = Items(Id(), at_most(MOST_AT_ONCE))
_DELETION: Final = Record({"fileIds": _IDS, "folderIds": _IDS}, closed=True)
MOST_DESCRIBED: Final = 100
"""The maximum number of files whose texts are saved at once."""
_LONGEST_TEXT: Final = 255
_TEXT: Final = Text(at_most(_LONGEST_TEXT), nullable=True)
_FILE_TEXTS: Final = Record(
    {"id": Number(INTEGER, at_least(1), REQUIRED), "alternativeText": _TEXT, "caption": _TEXT}, closed=True
)
_DESCRIPTION: Final = Record({"files": Items(_FILE_TEXTS, DEFINED, at_least(1), at_most(MOST_DESCRIBED))}, closed=True)

ChangedItems = tuple[bytes, bytes]
"""JSON arrays of files and of folders."""


class LibraryChanges:
    """Runs bulk changes for administrators."""

    def __init__(self, library: Library, files: FileService, writer: EntryWriter) -> None:
        self._library = library
        self._files = files
        self._writer = writer
        self._rows = FolderRows(writer.database.dialect)
        self._file_type = writer.registry.content_types[FILE]
        self._folder_type = writer.registry.content_types[FOLDER]

    async def delete(self, body: Any, actor: Actor) -> ChangedItems:
        """Delete `fileIds`, and `folderIds` with their contents; return the named files and folders."""
        check(_DELETION, body)

        async def work(unit: EntryUnit) -> ChangedItems:
            await unit.connection.lock(LOCK)
            folders = await self._folders(unit, body)
            named = await self._library.guard(unit, _ids(body, "fileIds"), actor.ability, DELETE)
            inside, below = await self._inside(unit, folders)
            changed = await self._changed(unit, named, [folder.id for folder in folders])
            for some in _portions(sorted({*named, *inside})):
                files = await self._library.guard(unit, some, actor.ability, DELETE)
                await self._files.delete_many(unit, files)
            for some in _portions(below):
                await unit.delete_many(self._folder_type, some)
            if below and self._files.privacy.is_enabled:
                await forget_deleted_folders(unit.connection)
            return changed

        return await self._writer.run(work, grouped=False)

    async def move(self, body: Any, actor: Actor) -> ChangedItems:
        """Move `fileIds` and `folderIds` to `destinationFolderId`, null for the top. Raises ValidationError."""

        async def work(unit: EntryUnit) -> ChangedItems:
            await unit.connection.lock(LOCK)
            target = await self._target(unit, body)
            check(_movement(target), body)
            folders = await self._folders(unit, body)
            files = await self._library.guard(unit, _ids(body, "fileIds"), actor.ability, UPDATE)
            if folders:
                await self._library.guard_folders(unit, [one.path for one in folders], actor.ability)
            _check_outside(folders, target)
            await self._check_names(unit, folders, target)
            await self._move_folders(unit, folders, target, actor)
            if files:
                place = {"folder": target and target.id, "folderPath": target.path if target else ROOT_FOLDER}
                await unit.update_many(self._file_type, files, place, actor_id=actor.creator_id)
            await self._files.privacy.note_move(unit)
            return await self._changed(unit, files, [folder.id for folder in folders])

        changed = await self._writer.run(work, grouped=False)
        await self._files.privacy.follow_folders()
        return changed

    async def describe(self, body: Any, actor: Actor) -> bytes:
        """Update the `alternativeText` and `caption` of `files`, and return those that exist. Missing texts stay."""
        check(_DESCRIPTION, body)
        texts = {int(one["id"]): {name: one[name] for name in _TEXTS if name in one} for one in body["files"]}

        async def work(unit: EntryUnit) -> bytes:
            files = await self._library.guard(unit, sorted(texts), actor.ability, UPDATE)
            for file_id in files:
                await unit.update(self._file_type, file_id, texts[file_id], actor_id=actor.creator_id)
            return (await self._changed(unit, files, ()))[0]

        return await self._writer.run(work, grouped=False)

    async def _target(self, unit: EntryUnit, body: Any) -> FolderRow | None:
        given = body.get("destinationFolderId") if isinstance(body, Mapping) else None
        return await self._rows.find(unit.connection, given)

    async def _folders(self, unit: EntryUnit, body: Mapping[str, Any]) -> list[FolderRow]:
        """Return the folders in a body, sorted by id."""
        wanted = sorted(
            {folder_id for one in body.get("folderIds", ()) if (folder_id := read_folder_id(one)) is not None}
        )
        return await self._rows.find_many(unit.connection, wanted)

    async def _inside(self, unit: EntryUnit, folders: Sequence[FolderRow]) -> tuple[list[int], list[int]]:
        return await self._library.below(unit, [one.path for one in folders]) if folders else ([], [])

    async def _move_folders(
        self, unit: EntryUnit, folders: Sequence[FolderRow], target: FolderRow | None, actor: Actor
    ) -> None:
        # Deepest first: a folder that moves out of another moved folder must not move with it.
        for folder in sorted(folders, key=lambda one: len(one.path), reverse=True):
            path = f"{target.path if target else ''}/{folder.path.rpartition('/')[2]}"
            if path != folder.path:
                await self._rows.move_paths(unit.connection, folder.path, path)
        if folders:
            ids = [folder.id for folder in folders]
            parent = {"parent": target and target.id}
            await unit.update_many(self._folder_type, ids, parent, actor_id=actor.creator_id)

    async def _check_names(self, unit: EntryUnit, folders: Sequence[FolderRow], target: FolderRow | None) -> None:
        """Raise ValidationError if folder names are taken at the destination, or occur twice."""
        if not folders:
            return
        moved = {folder.id for folder in folders}
        names = [folder.name for folder in folders]
        taken = await self._rows.names_in(unit.connection, target.id if target else None, moved)
        wrong = [name for name in dict.fromkeys(names) if name in taken or names.count(name) > 1]
        if wrong:
            raise ValidationError.from_problems([Problem((), f"some folders already exists: {', '.join(wrong)}")])

    async def _changed(self, unit: EntryUnit, files: Iterable[int], folders: Iterable[int]) -> ChangedItems:
        asked = ((self._file_type, list(files)), (self._folder_type, list(folders)))
        changed = [await self._library.serialize(unit, kind, ids) if ids else b"[]" for kind, ids in asked]
        return changed[0], changed[1]


def _portions(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the ids in batches that fit in one statement."""
    return (ids[start : start + MOST_AT_ONCE] for start in range(0, len(ids), MOST_AT_ONCE))


def _ids(body: Mapping[str, Any], name: str) -> set[int]:
    """Return the valid ids in a list."""
    return {entry_id for one in body.get(name, ()) if (entry_id := read_entry_id(one)) is not None}


def _movement(target: FolderRow | None) -> Record:
    is_there = rule("destination folder does not exist", lambda _: target is not None)
    place = Id(DEFINED, is_there, nullable=True)
    return Record({"destinationFolderId": place, "fileIds": _IDS, "folderIds": _IDS}, closed=True)


def _check_outside(folders: Sequence[FolderRow], target: FolderRow | None) -> None:
    around = [one.name for one in folders if target and f"{target.path}/".startswith(f"{one.path}/")]
    if around:
        said = f"folders cannot be moved inside themselves or one of its children: {', '.join(around)}"
        raise ValidationError.from_problems([Problem((), said)])
