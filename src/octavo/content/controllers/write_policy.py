"""WritePolicy: what an API lets callers write, checked before and after an entry changes.

No query runs for actions that are allowed on all entries.
"""

from collections.abc import Mapping
from dataclasses import field
from functools import partial
from typing import Any

from octavo.access.authorization.ability import CREATE, PUBLISH
from octavo.access.authorization.actor import Actor
from octavo.access.authorization.input_sanitizer import InputSanitizer
from octavo.content.entry_unit import EntryUnit
from octavo.content.media.library import IncomingFile
from octavo.content.reader import EntryReader
from octavo.core.errors import ForbiddenError, NotFoundError
from octavo.core.threads import MOST_COMPUTED_HERE, in_computing_thread
from octavo.core.values import dataclass
from octavo.query.ast import Filter, Query
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.attributes import PUBLISHED_AT
from octavo.schema.content_types import FILE, ContentType


@dataclass(frozen=True, slots=True)
class Write:
    """The data to write: attribute values, and files with their form fields.

    `dates`: `createdAt` and `updatedAt`, if the API allows them. `size`: bytes of the request body, an estimate of how
    long validation takes.
    """

    data: Any
    files: tuple[tuple[str, IncomingFile], ...] = ()
    dates: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0


@dataclass(frozen=True, slots=True)
class Writable:
    """The writable part of a body.

    `conditions` are those of fields that can only be written in some entries. `publishes`: whether a new entry can be
    published; otherwise it is a draft.
    """

    data: Any
    conditions: frozenset[Filter] = frozenset()
    publishes: bool = False


class WritePolicy:
    """The checks of the content APIs: entries outside of an actor's scope do not exist for them.

    `find_files`: linking files requires permission to find them.
    """

    def __init__(self, reader: EntryReader, *, find_files: bool = False) -> None:
        self._reader = reader
        self._registry = reader.registry
        self._find_files = find_files

    async def writable(self, content_type: ContentType, write: Write, actor: Actor, action: str) -> Writable:
        """Return what an actor can write of a body.

        Raises ValidationError, and ForbiddenError if the actor cannot set its publication date or upload its files.
        """
        sanitizer = InputSanitizer(self._registry, actor.ability, action, find_files=self._find_files)
        sanitizing = partial(sanitizer.sanitize, write.data, content_type)
        is_small = write.size <= MOST_COMPUTED_HERE  # decided here, because this runs for every write
        data = sanitizing() if is_small else await in_computing_thread(sanitizing)
        if write.files and actor.ability.scope(FILE, CREATE) is not None:
            raise ForbiddenError
        publishes = not content_type.draft_and_publish or actor.ability.publishes(content_type.uid)
        if not publishes and isinstance(data, Mapping) and PUBLISHED_AT in data:
            raise ForbiddenError
        return Writable(data, publishes=publishes)

    async def check_access(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, actor: Actor, action: str
    ) -> None:
        """Raise NotFoundError if the actor's scope for the action does not include the entry."""
        if not await self.in_scope(unit, content_type, entry_id, actor, action):
            raise NotFoundError

    async def allowed_data(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, found: Writable, actor: Actor, action: str
    ) -> Any:
        """Return the data that can be written in this entry."""
        return found.data

    async def check_result(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, actor: Actor, action: str
    ) -> None:
        """Raise ForbiddenError if a change moved an entry out of the action's scope."""
        if not await self.in_scope(unit, content_type, entry_id, actor, action):
            raise ForbiddenError

    async def check_created(
        self,
        unit: EntryUnit,
        content_type: ContentType,
        entry_id: int,
        found: Writable,
        actor: Actor,
        *,
        published: bool = False,
    ) -> None:
        """Raise ForbiddenError if the actor cannot create a new entry, or cannot publish it."""
        await self.check_result(unit, content_type, entry_id, actor, CREATE)
        if published:
            await self.check_result(unit, content_type, entry_id, actor, PUBLISH)

    def checks_written(self, content_type: ContentType, actor: Actor, action: str) -> bool:
        """Return whether an entry may have to be read after it is written, to check the actor's scope."""
        scope = actor.ability.scope
        return scope(content_type.uid, action) is not None or scope(content_type.uid, PUBLISH) is not None

    async def in_scope(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, actor: Actor, action: str
    ) -> bool:
        """Return whether the actor's scope for the action includes an entry."""
        scope = actor.ability.scope(content_type.uid, action)
        return scope is None or await self.matches(unit, content_type, entry_id, scope)

    async def matches(self, unit: EntryUnit, content_type: ContentType, entry_id: int, condition: Filter) -> bool:
        """Return whether an entry matches a trusted filter."""
        request = ReadRequest(
            content_type=content_type,
            query=Query(filters=condition),
            by=By.ID,
            projection=Form.ID,
            drafts=Drafts.ANY,
        )
        prepared = self._reader.prepare(plan_read(request, self._registry))
        return await self._reader.read_one(prepared.bind(id=entry_id), unit.connection) is not None
