"""Endpoints of the media library: files with their focal points, folders, and bulk actions on both.

Permissions to describe or replace a file depend on the file, so a missing one is reported first, as in the reference.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from octavo.access.authorization.ability import UPDATE
from octavo.access.authorization.actor import Actor, check
from octavo.access.authorization.admin.names import ADD_FILES, CHANGE_FILES, READ_FILES
from octavo.api.admin.answers import NO_STORE, data_answer, page_answer, plain_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.media import (
    ChangedFilesAnswer,
    ChangedFileTexts,
    FileUsesAnswer,
    FolderAnswer,
    FolderForm,
    FoldersAnswer,
    FolderTreeAnswer,
    MediaFile,
    MediaPage,
    Moved,
    Removed,
)
from octavo.api.admin.schemas.project import ImageSettings, ImageSettingsAnswer
from octavo.api.http.body import read_body
from octavo.api.http.query_string import parse_form, read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.uploads import FILE_INFO, read_info, replaced_file, sent_files
from octavo.content.entry_unit import EntryUnit
from octavo.content.manager.file_uses import FileUse, FileUses
from octavo.content.manager.library_access import MISSING_FILE, Library
from octavo.content.manager.library_changes import DELETE, ChangedItems, LibraryChanges
from octavo.content.manager.library_settings import LibrarySettings
from octavo.content.media.file_privacy import Guard
from octavo.content.media.files import FileService
from octavo.content.media.folder_service import FolderService
from octavo.core.errors import ApplicationError, NotFoundError
from octavo.core.forms.printing import MISSING
from octavo.query.numbers import read_entry_id
from octavo.schema.content_types import UPLOAD

FILES: Final = "/upload/files"


class FileEndpoints:
    """`/upload` and `/upload/files`"""

    operations = (
        AdminOperation("GET", FILES, "find", "List files", (READ_FILES,), answer=MediaPage),
        AdminOperation("GET", f"{FILES}/:id", "find_one", "Show a file", (READ_FILES,), answer=MediaFile),
        AdminOperation("DELETE", f"{FILES}/:id", "delete", "Delete a file", (CHANGE_FILES,)),
        AdminOperation("POST", "/upload", "upload", "Upload files; with an ID, replace or update a file"),
    )

    def __init__(self, library: Library, files: FileService) -> None:
        self._library = library
        self._files = files

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /upload/files"""
        files, page, total = await self._library.files(request.query, lambda: read_params(request), actor)
        return page_answer(files, page, total)

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /upload/files/:id"""
        file_id = read_entry_id(request.path_values["id"])
        return Response(200, await self._library.file(file_id, actor), headers=NO_STORE)

    async def delete(self, request: Request, actor: Actor) -> Response:
        """DELETE /upload/files/:id"""
        file_id = read_entry_id(request.path_values["id"])
        if file_id is None:
            raise NotFoundError(MISSING_FILE)
        answer = self._library.gone_answer
        return Response(200, await self._files.delete(file_id, answer, self._guard(actor, DELETE)), headers=NO_STORE)

    async def upload(self, request: Request, actor: Actor) -> Response:
        """POST /upload: add files. With `?id=`, replace a file or its description."""
        file_id = replaced_file(request)
        if file_id is None:
            check(actor, ADD_FILES)
            return await self._add(request, actor)
        await self._library.check_file(file_id, actor.ability)
        body = await read_body(request, parse_form)
        files, info = sent_files(body), read_info(_file_info(body.value))
        creator, guard = actor.creator_id, self._guard(actor, UPDATE)
        if len(files) > 1:
            raise ApplicationError("Cannot replace a file with multiple ones")
        if files:
            answer = self._library.stored_answer
            file = await self._files.replace(file_id, files[0], info, answer, creator, guard, moving=True)
        else:
            answer = self._library.file_answer
            file = await self._files.describe(file_id, info, answer, creator, guard, moving=True)
        return Response(200, file, headers=NO_STORE)

    async def _add(self, request: Request, actor: Actor) -> Response:
        body = await read_body(request, parse_form)
        files = sent_files(body)
        if not files:
            raise ApplicationError("Files are empty")
        infos = [read_info(_file_info(body.value))]
        stored = await self._files.add_to_folders(files, infos, self._library.stored_answer, actor.creator_id)
        return Response(200, b"[%b]" % b",".join(stored), headers=NO_STORE)

    def _guard(self, actor: Actor, action: str) -> Guard:
        return partial(self._check, actor, action)

    async def _check(self, actor: Actor, action: str, unit: EntryUnit, file_id: int) -> None:
        await self._library.guard(unit, [file_id], actor.ability, action)


def _file_info(body: Any) -> Any:
    return body.get(FILE_INFO, MISSING) if isinstance(body, Mapping) else MISSING


class FileUseEndpoints:
    """`/octavo/files/:id/uses`"""

    operations = (
        AdminOperation(
            "GET",
            "/octavo/files/:id/uses",
            "uses",
            "List the entries that use a file",
            (READ_FILES,),
            answer=FileUsesAnswer,
        ),
    )

    def __init__(self, library: Library, uses: FileUses) -> None:
        self._library = library
        self._uses = uses

    async def uses(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/files/:id/uses: requires the permission to read the file."""
        file_id = read_entry_id(request.path_values["id"])
        await self._library.file(file_id, actor)
        uses, hidden = await self._uses.of(file_id or 0, actor)
        return plain_answer({"data": [_shown(use) for use in uses], "hidden": hidden})


