"""EntryWrites: create, update and delete entries for administrators. Each is one transaction.

Fields of a body without write permission are ignored. An entry must be in the action's scope before and after the
write. `WriteResponses` defines the response. Raises NotFoundError, ForbiddenError, ValidationError and
ApplicationError.
"""

from collections.abc import Mapping
from typing import Any

from octavo.access.authorization.ability import CREATE, FIND, UPDATE
from octavo.access.authorization.actor import Actor
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.write_policy import Write
from octavo.content.controllers.writing import Sharing, SingleTypeExists, Start, single_type_lock
from octavo.content.entry_unit import EntryUnit
from octavo.content.localization_families import Families, Family, NewEntry, check_free, without_empty
from octavo.content.manager.administrator_policy import AdministratorPolicy
from octavo.content.manager.edit_conflicts import NOTHING, EditConflictCheck
from octavo.content.manager.write_responses import WriteResponses
from octavo.content.reader import EntryReader
from octavo.core.errors import ForbiddenError, NotFoundError
from octavo.query.ast import EVERYTHING, Query
from octavo.query.request import Drafts
from octavo.schema.content_types import ContentType


class EntryWrites:
    """Writes entries of one registry for administrators."""

    def __init__(self, controller: ContentController, reader: EntryReader, responses: WriteResponses) -> None:
        self.registry = controller.registry
        self.policy = AdministratorPolicy(reader)
        self.responses = responses
        self.content = controller.writes.under(self.policy)
        self.seen = EditConflictCheck(responses, self.content)
        self._reads = controller.reads
        self._writer = controller.writer
        self._locales = controller.locales
        self._families: Families = controller.writer.families

    async def create(
        self, content_type: ContentType, write: Write, actor: Actor, locale: Any = None, related: int | None = None
    ) -> bytes:
        """Create an entry, as a draft if the type has drafts.

        `locale`: of a localized type; None for the default. `related`: the id of the entry to create a localization of.
        """

        async def start(unit: EntryUnit, data: Mapping[str, Any]) -> NewEntry:
            code = await unit.locale_of_new(content_type, locale)
            if related is None or not content_type.localized:
                return NewEntry(data, code)
            await self._families.lock_family(unit, content_type, related)
            is_known = await self.policy.in_scope(unit, content_type, related, actor, FIND)
            family = await self._families.lock_and_read(unit, content_type, [related]) if is_known else None
            return _joining(content_type, data, code, check_free(family, code or ""))

        return await self._create(content_type, write, actor, start)

    async def save_single(
        self,
        content_type: ContentType,
        write: Write,
        actor: Actor,
        locale: Any = None,
        related: int | None = None,
        seen: str | None = None,
    ) -> bytes:
        """Create or update the entry of a single type, in a locale if it is localized.

        `seen`: as for `update`; an entry that was deleted since is not created again. `related`: the id of an entry in
        another locale; refused if there is no entry at all (observed).
        """
        entry_id = await self.single_id(content_type, locale)
        action = CREATE if entry_id is None else UPDATE
        if not actor.ability.may(action, content_type.uid):
            raise ForbiddenError
        if entry_id is not None:
            return await self.update(content_type, entry_id, write, actor, seen)
        if seen not in (None, NOTHING):
            raise NotFoundError

        async def start(unit: EntryUnit, data: Mapping[str, Any]) -> NewEntry:
            code = await unit.locale_of_new(content_type, locale)
            await unit.connection.lock(single_type_lock(content_type))
            if await self.single_id(content_type, code, unit) is not None:
                raise SingleTypeExists
            if not content_type.localized:
                return NewEntry(data)
            family = await self._families.read_single_type(unit, content_type)
            if related is not None and not family.ids:
                check_free(None, code or "")
            return _joining(content_type, data, code, family)

        try:
            return await self._create(content_type, write, actor, start)
        except SingleTypeExists:
            async with self._writer.open_ambient():  # the entry may belong to an uncommitted group
                there = await self.single_id(content_type, locale)
            if there is None or seen is not None or not actor.ability.may(UPDATE, content_type.uid):
                raise
        return await self.update(content_type, there, write, actor)

    async def single_id(self, content_type: ContentType, locale: Any, unit: EntryUnit | None = None) -> int | None:
        """Return the id of a single type's entry, in a locale (None: the default) if it is localized."""
        if not isinstance(locale, str | None):
            return None
        asked = Query(locales=(locale,)) if content_type.localized and locale is not None else EVERYTHING
        default = await self._locales.default()
        if unit is None:
            return await self._reads.single_id(content_type, asked, default, Drafts.ANY)
        with unit.ambient():
            return await self._reads.single_id(content_type, asked, default, Drafts.ANY)

    async def update(
        self, content_type: ContentType, entry_id: int, write: Write, actor: Actor, seen: str | None = None
    ) -> bytes:
        """Update an entry, and copy the values that it shares to its localizations.

        `seen`: the `updatedAt` that the client has read, if it matters. Raises EntryChanged if it is outdated.
        """
        answer = self.responses.prepare_response(content_type, actor.ability)

        async def check(unit: EntryUnit) -> None:
            await self.seen.check(unit, content_type, entry_id, actor, seen)

        return await self.content.update(content_type, entry_id, write, answer, actor, sharing=Sharing.ALL, check=check)

    async def delete(self, content_type: ContentType, entry_id: int, actor: Actor) -> bytes:
        """Delete an entry and return it."""
        answer = self.responses.prepare_response(content_type, actor.ability)
        return await self.content.delete(content_type, entry_id, answer, actor)

    async def _create(self, content_type: ContentType, write: Write, actor: Actor, start: Start) -> bytes:
        answer = self.responses.prepare_response(content_type, actor.ability, unnamed=content_type.is_single)
        return await self.content.create(content_type, write, answer, actor, start=start)


def _joining(content_type: ContentType, data: Mapping[str, Any], locale: str | None, family: Family) -> NewEntry:
    """Return a new entry that joins a family: it gets the family's values where it has none."""
    named = without_empty(content_type, data)
    first = min(family.scalars, default=None)
    return NewEntry(family.completed(content_type, named), locale, family, translates=first, shared=named)
