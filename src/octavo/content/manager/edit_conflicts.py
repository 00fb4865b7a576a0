"""Optimistic locking: an entry that another user has changed since a client read it is not overwritten."""

from typing import Final

import orjson

from octavo.access.authorization.actor import Actor
from octavo.content.controllers.writing import ContentWrites
from octavo.content.entry_unit import EntryUnit
from octavo.content.manager.write_responses import WriteResponses
from octavo.core.errors import OctavoError
from octavo.schema.attributes import UPDATED_AT
from octavo.schema.content_types import ContentType

NOTHING: Final = "nothing"
"""The value of `seen` if the entry did not exist when the client read it."""
NEVER: Final = "null"
"""The value of `seen` if the entry had no `updatedAt`, because other software wrote it."""


class EntryChanged(OctavoError):
    """Another user has changed the entry since it was read; `details.entry` is the current entry, as far as the caller
    can read it."""

    status = 409
    name = "ConflictError"
    message = "Another user has changed this entry since you read it"


class EditConflictCheck:
    """Checks in a unit of work that an entry did not change since the client read it."""

    def __init__(self, responses: WriteResponses, writes: ContentWrites) -> None:
        self._responses = responses
        self._writes = writes

    async def check(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, actor: Actor, seen: str | None
    ) -> None:
        """Lock the entry and raise EntryChanged if its `updatedAt` differs from `seen` (None: no check).

        Also raises NotFoundError.
        """
        if seen is None:
            return
        await unit.lock_entry(content_type, entry_id)
        answer = self._responses.prepare_response(content_type, actor.ability)
        entry = orjson.loads(await self._writes.answer(answer, entry_id, unit))
        if (entry[UPDATED_AT] or NEVER) != seen:
            raise EntryChanged(details={"entry": entry})
