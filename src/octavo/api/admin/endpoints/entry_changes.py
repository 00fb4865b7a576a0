"""Content manager endpoints that change and publish entries of collection types and single types."""

from typing import Any, Final

from octavo.access.authorization.ability import CREATE, UPDATE
from octavo.access.authorization.actor import Actor
from octavo.accounts.users.content_manager_accounts import AccountWrites
from octavo.api.admin.answers import data_answer, plain_answer
from octavo.api.admin.endpoints.entries import PREFIX, read_id
from octavo.api.admin.endpoints.preconditions import entry_answer, expected_version
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import BatchEdit, EntryIds, InvalidEntries, RepublishInput
from octavo.api.admin.schemas.media import Counted
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.controllers.write_policy import Write
from octavo.content.controllers.writing import DELETE
from octavo.content.manager.entry_actions import PUBLISH, EntryActions
from octavo.content.manager.entry_writes import EntryWrites
from octavo.content.manager.managed_types import managed_single, managed_type
from octavo.core.clock import this_moment
from octavo.core.errors import (
    ForbiddenError,
    NotFoundError,
    OctavoError,
    Problem,
    ValidationError,
    problems_of,
)
from octavo.core.forms import REQUIRED, Id, Items, Record, Text, at_least, check
from octavo.query.dates import read_instant
from octavo.query.numbers import read_entry_id
from octavo.schema.content_types import USER, ContentType

_IDS: Final = Record({"ids": Items(Id(), at_least(1), REQUIRED)})
MOST_EDITED: Final = 100
"""The maximum number of entries in a batch edit, so that the request ends before clients give up."""
_SEEN: Final = Record({"id": Id(REQUIRED), "updatedAt": Text()}, closed=True)
_BATCH: Final = Record({"entries": Items(_SEEN, at_least(1), REQUIRED)})
_ACTIONS: Final = f"{PREFIX}/actions"


