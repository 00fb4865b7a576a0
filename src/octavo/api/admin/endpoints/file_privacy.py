"""Private files and folders. v4 has no such endpoint."""

from functools import partial
from typing import Final

from octavo.access.authorization.ability import UPDATE
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.names import CHANGE_FILES, READ_FILES
from octavo.api.admin.answers import NO_STORE, data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.media import MediaFile, PrivacyAnswer, PrivacyForm, PrivateFoldersAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.entry_unit import EntryUnit
from octavo.content.manager.library_access import MISSING_FILE, Library
from octavo.content.media.file_privacy import FilePrivacy
from octavo.content.media.folder_service import MISSING_FOLDER, FolderService
from octavo.core.errors import NotFoundError
from octavo.core.forms import REQUIRED, Flag, Record, check
from octavo.query.numbers import read_entry_id

_FORM: Final = Record({"private": Flag(REQUIRED)}, closed=True)


class FilePrivacyEndpoints:
    """`/octavo/files/:id/privacy`"""

    operations = (
        AdminOperation(
            "GET",
            "/octavo/files/:id/privacy",
            "privacy",
            "Show whether a file is private",
            (READ_FILES,),
            answer=PrivacyAnswer,
        ),
        AdminOperation(
            "PUT",
            "/octavo/files/:id/privacy",
            "set_privacy",
            "Make a file private or public",
            body=PrivacyForm,
            answer=MediaFile,
        ),
    )

    def __init__(self, library: Library, privacy: FilePrivacy) -> None:
        self._library = library
        self._privacy = privacy

    async def privacy(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/files/:id/privacy: requires the permission to read the file."""
        file_id = _file_id(request)
        await self._library.file(file_id, actor)
        shown = await self._privacy.show(file_id)
        return data_answer({"private": shown.private, "canChange": shown.can_change, "byFolder": shown.by_folder})

    async def set_privacy(self, request: Request, actor: Actor) -> Response:
        """PUT /octavo/files/:id/privacy: requires the permission to change the file."""
        file_id = _file_id(request)
        await self._library.check_file(file_id, actor.ability)
        body = await request.json()
        check(_FORM, body)
        guard = partial(self._check, actor)
        file = await self._privacy.set(
            file_id, self._library.file_answer, actor.creator_id, guard, private=body["private"]
        )
        return Response(200, file, headers=NO_STORE)

    async def _check(self, actor: Actor, unit: EntryUnit, file_id: int) -> None:
        await self._library.guard(unit, [file_id], actor.ability, UPDATE)


def _file_id(request: Request, message: str = MISSING_FILE) -> int:
    """Return the id in the path. Raises NotFoundError."""
    file_id = read_entry_id(request.path_values["id"])
    if file_id is None:
        raise NotFoundError(message)
    return file_id


class FolderPrivacyEndpoints:
    """`/octavo/private-folders` and `/octavo/folders/:id/privacy`"""

    operations = (
        AdminOperation(
            "GET",
            "/octavo/private-folders",
            "find",
            "List the private folders",
            (READ_FILES,),
            answer=PrivateFoldersAnswer,
        ),
        AdminOperation(
            "PUT",
            "/octavo/folders/:id/privacy",
            "set_privacy",
            "Make a folder private or public, with the files in it",
            (CHANGE_FILES,),
            body=PrivacyForm,
            answer=PrivateFoldersAnswer,
        ),
    )

    def __init__(self, library: Library, folders: FolderService, privacy: FilePrivacy) -> None:
        self._library = library
        self._folders = folders
        self._privacy = privacy

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/private-folders"""
        return await self._answer()

    async def set_privacy(self, request: Request, actor: Actor) -> Response:
        """PUT /octavo/folders/:id/privacy: requires the permission to change all files in the folder."""
        folder_id = _file_id(request, MISSING_FOLDER)
        body = await request.json()
        check(_FORM, body)

        async def guard(unit: EntryUnit, path: str) -> None:
            await self._library.guard_folders(unit, [path], actor.ability)

        await self._folders.set_private(folder_id, actor.creator_id, guard, private=body["private"])
        return await self._answer()

    async def _answer(self) -> Response:
        ids = await self._folders.private_ids()
        return data_answer({"ids": ids, "canChange": self._privacy.is_enabled})
