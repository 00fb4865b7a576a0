"""Entries that use a file. v4 has no such endpoint."""

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.admin.names import READ_FILES
from octavo.api.admin.answers import plain_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.media import FileUsesAnswer
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.manager.file_uses import FileUse, FileUses
from octavo.content.manager.library import Library
from octavo.query.numbers import read_entry_id


class FileUseEndpoints:
    """`/octavo/files/:id/uses`"""

    operations = (
        AdminOperation(
            "GET",
            "/octavo/files/:id/uses",
            "uses",
            "List the entries that use a file",
            (READ_FILES,),
            answers=FileUsesAnswer,
        ),
    )

    def __init__(self, library: Library, uses: FileUses) -> None:
        self._library = library
        self._uses = uses

    async def uses(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/files/:id/uses: requires the permission to read the file."""
        file_id = read_entry_id(request.path_values["id"])
        await self._library.file(file_id, actor)
        found, hidden = await self._uses.of(file_id or 0, actor)
        return plain_answer({"data": [_shown(use) for use in found], "hidden": hidden})


def _shown(use: FileUse) -> dict[str, object]:
    return {
        "uid": use.content_type.uid,
        "kind": "singleType" if use.content_type.is_single else "collectionType",
        "type": use.content_type.display_name,
        "id": use.entry_id,
        "label": use.label,
        "field": use.field,
    }
