"""AdministratorPolicy: what administrators can write: on which entries they can take an action, and which fields.

Raises NotFoundError for entries that do not exist and ForbiddenError for entries outside of the actor's scope.
"""

from collections.abc import Mapping
from typing import Any, Final

from octavo.access.authorization.actor import Actor
from octavo.access.authorization.input_sanitizer import InputSanitizer
from octavo.content.controllers.write_policy import Writable, Write, WritePolicy
from octavo.content.entry_unit import EntryUnit
from octavo.core.errors import ForbiddenError, NotFoundError
from octavo.core.threads import compute
from octavo.query.ast import And, Filter
from octavo.schema.attributes import STAMPED
from octavo.schema.content_types import ContentType

ANY_ENTRY: Final = And(items=())


class AdministratorPolicy(WritePolicy):
    """Checks an administrator's permissions for entries and their fields. New entries are drafts."""

    async def writable(self, content_type: ContentType, write: Write, actor: Actor, action: str) -> Writable:
        """Return the fields of a body that can be written in at least some entries; unknown names are left out.

        A body that is not an object counts as empty (observed).
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

    async def check_access(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, actor: Actor, action: str
    ) -> None:
        """Raise an error if the action is not allowed on an entry; otherwise lock the entry.

        If the action is allowed on all entries no query runs: the write itself detects missing entries.
        """
        if actor.ability.scope(content_type.uid, action) is None:
            return
        await unit.lock_entry(content_type, entry_id)
        if not await self.in_scope(unit, content_type, entry_id, actor, action):
            is_there = await self.matches(unit, content_type, entry_id, ANY_ENTRY)
            raise ForbiddenError if is_there else NotFoundError

    async def allowed_data(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, found: Writable, actor: Actor, action: str
    ) -> Any:
        """Return the fields of a body that can be written in this entry."""
        if not found.conditions:
            return found.data
        met = await self._met(unit, content_type, entry_id, found.conditions)
        sanitizer = InputSanitizer(self._registry, actor.ability, action, met.__contains__)
        return sanitizer.sanitize(found.data, content_type)

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
        """Raise ForbiddenError if a new entry is out of scope or contains fields that cannot be set in it."""
        await super().check_created(unit, content_type, entry_id, found, actor, published=published)
        if await self._met(unit, content_type, entry_id, found.conditions) != found.conditions:
            raise ForbiddenError

    async def _met(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, conditions: frozenset[Filter]
    ) -> frozenset[Filter]:
        """Return the conditions that an entry matches."""
        met = {one for one in conditions if await self.matches(unit, content_type, entry_id, one)}
        return frozenset(met)