def _shown(use: FileUse) -> dict[str, object]:
    return {
        "uid": use.content_type.uid,
        "kind": "singleType" if use.content_type.is_single else "collectionType",
        "type": use.content_type.display_name,
        "id": use.entry_id,
        "label": use.label,
        "locale": use.locale,
        "field": use.field,
    }


class FileTextEndpoints:
    """`/octavo/file-texts`"""

    operations = (
        AdminOperation(
            "PUT",
            "/octavo/file-texts",
            "describe",
            "Update the alternative texts and captions of files",
            (CHANGE_FILES,),
            body=ChangedFileTexts,
            answer=ChangedFilesAnswer,
        ),
    )

    def __init__(self, changes: LibraryChanges) -> None:
        self._changes = changes

    async def describe(self, request: Request, actor: Actor) -> Response:
        """PUT /octavo/file-texts: at most 100 files in one transaction."""
        return _data(await self._changes.describe(await request.json(), actor))


_SETTINGS = (f"{UPLOAD}.settings.read",)
_VIEW = (f"{UPLOAD}.configure-view",)


class LibrarySettingsEndpoints:
    """`/upload/settings` and `/upload/configuration`"""

    operations = (
        AdminOperation(
            "GET",
            "/upload/settings",
            "settings",
            "Show image processing settings",
            _SETTINGS,
            answer=ImageSettingsAnswer,
        ),
        AdminOperation(
            "PUT",
            "/upload/settings",
            "save_settings",
            "Update image processing settings",
            _SETTINGS,
            body=ImageSettings,
        ),
        AdminOperation("GET", "/upload/configuration", "view", "Show the view settings of file lists"),
        AdminOperation("PUT", "/upload/configuration", "save_view", "Update the view settings of file lists", _VIEW),
    )

    def __init__(self, settings: LibrarySettings) -> None:
        self._settings = settings

    async def settings(self, request: Request, actor: Actor) -> Response:
        """GET /upload/settings"""
        return data_answer(await self._settings.settings())

    async def save_settings(self, request: Request, actor: Actor) -> Response:
        """PUT /upload/settings"""
        return data_answer(await self._settings.save_settings(await request.json()))

    async def view(self, request: Request, actor: Actor) -> Response:
        """GET /upload/configuration"""
        return data_answer(await self._settings.view())

    async def save_view(self, request: Request, actor: Actor) -> Response:
        """PUT /upload/configuration"""
        return data_answer(await self._settings.save_view(await request.json()))


FOLDERS: Final = "/upload/folders"
_ACTIONS: Final = "/upload/actions"


class FolderEndpoints:
    """`/upload/folders`, `/upload/folder-structure` and `/upload/actions`"""

    operations = (
        AdminOperation("GET", FOLDERS, "find", "List folders", (READ_FILES,), answer=FoldersAnswer),
        AdminOperation("GET", f"{FOLDERS}/:id", "find_one", "Show a folder", (READ_FILES,), answer=FolderAnswer),
        AdminOperation(
            "GET",
            "/upload/folder-structure",
            "tree",
            "List all folders as a tree",
            (READ_FILES,),
            answer=FolderTreeAnswer,
        ),
        AdminOperation(
            "POST", FOLDERS, "create", "Create a folder", (ADD_FILES,), body=FolderForm, answer=FolderAnswer
        ),
        AdminOperation(
            "PUT",
            f"{FOLDERS}/:id",
            "update",
            "Rename or move a folder",
            (CHANGE_FILES,),
            body=FolderForm,
            answer=FolderAnswer,
        ),
        AdminOperation(
            "POST", f"{_ACTIONS}/bulk-delete", "delete", "Delete files and folders", (CHANGE_FILES,), body=Removed
        ),
        AdminOperation("POST", f"{_ACTIONS}/bulk-move", "move", "Move files and folders", (CHANGE_FILES,), body=Moved),
    )

    def __init__(self, library: Library, folders: FolderService, changes: LibraryChanges) -> None:
        self._library = library
        self._folders = folders
        self._changes = changes

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /upload/folders"""
        return _data(await self._library.folders(request.query, lambda: read_params(request), actor))

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /upload/folders/:id"""
        folder_id = read_entry_id(request.path_values["id"])
        return _data(await self._library.folder(folder_id, request.query, lambda: read_params(request), actor))

    async def tree(self, request: Request, actor: Actor) -> Response:
        """GET /upload/folder-structure"""
        return data_answer(await self._library.tree())

    async def create(self, request: Request, actor: Actor) -> Response:
        """POST /upload/folders"""
        body = await request.json()
        return _data(await self._folders.create(body, self._library.folder_answer, actor.creator_id))

    async def update(self, request: Request, actor: Actor) -> Response:
        """PUT /upload/folders/:id"""
        body, folder_id = await request.json(), read_entry_id(request.path_values["id"])

        async def guard(unit: EntryUnit, path: str) -> None:
            await self._library.guard_folders(unit, [path], actor.ability)

        answer = self._library.folder_answer
        return _data(await self._folders.update(folder_id, body, answer, actor.creator_id, guard))

    async def delete(self, request: Request, actor: Actor) -> Response:
        """POST /upload/actions/bulk-delete"""
        return _bulk_answer(await self._changes.delete(await request.json(), actor))

    async def move(self, request: Request, actor: Actor) -> Response:
        """POST /upload/actions/bulk-move"""
        return _bulk_answer(await self._changes.move(await request.json(), actor))


def _data(found: bytes) -> Response:
    return Response(200, b'{"data":%b}' % found, headers=NO_STORE)


def _bulk_answer(changed: ChangedItems) -> Response:
    return _data(b'{"files":%b,"folders":%b}' % changed)
