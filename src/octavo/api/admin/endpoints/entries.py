"""Content manager endpoints to read entries: of collection types and single types, recent ones, and their URLs."""

from collections.abc import Mapping
from typing import Any, Final

from octavo.access.authorization.ability import CREATE, FIND
from octavo.access.authorization.actor import Actor
from octavo.api.admin.answers import data_answer, page_answer, plain_answer
from octavo.api.admin.endpoints.preconditions import entry_answer
from octavo.api.admin.operations import AdminOperation
from octavo.api.admin.schemas.content import (
    CalendarAnswer,
    EntryAddressesAnswer,
    EntryPage,
    PlannedAnswer,
    RecentAnswer,
)
from octavo.api.http.query_string import read_params
from octavo.api.http.request import Request
from octavo.api.http.response import Response
from octavo.content.controllers.scheduling import read_time
from octavo.content.manager.entries import ManagedEntries
from octavo.content.manager.managed_types import managed_type
from octavo.content.manager.recent import RecentEntries
from octavo.core.errors import ForbiddenError, NotFoundError, ValidationError
from octavo.query.numbers import read_entry_id
from octavo.schema.content_types import USER, ContentType
from octavo.schema.registry import Registry

PREFIX: Final = "/content-manager/collection-types/:uid"
SINGLE: Final = "/content-manager/single-types/:uid"
_URLS: Final = "/octavo/entry-addresses/:uid"
LONGEST_PERIOD: Final = 45 * 86_400_000
"""The maximum number of milliseconds that a calendar shows."""


class EntryEndpoints:
    """`/content-manager/collection-types/:uid`. Permissions depend on the content type and the entry."""

    operations = (
        AdminOperation("GET", PREFIX, "find", "List entries", answer=EntryPage),
        AdminOperation("GET", f"{PREFIX}/:id", "find_one", "Show an entry", answer=dict[str, Any]),
        AdminOperation("GET", SINGLE, "find_single", "Show the entry of a single type", answer=dict[str, Any]),
    )

    def __init__(self, entries: ManagedEntries) -> None:
        self._entries = entries

    async def find(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/collection-types/:uid"""
        content_type = managed_type(self._entries.registry, request.path_values["uid"], actor)
        entries, page, total = await self._entries.page(
            content_type, request.query, lambda: read_params(request), actor
        )
        return page_answer(entries, page, total)

    async def find_one(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/collection-types/:uid/:id"""
        content_type = managed_type(self._entries.registry, request.path_values["uid"], actor)
        return entry_answer(await self._entries.one(content_type, read_id(request), actor))

    async def find_single(self, request: Request, actor: Actor) -> Response:
        """GET /content-manager/single-types/:uid: 404 if the entry is missing and the caller can create it."""
        ability, uid = actor.ability, request.path_values["uid"]
        may_find = ability.may(FIND, uid)
        content_type = managed_type(self._entries.registry, uid, actor, FIND if may_find else CREATE)
        entry = await self._entries.single(content_type, read_params(request), actor) if may_find else None
        if entry is None:
            raise NotFoundError if ability.may(CREATE, uid) else ForbiddenError
        return entry_answer(entry)


def read_id(request: Request) -> int:
    """Return the id in the path. Raises NotFoundError for other texts."""
    entry_id = read_entry_id(request.path_values["id"])
    if entry_id is None:
        raise NotFoundError
    return entry_id


class EntryAddressEndpoints:
    """`/octavo/entry-addresses/:uid`.

    `prefix` is the content API's, below the path of the public URL. `previews` are URLs with placeholders in
    braces, by UID.
    """

    operations = (AdminOperation("GET", _URLS, "show", "Show the API URLs of entries", answer=EntryAddressesAnswer),)

    def __init__(self, registry: Registry, prefix: str, previews: Mapping[str, str]) -> None:
        self._registry = registry
        self._prefix = prefix
        self._previews = previews

    async def show(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/entry-addresses/:uid: requires the permission to read entries."""
        content_type = managed_type(self._registry, request.path_values["uid"], actor)
        return data_answer({"api": self._address(content_type), "preview": self._previews.get(content_type.uid)})

    def _address(self, content_type: ContentType) -> str | None:
        """Return the path of the content type's public URL in the content API, or None if it has none."""
        if content_type.uid == USER:
            return f"{self._prefix}/users"
        if not content_type.uid.startswith("api::"):
            return None
        name = content_type.singular_name if content_type.is_single else content_type.plural_name
        return f"{self._prefix}/{name}"


class RecentEndpoints:
    """`/octavo/recent`, `/octavo/calendar`, `/octavo/schedules/:uid`: limited to entries that the administrator can
    read."""

    operations = (
        AdminOperation("GET", "/octavo/recent", "recent", "Show recent changes and schedules", answer=RecentAnswer),
        AdminOperation(
            "GET", "/octavo/schedules/:uid", "planned", "Show the schedules of entries", answer=PlannedAnswer
        ),
        AdminOperation(
            "GET", "/octavo/calendar", "calendar", "Show the schedules of all content types", answer=CalendarAnswer
        ),
    )

    def __init__(self, entries: RecentEntries) -> None:
        self._entries = entries

    async def recent(self, _: Request, actor: Actor) -> Response:
        """GET /octavo/recent"""
        changed, drafts = await self._entries.changed(actor), await self._entries.drafts(actor)
        return data_answer({"changed": changed, "drafts": drafts, "planned": await self._entries.planned(actor)})

    async def planned(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/schedules/:uid: the next 200 schedules of entries that the administrator can read."""
        content_type = managed_type(self._entries.registry, request.path_values["uid"], actor)
        return data_answer(await self._entries.planned_of(content_type, actor))

    async def calendar(self, request: Request, actor: Actor) -> Response:
        """GET /octavo/calendar?from=TIME&to=TIME: the first 500 schedules in a period of at most 45 days."""
        params = read_params(request)
        start, end = (_time(name, params.get(name)) for name in ("from", "to"))
        if not start < end <= start + LONGEST_PERIOD:
            raise ValidationError("to must be later than from, and at most 45 days later")
        schedules, is_truncated = await self._entries.calendar(start, end, actor)
        return plain_answer({"data": schedules, "isTruncated": is_truncated})


def _time(name: str, value: object) -> int:
    try:
        return read_time(name, value)
    except ValidationError:
        raise ValidationError(f"{name} must be a time such as 2026-01-31T09:30:00.000Z") from None