class EntryChangeEndpoints:
    """`/content-manager/collection-types/:uid`. Permissions depend on the content type and the entry."""

    operations = (
        AdminOperation("POST", PREFIX, "create", "Create an entry"),
        AdminOperation("PUT", f"{PREFIX}/:id", "update", "Update an entry"),
        AdminOperation("DELETE", f"{PREFIX}/:id", "delete", "Delete an entry"),
        AdminOperation("POST", f"{PREFIX}/clone/:id", "clone", "Duplicate an entry"),
        AdminOperation("POST", f"{PREFIX}/auto-clone/:id", "auto_clone", "Duplicate an entry unchanged"),
        AdminOperation("POST", f"{PREFIX}/:id/actions/publish", "publish", "Publish an entry"),
        AdminOperation("POST", f"{PREFIX}/:id/actions/unpublish", "unpublish", "Unpublish an entry"),
        AdminOperation(
            "POST",
            "/octavo/batch-edits/:uid",
            "update_many",
            "Update entries with the same values",
            body=BatchEdit,
            answer=InvalidEntries,
        ),
        AdminOperation("POST", f"{_ACTIONS}/bulkPublish", "publish_many", "Publish entries"),
        AdminOperation("POST", f"{_ACTIONS}/bulkUnpublish", "unpublish_many", "Unpublish entries"),
        AdminOperation("POST", f"{_ACTIONS}/bulkDelete", "delete_many", "Remove entries"),
    )

    def __init__(self, writes: EntryWrites, actions: EntryActions, accounts: AccountWrites) -> None:
        self._writes = writes
        self._accounts = accounts
        self._actions = actions

    async def create(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/collection-types/:uid"""
        content_type = self._type(request, actor, CREATE)
        write = await read_body(request)
        if content_type.uid == USER:
            return entry_answer(await self._accounts.create(write, actor), 201)
        locale, related = read_localization(request)
        return entry_answer(await self._writes.create(content_type, write, actor, locale, related))

    async def update(self, request: Request, actor: Actor) -> Response:
        """PUT /content-manager/collection-types/:uid/:id"""
        content_type = self._type(request, actor, UPDATE)
        write, entry_id = await read_body(request), read_id(request)
        with expected_version(request) as version:
            return entry_answer(await self._update(content_type, entry_id, write, actor, version))

    async def update_many(self, request: Request, actor: Actor) -> Response:
        """POST /octavo/batch-edits/:uid: updates each entry as `update` does, in its own transaction.

        Returns the entries that were not updated, with the reasons.
        """
        content_type = self._type(request, actor, UPDATE)
        seen, write = await _read_batch(request)
        failed = []
        for entry_id, version in seen.items():
            try:
                await self._update(content_type, entry_id, write, actor, version)
            except OctavoError as error:
                failed.append({"id": entry_id, "errors": [one.as_json() for one in problems_of(error)]})
        return data_answer(failed)

    async def _update(
        self, content_type: ContentType, entry_id: int, write: Write, actor: Actor, version: str | None
    ) -> bytes:
        if content_type.uid == USER:
            return await self._accounts.update(entry_id, write, actor, version)
        return await self._writes.update(content_type, entry_id, write, actor, version)

    async def delete(self, request: Request, actor: Actor) -> Response:
        """DELETE /content-manager/collection-types/:uid/:id"""
        content_type = self._type(request, actor, DELETE)
        return entry_answer(await self._writes.delete(content_type, read_id(request), actor))

    async def clone(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/collection-types/:uid/clone/:id"""
        content_type = self._type(request, actor, CREATE)
        write = await read_body(request)
        if content_type.uid == USER:
            return entry_answer(await self._accounts.clone(read_id(request), write, actor))
        return entry_answer(await self._actions.clone(content_type, read_id(request), write, actor))

    async def auto_clone(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/collection-types/:uid/auto-clone/:id"""
        content_type = self._type(request, actor, CREATE)
        return entry_answer(await self._actions.auto_clone(content_type, read_id(request), actor))

    async def publish(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/collection-types/:uid/:id/actions/publish"""
        content_type = self._with_drafts(request, actor)
        return await self._publish(content_type, request, actor, published=True)

    async def unpublish(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/collection-types/:uid/:id/actions/unpublish"""
        content_type = self._with_drafts(request, actor)
        return await self._publish(content_type, request, actor, published=False)

    async def _publish(self, content_type: ContentType, request: Request, actor: Actor, *, published: bool) -> Response:
        entry_id = read_id(request)
        with expected_version(request) as version:
            entry = await self._actions.publish(content_type, entry_id, actor, published=published, seen=version)
        return entry_answer(entry)

    async def publish_many(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/collection-types/:uid/actions/bulkPublish"""
        content_type = self._with_drafts(request, actor)
        ids = await read_ids(request)
        return counted(await self._actions.publish_many(content_type, ids, actor, published=True))

    async def unpublish_many(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/collection-types/:uid/actions/bulkUnpublish"""
        content_type = self._with_drafts(request, actor)
        ids = await read_ids(request)
        return counted(await self._actions.publish_many(content_type, ids, actor, published=False))

    async def delete_many(self, request: Request, actor: Actor) -> Response:
        """POST /content-manager/collection-types/:uid/actions/bulkDelete"""
        content_type = self._type(request, actor, DELETE)
        return counted(await self._actions.delete_many(content_type, await read_ids(request), actor))

    def _type(self, request: Request, actor: Actor, action: str) -> ContentType:
        return managed_type(self._writes.registry, request.path_values["uid"], actor, action)

    def _with_drafts(self, request: Request, actor: Actor) -> ContentType:
        content_type = self._type(request, actor, PUBLISH)
        check_drafts(content_type)
        return content_type


def check_drafts(content_type: ContentType) -> None:
    """Raise ForbiddenError for types without drafts, whose entries cannot be published."""
    if not content_type.draft_and_publish:
        raise ForbiddenError


def read_localization(request: Request) -> tuple[Any, int | None]:
    """Return `locale` and `relatedEntityId` from the query of a new entry, None if missing and -1 for an invalid id."""
    params = read_params(request)
    related = params.get("relatedEntityId")
    if related in (None, ""):
        return params.get("locale"), None
    entry_id = read_entry_id(related)
    return params.get("locale"), -1 if entry_id is None else entry_id


async def read_body(request: Request) -> Write:
    """Read the values of an entry from the body."""
    body = await request.body()
    return Write(await request.json(), size=len(body))


async def read_ids(request: Request) -> list[int | None]:
    """Return the `ids` of the body, None for an invalid id. Raises ValidationError."""
    body = await request.json()
    check(_IDS, body)
    return [read_entry_id(one, digits_only=True) for one in body["ids"]]


async def _read_batch(request: Request) -> tuple[dict[int, str | None], Write]:
    """Return the expected `updatedAt` of each entry, None for any, and the values to write. Raises ValidationError."""
    size = len(await request.body())
    body = await request.json()
    check(_BATCH, body)
    data = body.get("data")
    if not isinstance(data, dict) or not data:
        raise ValidationError.from_problems([Problem(("data",), "data must be an object with at least one field")])
    if len(body["entries"]) > MOST_EDITED:
        message = f"At most {MOST_EDITED} entries can be edited at once, got {len(body['entries'])}"
        raise ValidationError.from_problems([Problem(("entries",), message)])
    seen: dict[int, str | None] = {}
    for index, one in enumerate(body["entries"]):
        entry_id = read_entry_id(one["id"], digits_only=True)
        if entry_id is None:
            raise ValidationError.from_problems(
                [Problem(("entries", str(index), "id"), "id must be a positive integer")]
            )
        seen[entry_id] = one.get("updatedAt")
    return seen, Write(data, size=size)


def counted(count: int) -> Response:
    """Return a response with the number of changed entries."""
    return plain_answer({"count": count})


_ENTRY: Final = Record({"id": Id(REQUIRED), "publishedAt": Text(REQUIRED)}, closed=True)
_FORM: Final = Record({"entries": Items(_ENTRY, at_least(1), REQUIRED)}, closed=True)


class PublicationEndpoints:
    """`/octavo/publications/:uid` and `/octavo/incomplete-drafts/:uid`"""

    operations = (
        AdminOperation(
            "POST",
            "/octavo/publications/:uid",
            "publish",
            "Publish entries with their previous publication dates",
            body=RepublishInput,
            answer=Counted,
        ),
        AdminOperation(
            "POST",
            "/octavo/incomplete-drafts/:uid",
            "incomplete",
            "List drafts that cannot be published",
            body=EntryIds,
            answer=InvalidEntries,
            safe=True,
        ),
    )

    def __init__(self, actions: EntryActions) -> None:
        self._actions = actions

    async def incomplete(self, request: Request, actor: Actor) -> Response:
        """POST /octavo/incomplete-drafts/:uid: checks entries as `bulkPublish` does, and reports all of them."""
        content_type = self._type(request, actor)
        incomplete = await self._actions.incomplete(content_type, await read_ids(request), actor)
        return data_answer(
            [{"id": entry_id, "errors": [one.as_json() for one in problems]} for entry_id, problems in incomplete]
        )

    async def publish(self, request: Request, actor: Actor) -> Response:
        """POST /octavo/publications/:uid: undoes `bulkUnpublish`, in one transaction."""
        content_type = self._type(request, actor)
        body = await request.json()
        check(_FORM, body)
        moments: dict[int | None, int] = {}
        for one in body["entries"]:
            moments[read_entry_id(one["id"], digits_only=True)] = _past(one["publishedAt"])
        return plain_answer({"count": await self._actions.publish_as_before(content_type, moments, actor)})

    def _type(self, request: Request, actor: Actor) -> ContentType:
        content_type = managed_type(self._actions.registry, request.path_values["uid"], actor, PUBLISH)
        check_drafts(content_type)
        return content_type


def _past(text: str) -> int:
    moment = read_instant(text)
    if moment > this_moment():
        raise ValidationError("publishedAt must not be in the future")
    return moment


SINGLE_TYPES: Final = "/content-manager/single-types/:uid"


class SingleTypeChangeEndpoints:
    """`/content-manager/single-types/:uid`, with `locale` for localized types. Permissions depend on the entry."""

    operations = (
        AdminOperation("PUT", SINGLE_TYPES, "save", "Create or update the entry of a single type"),
        AdminOperation("DELETE", SINGLE_TYPES, "delete", "Delete the entry of a single type"),
        AdminOperation("POST", f"{SINGLE_TYPES}/actions/publish", "publish", "Publish the entry of a single type"),
        AdminOperation(
            "POST", f"{SINGLE_TYPES}/actions/unpublish", "unpublish", "Unpublish the entry of a single type"
        ),
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
