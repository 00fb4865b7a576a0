"""Content manager endpoints that change the entries of single types."""

from typing import Final

from octavo.access.authorization.actor import Actor
from octavo.api.admin.endpoints.entry_changes import check_drafts, read_body, read_localization
from octavo.api.admin.endpoints.preconditions import entry_answer, expected_version
from octavo.api.admin.operations import AdminOperation
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.controllers.writing import DELETE
from octavo.content.manager.entry_actions import PUBLISH, EntryActions
from octavo.content.manager.entry_writes import EntryWrites
from octavo.content.manager.managed_types import managed_single
from octavo.core.errors import NotFoundError
from octavo.schema.content_types import ContentType

PREFIX: Final = "/content-manager/single-types/:uid"


class SingleTypeChangeEndpoints:
    """`/content-manager/single-types/:uid`, with `locale` for localized types. Permissions depend on the entry."""

    operations = (
        AdminOperation("PUT", PREFIX, "save", "Create or update the entry of a single type"),
        AdminOperation("DELETE", PREFIX, "delete", "Delete the entry of a single type"),
        AdminOperation("POST", f"{PREFIX}/actions/publish", "publish", "Publish the entry of a single type"),
        AdminOperation("POST", f"{PREFIX}/actions/unpublish", "unpublish", "Unpublish the entry of a single type"),
    )

    def __init__(self, writes: EntryWrites, actions: EntryActions) -> None:
        self._writes = writes
        self._actions = actions

    async def save(self, request: Request, actor: Actor) -> Response:
        """PUT /content-manager/single-types/:uid"""
        content_type = managed_single(self._writes.registry, request.path_values["uid"], actor, "create", "update")
        write = await read_body(request)
        locale, related = read_localization(request)
        with expected_version(request) as version:
            entry = await self._writes.save_single(content_type, write, actor, locale, related, version)
        return entry_answer(entry)

    async def delete(self, request: Request, actor: Actor) -> Response:
        """DELETE /content-manager/single-types/:uid"""
        content_type, entry_id = await self._entry(request, actor, DELETE)
        return entry_answer(await self._writes.delete(content_type, entry_id, actor))

    async def publish(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/single-types/:uid/actions/publish"""
        return await self._publish(request, actor, published=True)

    async def unpublish(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/single-types/:uid/actions/unpublish"""
        return await self._publish(request, actor, published=False)

    async def _publish(self, request: Request, actor: Actor, *, published: bool) -> Response:
        content_type, entry_id = await self._entry(request, actor, PUBLISH)
        check_drafts(content_type)
        with expected_version(request) as version:
            entry = await self._actions.publish(content_type, entry_id, actor, published=published, seen=version)
        return entry_answer(entry)

    async def _entry(self, request: Request, actor: Actor, action: str) -> tuple[ContentType, int]:
        """Return the requested entry. Raises ForbiddenError and NotFoundError."""
        content_type = managed_single(self._writes.registry, request.path_values["uid"], actor, action)
        entry_id = await self._writes.single_id(content_type, read_params(request).get("locale"))
        if entry_id is None:
            raise NotFoundError
        return content_type, entry_id
