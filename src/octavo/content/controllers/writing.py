"""Writes for all APIs: sanitize the body, store its files, write the entry and read the response.

Each write is one transaction of the files' rows, the entry and the response. A `WritePolicy` says what the API lets
callers write.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import copy
from dataclasses import replace
from enum import Enum
from typing import Any, Final, cast

import orjson

from octavo.access.authorization.ability import CREATE, PUBLISH, UPDATE
from octavo.access.authorization.actor import SYSTEM, Actor
from octavo.content.controllers.hooked_reads import HookedRead
from octavo.content.controllers.reading import ContentReads
from octavo.content.controllers.write_policy import Writable, Write, WritePolicy
from octavo.content.entry_unit import EntryUnit
from octavo.content.i18n.localizations import copy_shared_values, new_localization
from octavo.content.locales import Locales
from octavo.content.localization_families import Families, FamilyAges, NewEntry, names_shared
from octavo.content.localized_creates import named_localizations
from octavo.content.media.form_files import current_query, place_files
from octavo.content.media.library import MediaLibrary
from octavo.content.reader import EntryReader, PreparedRead
from octavo.content.writer import EntryWriter
from octavo.core.errors import ForbiddenError, NotFoundError, ValidationError
from octavo.events.origin import coming_from
from octavo.query.ast import EVERYTHING, Populate, Query
from octavo.query.plan.read import plan_read
from octavo.query.request import By, Drafts, Form, ReadRequest
from octavo.schema.attributes import LOCALE, LOCALIZATIONS, PUBLISHED_AT
from octavo.schema.content_types import ContentType

LOCALIZE: Final = "createLocalization"
DELETE: Final = "delete"

Start = Callable[[EntryUnit, Mapping[str, Any]], Awaitable[NewEntry]]
"""Checks the data of a new entry in its unit of work, takes locks and completes the data."""
Check = Callable[[EntryUnit], Awaitable[None]]
"""Checks an entry in the unit of work that updates it, before the update."""


class SingleTypeExists(ValidationError):
    """The single type already has an entry, possibly created by a concurrent request."""

    message = "singleType.alreadyExists"


class Sharing(Enum):
    """Which localizations get the shared values of an updated entry."""

    NONE = "none"
    SHOWN = "shown"
    """The localizations in the response, as v4's REST API does"""
    NAMED = "named"
    """All localizations, if the update contains shared values: the rule `sharedValues: always`"""
    ALL = "all"
    """All localizations, also of values that the update does not contain, as v4's admin panel does"""


def single_type_lock(content_type: ContentType) -> str:
    """Return the name of the lock for creating an entry of a single type."""
    return f"octavo: single type {content_type.uid}"


