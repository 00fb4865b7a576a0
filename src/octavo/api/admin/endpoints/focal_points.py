"""Focal points of images. v4 has no such endpoint."""

from functools import partial
from typing import Final

from octavo.access.authorization.ability import UPDATE
from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import NO_STORE
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.media import FocalPointForm, MediaFile
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.entry_unit import EntryUnit
from octavo.content.manager.library_access import MISSING_FILE, Library
from octavo.content.media.files import FileService
from octavo.content.media.focal_points import FocalPoint
from octavo.core.errors import NotFoundError
from octavo.core.forms import DEFINED, REQUIRED, Number, Record, at_least, at_most, check
from octavo.query.numbers import read_entry_id

_FRACTION: Final = Number(at_least(0), at_most(1), REQUIRED)
_FORM: Final = Record(
    {"focalPoint": Record({"x": _FRACTION, "y": _FRACTION}, DEFINED, nullable=True, closed=True)}, closed=True
)


class FocalPointEndpoints:
    """`/octavo/files/:id/focal-point`"""

    operations = (
        AdminOperation(
            "PUT",
            "/octavo/files/:id/focal-point",
            "focus",
            "Set an image's focal point",
            body=FocalPointForm,
            answer=MediaFile,
        ),
    )

    def __init__(self, library: Library, files: FileService) -> None:
        self._library = library
        self._files = files

    async def focus(self, request: Request, actor: Actor) -> Response:
        """PUT /octavo/files/:id/focal-point: requires the permission to change the file.

        `null` removes the focal point.
        """
        file_id = read_entry_id(request.path_values["id"])
        if file_id is None:
            raise NotFoundError(MISSING_FILE)
        await self._library.check_file(file_id, actor.ability)
        body = await request.json()
        check(_FORM, body)
        given = body["focalPoint"]
        point = None if given is None else FocalPoint(x=float(given["x"]), y=float(given["y"]))
        guard = partial(self._check, actor)
        file = await self._files.focus(file_id, point, self._library.file_answer, actor.creator_id, guard)
        return Response(200, file, headers=NO_STORE)

    async def _check(self, actor: Actor, unit: EntryUnit, file_id: int) -> None:
        await self._library.guard(unit, [file_id], actor.ability, UPDATE)
