"""REST endpoints for uploads: add, replace, describe and delete files. Responses have no envelope.

Adding a file to an entry (`ref`, `refId`, `field`) requires the permission to update entries of its type.
"""

from collections.abc import Mapping
from typing import Any

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.permissions import NOTHING
from octavo.api.http.body import read_body
from octavo.api.http.form_data import UploadedFile
from octavo.api.http.query_string import parse_form
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.api.http.uploads import FILE_INFO, read_info, read_infos, replaced_file, sent_files
from octavo.api.rest.endpoints import read_id
from octavo.content.controllers.content import ContentController
from octavo.content.media.files import FileService, UploadTarget
from octavo.content.media.library import FileInfo
from octavo.content.media.upload_target import check_replacing, read_upload_target
from octavo.content.reader import PreparedRead
from octavo.core.errors import NotFoundError, Problem, ValidationError
from octavo.core.forms.printing import MISSING
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import FILE


class UploadEndpoints:
    """`/upload`"""

    def __init__(self, files: FileService, controller: ContentController) -> None:
        self._files = files
        self._controller = controller
        request = ReadRequest(
            content_type=controller.registry.content_types[FILE], by=By.ID, projection=Form.FLAT, drafts=Drafts.ANY
        )
        self._signed = controller.reads.prepare(request, None)
        self._unsigned = self._signed
        if controller.reader.withholds_private:
            self._unsigned = controller.reads.prepare(request, NOTHING)

    def _answer(self, actor: Actor) -> PreparedRead:
        """Return the read of the response, with signed URLs of private files only for callers with permission."""
        return self._signed if actor.ability.reads_private_files else self._unsigned

    async def upload(self, request: Request, actor: Actor) -> Response:
        """POST /api/upload: adds files. With `?id=`, replaces a file or its description."""
        body = await read_body(request, parse_form)
        said = body.value if isinstance(body.value, Mapping) else {}
        files = sent_files(body)
        file_id = replaced_file(request)
        if file_id is None:
            return await self._add(request, files, said, actor)
        check_replacing(actor, destroys=self._controller.writer.rules.destroy_replaced)
        if len(files) > 1:
            raise ValidationError("Cannot replace a file with multiple ones")
        info = read_info(said.get(FILE_INFO, MISSING))
        if not files:
            return Response(200, await self._files.describe(file_id, info, self._answer(actor)))
        return Response(200, await self._files.replace(file_id, files[0], info, self._answer(actor)))

    async def destroy(self, request: Request, actor: Actor) -> Response:
        """DELETE /api/upload/files/:id: returns the deleted file."""
        try:
            return Response(200, await self._files.delete(read_id(request), self._answer(actor)))
        except NotFoundError:
            raise NotFoundError("file.notFound") from None

    async def _add(
        self, request: Request, files: tuple[UploadedFile, ...], said: Mapping[str, Any], actor: Actor
    ) -> Response:
        if not files:
            raise ValidationError("Files are empty")
        infos = _read_infos(said, len(files))
        place = self._place(request, said, actor)
        path = _text(said, "path")
        shown = await self._files.add(files, infos, self._answer(actor), place, path, actor.creator_id)
        return Response(200, b"[" + b",".join(shown) + b"]")

    def _place(self, request: Request, said: Mapping[str, Any], actor: Actor) -> UploadTarget | None:
        """Return the entry and field to add the files to, or None if the body does not name them completely."""
        ref, field, entry_id = _text(said, "ref"), _text(said, "field"), said.get("refId")
        digits_only = request.options.digit_ids
        registry, guarded = self._controller.registry, self._controller.guarded_updates
        return read_upload_target(registry, actor, ref, entry_id, field, guarded=guarded, digits_only=digits_only)


def _read_infos(said: Mapping[str, Any], count: int) -> tuple[FileInfo, ...]:
    value = said.get(FILE_INFO, MISSING)
    return read_infos(value) if count > 1 else (read_info(value),)


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    if value is None or isinstance(value, str):
        return value or ""
    raise _wrong(name, f"{name} must be given once, as a string")


def _wrong(name: str, message: str) -> ValidationError:
    return ValidationError.from_problems([Problem((name,), message)])
