"""Guards of writes: which entries somebody may take an action on, and which fields of them, asked inside of the write.

Refuses with NotFoundError what is not there, with ForbiddenError what is there for others.
"""

from collections.abc import Mapping
from typing import Any, Final

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.input_sanitizer import InputSanitizer
from octavo.content.controllers.writing import ContentWrites, Write
from octavo.content.entry_unit import EntryUnit
from octavo.core.errors import ForbiddenError, NotFoundError
from octavo.core.threads import compute
from octavo.core.values import dataclass
from octavo.query.ast import And, Filter
from octavo.schema.attributes import STAMPED
from octavo.schema.content_types import ContentType
from octavo.schema.registry import Registry

ANY_ENTRY: Final = And(items=())


@dataclass(frozen=True, slots=True)
class Writable:
    """What of a body somebody may write. Some fields only of entries that meet conditions: `conditions` has these."""

    data: Mapping[str, Any]
    conditions: frozenset[Filter] = frozenset()


class Guards:
    """Asks the actor's ability on behalf of writes."""

    def __init__(self, registry: Registry, writes: ContentWrites) -> None:
        self._registry = registry
        self._writes = writes

    async def writable(self, content_type: ContentType, write: Write, actor: Actor, action: str) -> Writable:
        """The fields of a body that may be written, of some entries at least. What is no attribute is left out.

        A body that is no object says nothing (observed).
        """
        given = write.data if isinstance(write.data, Mapping) else {}
        named = {name: given[name] for name in content_type.writable_names if name in given and name not in STAMPED}
        conditions: set[Filter] = set()

        def note(condition: Filter) -> bool:
            conditions.add(condition)
            return True

        sanitizer = InputSanitizer(self._registry, actor.ability, action, note)
        data = await compute(lambda: sanitizer.sanitize(named, content_type), write.size)
        return Writable(data, frozenset(conditions))

    async def enter(self, unit: EntryUnit, content_type: ContentType, entry_id: int, actor: Actor, action: str) -> None:
        """Refuse an entry that the action may not be taken on, and let nobody else change it until the end.

        Where it may be taken on all, nothing is asked: whether the entry is there, the write finds out.
        """
        if actor.ability.scope(content_type.uid, action) is None:
            return
        await unit.lock_entry(content_type, entry_id)
        if not await self._writes.in_scope(content_type, entry_id, unit, actor, action):
            is_there = await self._writes.meets(content_type, entry_id, unit, ANY_ENTRY)
            raise ForbiddenError if is_there else NotFoundError

    async def leave(self, unit: EntryUnit, content_type: ContentType, entry_id: int, actor: Actor, action: str) -> None:
        """Refuse a change by which an entry has come out of the scope of the action. Raises ForbiddenError."""
        if not await self._writes.in_scope(content_type, entry_id, unit, actor, action):
            raise ForbiddenError

    async def fields(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, found: Writable, actor: Actor, action: str
    ) -> Mapping[str, Any]:
        """What of a body may be written to this entry."""
        if not found.conditions:
            return found.data
        met = await self._met(unit, content_type, entry_id, found.conditions)
        sanitized: dict[str, Any] = InputSanitizer(self._registry, actor.ability, action, met.__contains__).sanitize(
            found.data, content_type
        )
        return sanitized

    async def made(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, found: Writable, actor: Actor, action: str
    ) -> None:
        """Refuse a new entry that is not in scope, or has fields that may not be set in it. Raises ForbiddenError."""
        await self.leave(unit, content_type, entry_id, actor, action)
        if await self._met(unit, content_type, entry_id, found.conditions) != found.conditions:
            raise ForbiddenError

    async def _met(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, conditions: frozenset[Filter]
    ) -> frozenset[Filter]:
        """Those of the conditions that an entry meets."""
        met = {one for one in conditions if await self._writes.meets(content_type, entry_id, unit, one)}
        return frozenset(met)
