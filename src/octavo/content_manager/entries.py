"""Entries as administrators see them: one by its id, as it is edited."""

from typing import Any, NoReturn

from octavo.authorization.ability import Ability
from octavo.authorization.actor import Actor
from octavo.cache import Cache, CacheScope
from octavo.content.reader import PreparedRead
from octavo.content_manager.shown import View, shown
from octavo.controllers.reading import ContentReads
from octavo.errors import ForbiddenError, NotFoundError
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.content_types import ContentType


class ManagedEntries:
    """Reads of entries, prepared once for all who may see the same."""

    def __init__(self, reads: ContentReads, caches: CacheScope) -> None:
        self.reads = reads
        self.registry = reads.registry
        self._prepared: Cache[tuple[Any, ...], PreparedRead] = caches.cache("content manager")

    async def one(self, content_type: ContentType, entry_id: int, actor: Actor) -> bytes:
        """The JSON of an entry. Raises NotFoundError; ForbiddenError for one that is not in the actor's scope."""
        found = await self.reads.find_any(self.answer(content_type, actor.ability).bind(id=entry_id))
        if found is None:
            await self.refuse(content_type, entry_id)
        return found

    async def refuse(self, content_type: ContentType, entry_id: int) -> NoReturn:
        """Raise NotFoundError for an entry that is not there, ForbiddenError for one that is there for others."""
        there = ReadRequest(content_type=content_type, by=By.ID, projection=Form.ID, drafts=Drafts.ANY)
        is_there = await self.reads.find_any(self.reads.prepare(there, None).bind(id=entry_id))
        raise ForbiddenError if is_there else NotFoundError

    def answer(
        self, content_type: ContentType, ability: Ability, drafts: Drafts = Drafts.SHOWN, view: View = View.ENTRY
    ) -> PreparedRead:
        """How to show an entry, to be bound to its `id`. `Drafts.ANY` for what a write has chosen, whose scope is that
        of the write."""
        key = (content_type.uid, view, drafts, ability.key)
        found = self._prepared.get(key)
        if found is not None:
            return found
        told = shown(content_type, self.registry, ability, view)
        request = ReadRequest(content_type=content_type, by=By.ID, projection=told, drafts=drafts)
        return self._prepared.put(key, self.reads.prepare(request, ability))
