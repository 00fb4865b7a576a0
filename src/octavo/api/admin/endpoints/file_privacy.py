"""Private files. v4 has no such endpoint."""

from functools import partial
from typing import Final

from octavo.access.authorization.ability import UPDATE
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.names import READ_FILES
from octavo.api.admin.answers import NO_STORE, data_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.media import MediaFile, PrivacyAnswer, PrivacyForm
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.entry_unit import EntryUnit
from octavo.content.manager.library import MISSING_FILE, Library
from octavo.content.media.files import FileService
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

    def __init__(self, library: Library, files: FileService) -> None:
        self._library = library
        self._files = files

    async def privacy(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/files/:id/privacy: requires the permission to read the file."""
        file_id = _file_id(request)
        await self._library.file(file_id, actor)
        is_private, can_change = await self._files.privacy(file_id)
        return data_answer({"private": is_private, "canChange": can_change})

    async def set_privacy(self, request: Request, actor: Actor) -> Response:
        """PUT /octavo/files/:id/privacy: requires the permission to change the file."""
        file_id = _file_id(request)
        await self._library.check_file(file_id, actor.ability)
        body = await request.json()
        check(_FORM, body)
        guard = partial(self._check, actor)
        file = await self._files.set_private(
            file_id, self._library.file_answer, actor.creator_id, guard, private=body["private"]
        )
        return Response(200, file, headers=NO_STORE)

    async def _check(self, actor: Actor, unit: EntryUnit, file_id: int) -> None:
        await self._library.guard(unit, [file_id], actor.ability, UPDATE)


def _file_id(request: Request) -> int:
    """Return the id in the path. Raises NotFoundError."""
    file_id = read_entry_id(request.path_values["id"])
    if file_id is None:
        raise NotFoundError(MISSING_FILE)
    return file_id