class ContentWrites:
    """Creates, updates, deletes and localizes entries. An `answer` is a read by id, prepared by `ContentReads`."""

    def __init__(
        self, reads: ContentReads, reader: EntryReader, writer: EntryWriter, media: MediaLibrary, locales: Locales
    ) -> None:
        self._reads = reads
        self._registry = reads.registry
        self._reader = reader
        self._writer = writer
        self._media = media
        self._locales = locales
        self._families: Families = writer.families
        self.policy = WritePolicy(reader, find_files=writer.rules.find_files)

    def under(self, policy: WritePolicy) -> "ContentWrites":
        """Return the same writes under another API's policy."""
        writes = copy(self)
        writes.policy = policy
        return writes

    async def create(
        self,
        content_type: ContentType,
        write: Write,
        answer: PreparedRead,
        actor: Actor,
        *,
        draft: bool = False,
        locale: str | None = None,
        start: Start | None = None,
    ) -> bytes:
        """Create an entry and return the response. `draft` and `locale` are defaults if the data sets none.

        Such a draft must be as complete as a published entry. `start` replaces the content APIs' checks of the data.
        Raises ValidationError and ApplicationError.
        """
        allowed = await self.policy.writable(content_type, write, actor, CREATE)

        async def work(unit: EntryUnit, data: Mapping[str, Any]) -> bytes:
            new = await (self._start(unit, content_type, data, actor, locale) if start is None else start(unit, data))
            unit.answering = answer
            unit.is_last_write = lambda: (
                not (
                    new.family is not None
                    or allowed.conditions
                    or isinstance(answer, HookedRead)
                    or self.policy.checks_written(content_type, actor, CREATE)
                )
            )
            entry_id = await unit.create(
                content_type,
                new.data,
                actor_id=actor.creator_id,
                draft_default=draft or not allowed.publishes,
                strict=draft and PUBLISHED_AT not in new.data,
                locale=new.locale,
                dates=write.dates,
                translates=new.translates,
            )
            if new.family is not None:
                await self._families.add_entry(unit, content_type, entry_id, new.family)
            published = content_type.draft_and_publish and allowed.publishes and not _is_draft(new.data, draft)
            await self.policy.check_created(unit, content_type, entry_id, allowed, actor, published=published)
            entry = await self.answer(answer, entry_id, unit)  # localizations are read before the update (observed)
            if new.family is not None:
                await self._families.copy_shared(unit, content_type, entry_id, new.shared, touch=new.touch)
            return entry

        return await self._write(content_type, write, allowed, work, actor)

    async def _start(
        self, unit: EntryUnit, content_type: ContentType, data: Mapping[str, Any], actor: Actor, locale: str | None
    ) -> NewEntry:
        """Check new data. Raises ForbiddenError if it links localizations and the actor cannot add one to them."""
        if content_type.is_single:
            await self._hold_single(content_type, data, unit, locale)
        named = named_localizations(content_type, data)
        if named and not any(actor.ability.may(action, content_type.uid) for action in (UPDATE, LOCALIZE)):
            raise ForbiddenError
        for entry_id in named:
            if isinstance(entry_id, int):
                await self.policy.check_access(unit, content_type, entry_id, actor, LOCALIZE)
        return NewEntry(data, locale)

    async def create_single(
        self,
        content_type: ContentType,
        write: Write,
        answer: PreparedRead,
        actor: Actor,
        again: Callable[[], Awaitable[int | None]],
        *,
        draft: bool = False,
        locale: str | None = None,
        beside: bool = False,
    ) -> bytes:
        """Create the first entry of a single type, or a localization of it. Raises ValidationError if it exists.

        `again` looks for the requested entry again: if a concurrent request created it, it is updated. With `beside`,
        entries in other locales can exist. The new entry becomes their localization, except under the rule
        `sharedValues: shown`, as in v4.
        """
        try:
            first = await self._reads.any_single_id(content_type)
            if first is not None and not beside:
                raise SingleTypeExists
            new = write
            if first is not None and self._writer.rules.share_always and isinstance(write.data, Mapping):
                new = replace(write, data={**write.data, LOCALIZATIONS: [first]})
            return await self.create(content_type, new, answer, actor, draft=draft, locale=locale)
        except SingleTypeExists:
            async with self._writer.open_ambient():  # the entry may belong to an uncommitted group
                there = await again()
            if not there:
                raise
        return await self.update(
            content_type, there, write, answer, actor, sharing=Sharing.NONE if draft else Sharing.SHOWN
        )

    async def _hold_single(self, content_type: ContentType, data: Any, unit: EntryUnit, locale: str | None) -> None:
        """Lock the single type. Raises SingleTypeExists if it has an entry in the data's locale."""
        given = data.get(LOCALE, locale) if isinstance(data, Mapping) else locale
        code = await unit.locale_of_new(content_type, given)
        await unit.connection.lock(single_type_lock(content_type))
        asked = Query() if code is None else Query(locales=(code,))
        with unit.ambient():
            if await self._reads.single_id(content_type, asked, code or "", Drafts.ANY) is not None:
                raise SingleTypeExists

    async def update(
        self,
        content_type: ContentType,
        entry_id: int,
        write: Write,
        answer: PreparedRead,
        actor: Actor,
        *,
        sharing: Sharing = Sharing.NONE,
        check: Check | None = None,
    ) -> bytes:
        """Update an entry and return the response. Raises NotFoundError, ValidationError and the errors of `check`.

        Under the rule `sharedValues: always`, all localizations get the shared values in the data.
        """
        allowed = await self.policy.writable(content_type, write, actor, UPDATE)
        if self._writer.rules.share_always and sharing is not Sharing.ALL:
            sharing = Sharing.NAMED

        async def work(unit: EntryUnit, data: Mapping[str, Any]) -> bytes:
            shares = content_type.localized and _shares(sharing, content_type, data, answer)
            if shares:
                await self._families.lock_family(unit, content_type, entry_id, data)
            await self.policy.check_access(unit, content_type, entry_id, actor, UPDATE)
            if check is not None:
                await check(unit)
            if allowed.conditions:
                data = await self.policy.allowed_data(
                    unit, content_type, entry_id, replace(allowed, data=data), actor, UPDATE
                )
            ages = await self._read_ages(sharing, unit, content_type, entry_id, data)
            unit.answering = answer
            unit.is_last_write = lambda: (
                not (
                    shares or isinstance(answer, HookedRead) or self.policy.checks_written(content_type, actor, UPDATE)
                )
            )
            if not await unit.update(content_type, entry_id, data, actor_id=actor.creator_id, dates=write.dates):
                raise NotFoundError
            await self.policy.check_result(unit, content_type, entry_id, actor, UPDATE)
            if content_type.draft_and_publish and PUBLISHED_AT in data:
                await self.policy.check_result(unit, content_type, entry_id, actor, PUBLISH)
            entry = await self.answer(answer, entry_id, unit)  # localizations are read before the update (observed)
            if content_type.localized and isinstance(data, Mapping):  # a list changes nothing (observed)
                await self._share(sharing, unit, content_type, entry_id, entry, data, ages)
            return entry

        return await self._write(content_type, write, allowed, work, actor, entry_id)

    async def delete(self, content_type: ContentType, entry_id: int, answer: PreparedRead, actor: Actor) -> bytes:
        """Delete an entry and return it. Raises NotFoundError, and other errors of the policy."""

        async def work(unit: EntryUnit) -> bytes:
            await self.policy.check_access(unit, content_type, entry_id, actor, DELETE)
            after = not isinstance(answer, HookedRead) and unit.answers_delete(content_type, answer)
            entry = b"" if after else await self.answer(answer, entry_id, unit)
            if not await unit.delete(content_type, entry_id):
                raise NotFoundError
            return await self.answer(answer, entry_id, unit) if after else entry

        return await self._run(work, content_type, actor)

    async def create_localization(self, content_type: ContentType, entry_id: int, write: Write, actor: Actor) -> bytes:
        """Create a localization of an entry; return it flat and with its localizations, as Strapi's REST API does."""
        request = ReadRequest(
            content_type=content_type,
            query=Query(populate=(Populate(name=LOCALIZATIONS, query=EVERYTHING),)),
            by=By.ID,
            projection=Form.FLAT,
            drafts=Drafts.ANY,
        )
        answer = self._reads.prepare(request, actor.ability)
        return await self.localize(content_type, entry_id, write, answer, actor)

    async def localize(
        self, content_type: ContentType, entry_id: int, write: Write, answer: PreparedRead, actor: Actor
    ) -> bytes:
        """Create a localization of an entry and return the response. Raises NotFoundError and ApplicationError."""

        async def start(unit: EntryUnit, data: Mapping[str, Any]) -> NewEntry:
            if content_type.is_single:
                await unit.connection.lock(single_type_lock(content_type))
            await self._families.lock_family(unit, content_type, entry_id)
            await self.policy.check_access(unit, content_type, entry_id, actor, LOCALIZE)
            if content_type.draft_and_publish and not actor.ability.publishes(content_type.uid):
                data = {**data, PUBLISHED_AT: None}
            new = await new_localization(unit, self._families, self._locales, content_type, entry_id, data)
            return replace(new, shared=data) if self._writer.rules.share_always else new

        return await self.create(content_type, write, answer, actor, draft=True, start=start)

    async def _share(
        self,
        sharing: Sharing,
        unit: EntryUnit,
        content_type: ContentType,
        entry_id: int,
        entry: bytes,
        data: Mapping[str, Any],
        ages: FamilyAges | None,
    ) -> None:
        """Copy shared values of a changed entry, whose response is `entry`, to its localizations.

        `ages` are those from before the change.
        """
        if sharing is Sharing.SHOWN:
            await copy_shared_values(unit, self._families, content_type, entry, data)
        elif sharing is Sharing.ALL or (sharing is Sharing.NAMED and names_shared(content_type, data)):
            await self._families.copy_shared(unit, content_type, entry_id, data, ages=ages)

    async def _read_ages(
        self, sharing: Sharing, unit: EntryUnit, content_type: ContentType, entry_id: int, data: Any
    ) -> FamilyAges | None:
        """Return the ages of localizations, if a change of an entry copies shared values to all of them."""
        if not content_type.localized or sharing not in (Sharing.ALL, Sharing.NAMED):
            return None
        if not isinstance(data, Mapping) or not names_shared(content_type, data):
            return None
        default = (await self._locales.known(unit.connection)).default
        return await self._families.read_ages(unit, content_type, entry_id, default)

    async def share_many(
        self, unit: EntryUnit, content_type: ContentType, ids: Iterable[int], data: Mapping[str, Any]
    ) -> None:
        """Copy shared values of changed entries to their localizations, under the rule `sharedValues: always`."""
        if self._writer.rules.share_always and content_type.localized and names_shared(content_type, data):
            for entry_id in ids:
                await self._families.copy_shared(unit, content_type, entry_id, data)

    async def _write(
        self,
        content_type: ContentType,
        write: Write,
        found: Writable,
        work: Callable[[EntryUnit, Mapping[str, Any]], Awaitable[bytes]],
        actor: Actor,
        entry_id: int | None = None,
    ) -> bytes:
        """Store the files, then insert their rows and write the entry in one unit of work."""
        data = await self._writer.passwords.prepare(content_type, found.data, complete=not write.files, size=write.size)
        if not write.files:
            return await self._run(lambda unit: work(unit, data), content_type, actor, write.size)
        private = [await self._media.sent_privately()] * len(write.files)
        async with self._media.incoming([file for _, file in write.files], private=private) as stored:

            async def with_files(unit: EntryUnit) -> bytes:
                ids = await stored.insert_sent(unit, actor.creator_id)
                fields: dict[str, list[int]] = {}
                for (name, _), file_id in zip(write.files, ids, strict=True):
                    fields.setdefault(name, []).append(file_id)
                current = await self._current(content_type, fields, entry_id, unit)
                return await work(unit, place_files(data, fields, content_type, self._registry, current))

            return await self._run(with_files, content_type, actor, write.size)

    async def _run(
        self, work: Callable[[EntryUnit], Awaitable[bytes]], content_type: ContentType, actor: Actor, size: int = 0
    ) -> bytes:
        """Run work in a unit. Octavo's own writes have the source `code`, whatever caused them."""
        if actor is not SYSTEM:
            return await self._writer.run(work, size=size, about=content_type)
        with coming_from("code"):
            return await self._writer.run(work, size=size, about=content_type)

    async def _current(
        self, content_type: ContentType, fields: Iterable[str], entry_id: int | None, unit: EntryUnit
    ) -> Mapping[str, Any] | None:
        """Return what adding files needs of the current entry; nothing for a new one."""
        query = current_query(fields, content_type, self._registry)
        if entry_id is None or not query.populate:
            return None
        request = ReadRequest(content_type=content_type, query=query, by=By.ID, projection=Form.FLAT, drafts=Drafts.ANY)
        prepared = self._reader.prepare(plan_read(request, self._registry))
        entry = await self._reader.read_one(prepared.bind(id=entry_id), unit.connection)
        return None if entry is None else cast(dict[str, Any], orjson.loads(entry))

    async def answer(self, answer: PreparedRead, entry_id: int, unit: EntryUnit) -> bytes:
        """Read the response for an entry that was written. Raises NotFoundError."""
        entry, read = unit.take_answer(), answer
        if entry is None:
            read = answer.bind(id=entry_id)
            entry = await self._reader.read_one(read, None if unit.is_committed else unit.connection)
        if isinstance(read, HookedRead):
            with unit.ambient():
                entry = await self._reads.hooked.after_write(read, entry)
        if entry is None:
            raise NotFoundError
        return entry


def _shares(sharing: Sharing, content_type: ContentType, data: Any, answer: PreparedRead) -> bool:
    """Return whether localizations may get values of a change."""
    match sharing:
        case Sharing.SHOWN:
            return f'"{LOCALIZATIONS}":' in answer.statement.text  # as a key; `availableLocales` needs no lock
        case Sharing.NAMED:
            return isinstance(data, Mapping) and names_shared(content_type, data)
        case _:
            return sharing is Sharing.ALL


def _is_draft(data: Mapping[str, Any], default: bool) -> bool:
    """Return whether a new entry is a draft."""
    return data[PUBLISHED_AT] is None if PUBLISHED_AT in data else default
