"""EntryWrites: create, update and delete entries for administrators. Each is one transaction.

Fields of a body without write permission are ignored. An entry must be in the action's scope before and after the
write. `WriteResponses` defines the response. Raises NotFoundError, ForbiddenError, ValidationError and
ApplicationError.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import CREATE, FIND, UPDATE
from octavo.access.authorization.actor import Actor
from octavo.content.controllers.content import ContentController
from octavo.content.controllers.writing import ContentWrites, SingleTypeExists, Write, single_type_lock
from octavo.content.entry_unit import EntryUnit
from octavo.content.localization_families import Families, Family, check_free, without_empty
from octavo.content.manager.guards import AdministratorGuards, Writable
from octavo.content.manager.write_responses import WriteResponses
from octavo.content.reader import EntryReader
from octavo.core.errors import ForbiddenError, NotFoundError, OctavoError
from octavo.query.ast import EVERYTHING, Query
from octavo.query.request import Drafts
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

    def __init__(self, answered: WriteResponses, writes: ContentWrites) -> None:
        self._answered = answered
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
        answer = self._answered.of(content_type, actor.ability)
        entry = orjson.loads(await self._writes.answer(answer, entry_id, unit))
        if (entry[UPDATED_AT] or NEVER) != seen:
            raise EntryChanged(details={"entry": entry})


Joined = Callable[[EntryUnit, str], Awaitable[Family | None]]
"""Returns the family that a new entry in a locale joins, if any."""


class EntryWrites:
    """Writes entries of one registry for administrators."""

    def __init__(self, controller: ContentController, reader: EntryReader, answered: WriteResponses) -> None:
        self.registry = controller.registry
        self.guards = AdministratorGuards(reader)
        self.answered = answered
        self.seen = EditConflictCheck(answered, controller.writes)
        self._reads = controller.reads
        self._writes = controller.writes
        self._writer = controller.writer
        self._locales = controller.locales
        self._families: Families = controller.writer.families

    async def create(
        self, content_type: ContentType, write: Write, actor: Actor, locale: Any = None, related: int | None = None
    ) -> bytes:
        """Create an entry, as a draft if the type has drafts.

        `locale`: of a localized type; None for the default. `related`: the id of the entry to create a localization of.
        """

        async def joined(unit: EntryUnit, code: str) -> Family | None:
            if related is None:
                return None
            await self._families.hold(unit, content_type, related)
            is_known = await self._writes.guards.in_scope(unit, content_type, related, actor, FIND)
            family = await self._families.locked(unit, content_type, [related]) if is_known else None
            return check_free(family, code)

        return await self._create(content_type, write, actor, locale, joined if content_type.localized else _no_family)

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

        async def joined(unit: EntryUnit, code: str) -> Family | None:
            await unit.connection.lock(single_type_lock(content_type))
            if await self.single_id(content_type, code or None, unit) is not None:
                raise SingleTypeExists
            if not content_type.localized:
                return None
            family = await self._families.of_single(unit, content_type)
            return family if related is None or family.ids else check_free(None, code)

        try:
            return await self._create(content_type, write, actor, locale, joined)
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
        found = await self._writable(content_type, write, actor, UPDATE)
        answer = self.answered.of(content_type, actor.ability)

        async def work(unit: EntryUnit) -> bytes:
            await self._families.hold(unit, content_type, entry_id, found.data)
            await self.guards.enter(unit, content_type, entry_id, actor, UPDATE)
            await self.seen.check(unit, content_type, entry_id, actor, seen)
            data = await self.guards.fields(unit, content_type, entry_id, found, actor, UPDATE)
            if not await unit.update(content_type, entry_id, data, actor_id=actor.creator_id):
                raise NotFoundError
            await self.guards.leave(unit, content_type, entry_id, actor, UPDATE)
            shown = await self._writes.answer(answer, entry_id, unit)  # localizations as before (observed)
            await self.level(unit, content_type, entry_id, data)
            return shown

        return await self._writer.run(work, size=write.size, about=content_type)

    async def delete(self, content_type: ContentType, entry_id: int, actor: Actor) -> bytes:
        """Delete an entry and return it."""
        answer = self.answered.of(content_type, actor.ability)
        return await self._writes.delete(content_type, entry_id, answer, actor, self.guards)

    async def hold(self, unit: EntryUnit, content_type: ContentType, entry_id: int) -> None:
        """Lock an entry and the localizations that `level` changes."""
        await self._families.hold(unit, content_type, entry_id)

    async def level(
        self, unit: EntryUnit, content_type: ContentType, entry_id: int, named: Collection[str] = ()
    ) -> None:
        """Copy the shared scalars of an entry to its localizations, and the other attributes in `named`."""
        await self._families.level(unit, content_type, entry_id, named)

    async def _create(
        self, content_type: ContentType, write: Write, actor: Actor, locale: Any, joined: Joined
    ) -> bytes:
        found = await self._writable(content_type, write, actor, CREATE)
        answer = self.answered.of(content_type, actor.ability, unnamed=content_type.is_single)

        async def work(unit: EntryUnit) -> bytes:
            code = await unit.locale_of_new(content_type, locale)
            family = await joined(unit, code or "")
            named = found.data if family is None else without_empty(content_type, found.data)
            entry_id = await unit.create(
                content_type,
                found.data if family is None else family.completed(content_type, named),
                actor_id=actor.creator_id,
                locale=code,
                draft_default=True,
                translates=None if family is None else min(family.scalars, default=None),
            )
            if family is not None:
                await self._families.join(unit, content_type, entry_id, family)
            await self.guards.made(unit, content_type, entry_id, found, actor, CREATE)
            shown = await self._writes.answer(answer, entry_id, unit)  # localizations as before (observed)
            if family is not None:
                await self.level(unit, content_type, entry_id, named)
            return shown

        return await self._writer.run(work, size=write.size, about=content_type)

    async def _writable(self, content_type: ContentType, write: Write, actor: Actor, action: str) -> Writable:
        found = await self.guards.writable(content_type, write, actor, action)
        data: Mapping[str, Any] = await self._writer.passwords.prepare(content_type, found.data, size=write.size)
        return Writable(data, found.conditions)


async def _no_family(unit: EntryUnit, code: str) -> None:
    """Return no family: the new entry has no localizations."""
