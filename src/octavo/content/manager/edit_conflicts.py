"""A change is made of what its author saw: it is refused where somebody else has changed the entry since."""

from typing import Final

import orjson

from octavo.access.authorization.actor import Actor
from octavo.content.controllers.writing import ContentWrites
from octavo.content.entry_unit import EntryUnit
from octavo.content.manager.write_responses import Answered
from octavo.core.errors import OctavoError
from octavo.schema.automatic import UPDATED_AT
from octavo.schema.content_types import ContentType

NOTHING: Final = "nothing"
"""What somebody saw of an entry that was not there."""
NEVER: Final = "null"
"""What they saw of one that says no time: others have written it."""


class EntryChanged(OctavoError):
    """Somebody else has changed the entry since; `details.entry` is how it is now, as the caller may see it."""

    status = 409
    name = "ConflictError"
    message = "Somebody else has changed this entry since"


class SeenCheck:
    """Asks inside of a unit of work whether an entry is still the one that was seen."""

    def __init__(self, answered: Answered, writes: ContentWrites) -> None:
        self._answered = answered
        self._writes = writes

    async def check(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, actor: Actor, seen: str | None
    ) -> None:
        """Refuse an entry whose `updatedAt` is another than what was seen (None: whatever it is), and let nobody else
        change it until the end. Raises EntryChanged, NotFoundError."""
        if seen is None:
            return
        await unit.lock_entry(content_type, entry_id)
        answer = self._answered.of(content_type, actor.ability)
        entry = orjson.loads(await self._writes.answer(answer, entry_id, unit))
        if (entry[UPDATED_AT] or NEVER) != seen:
            raise EntryChanged(details={"entry": entry})
