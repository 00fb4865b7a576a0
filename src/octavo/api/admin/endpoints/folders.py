"""Media library endpoints for folders, and for bulk actions on files and folders."""

from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.names import ADD_FILES, CHANGE_FILES, READ_FILES
from octavo.api.admin.answers import NO_STORE, data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.media import FolderAnswer, FolderForm, FoldersAnswer, FolderTreeAnswer, Moved, Removed
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.entry_unit import EntryUnit
from octavo.content.manager.library import Library
from octavo.content.manager.library_changes import ChangedItems, LibraryChanges
from octavo.content.media.folder_service import FolderService
from octavo.query.numbers import read_entry_id

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
