"""EntryGuards: permission checks inside writes, before and after an entry changes.

No query runs for actions that are allowed on all entries.
"""

from octavo.access.authorization.actor import Actor
from octavo.content.entry_unit import EntryUnit
from octavo.content.reader import EntryReader
from octavo.core.errors import ForbiddenError, NotFoundError
from octavo.query.ast import Filter, Query
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import ContentType


class EntryGuards:
    """The checks of the content APIs: entries outside of an actor's scope do not exist for them."""

    def __init__(self, reader: EntryReader) -> None:
        self._reader = reader
        self._registry = reader.registry

    async def enter(self, unit: EntryUnit, content_type: ContentType, entry_id: int, actor: Actor, action: str) -> None:
        """Raise NotFoundError if the actor's scope for the action does not include the entry."""
        if not await self.in_scope(unit, content_type, entry_id, actor, action):
            raise NotFoundError

    async def leave(self, unit: EntryUnit, content_type: ContentType, entry_id: int, actor: Actor, action: str) -> None:
        """Raise ForbiddenError if a change moved an entry out of the action's scope."""
        if not await self.in_scope(unit, content_type, entry_id, actor, action):
            raise ForbiddenError

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
