"""The core actions for every door: may they, what exactly is asked, plan it, run it.

A read is prepared once (`prepare_list`, `prepare_one`) and run as often as it is asked: a door may keep what it got by
the text of the request, the content-type and the actor's permissions.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, cast

import orjson

from octavo.access.actors import Actor, check
from octavo.access.permissions import PermissionSet
from octavo.access.sanitize import Sanitizer, Strictness
from octavo.access.sanitize_write import WriteSanitizer
from octavo.content.entries import EntryUnit, EntryWriter
from octavo.content.form_files import current_query, place_files
from octavo.content.locales import Locales
from octavo.content.localizations import LOCALIZATIONS, add_localization, share, share_shown
from octavo.content.media import IncomingFile, MediaLibrary
from octavo.content.reading import EntryReader, Prepared
from octavo.errors import NotFoundError, ValidationError
from octavo.plan.read import plan_answer, plan_every, plan_id, plan_list, plan_one
from octavo.plan.scopes import ALL_LOCALES
from octavo.query.answer import Answer
from octavo.query.ast import EVERYTHING, Page, Populate, PublicationState, Query
from octavo.schema.content_types import ContentType, Definition
from octavo.schema.registry import Registry

_MOST_CALLERS = 1024


@dataclass(frozen=True, slots=True)
class PreparedList:
    """A list ready to run, and the page it shows."""

    read: Prepared
    page: Page


@dataclass(frozen=True, slots=True)
class Write:
    """What to write: the attributes' values, and files with the names of the form fields they came in.

    `dates`: `createdAt` and `updatedAt`, where a door lets them be given.
    """

    data: Any
    files: tuple[tuple[str, IncomingFile], ...] = ()
    dates: Mapping[str, Any] = field(default_factory=dict)


class ContentController:
    """find, find_one, create, update and delete, for whichever door asks."""

    def __init__(
        self,
        registry: Registry,
        reader: EntryReader,
        writer: EntryWriter,
        media: MediaLibrary,
        locales: Locales,
        strictness: Strictness,
        *,
        drafts_by_id: bool = True,
    ) -> None:
        self.registry = registry
        self.locales = locales
        self._reader = reader
        self._writer = writer
        self._media = media
        self._strictness = strictness
        self._drafts_by_id = drafts_by_id
        self._hidden_drafts = lru_cache(_MOST_CALLERS)(self._find_hidden_drafts)

    # Preparing

    def prepare_list(
        self, content_type: ContentType, query: Query, permissions: PermissionSet, locale: str
    ) -> PreparedList:
        """A list for someone with these permissions; `locale` is the default one. Raises ValidationError."""
        sanitized = self._sanitized(content_type, _live(_localized(query, locale)), permissions)
        planned = plan_list(sanitized, content_type, self.registry)
        return PreparedList(self._reader.prepare(planned), query.page or Page())

    def prepare_single(
        self, content_type: ContentType, query: Query, permissions: PermissionSet, locale: str
    ) -> Prepared:
        """The entry of a single type in the asked locale, or the default one; with `locale=all` all of them."""
        sanitized = self._sanitized(content_type, _live(_localized(query, locale)), permissions)
        if content_type.localized and sanitized.locales == (ALL_LOCALES,):
            return self._reader.prepare(plan_every(sanitized, content_type, self.registry))
        return self._reader.prepare(plan_one(sanitized, content_type, self.registry, by_id=False))

    def prepare_one(self, content_type: ContentType, query: Query, permissions: PermissionSet) -> Prepared:
        """An entry by id. Its filters and sort are checked, yet they choose nothing: the id does."""
        return self._prepare_by_id(content_type, query, permissions, self._state_by_id(query))

    def prepare_answer(self, content_type: ContentType, query: Query, permissions: PermissionSet) -> Prepared:
        """The entry that a write makes or changes, draft or not."""
        return self._prepare_by_id(content_type, query, permissions, None)

    def _prepare_by_id(
        self, content_type: ContentType, query: Query, permissions: PermissionSet, state: PublicationState | None
    ) -> Prepared:
        sanitized = self.sanitize(query, content_type, permissions)
        sanitized = replace(sanitized, filters=None, sort=(), locales=None, search=None, publication_state=state)
        if state is not None:
            sanitized = _narrowed(sanitized, content_type)
        return self._reader.prepare(plan_one(sanitized, content_type, self.registry, by_id=True))

    # Preparing for the plugins, whose answers are raw: no `data`, no `attributes`, no `meta`

    def prepare_raw_list(self, content_type: ContentType, query: Query, permissions: PermissionSet | None) -> Prepared:
        """A list as a bare array. Without permissions the query is our own and taken as it is."""
        sanitized = query if permissions is None else self._sanitized_raw(content_type, query, permissions)
        return self._reader.prepare(plan_list(sanitized, content_type, self.registry, raw=True))

    def prepare_raw_one(self, content_type: ContentType, query: Query, permissions: PermissionSet | None) -> Prepared:
        """An entry by id; permissions as for a list. What chooses among entries is checked and passed over."""
        sanitized = query if permissions is None else self._sanitized_raw(content_type, query, permissions)
        chosen = replace(sanitized, filters=None, sort=(), page=None, locales=None, search=None)
        return self._reader.prepare(plan_one(chosen, content_type, self.registry, by_id=True, raw=True))

    def prepare_count(self, content_type: ContentType, query: Query, permissions: PermissionSet) -> Prepared:
        """The number of entries that the filters leave."""
        counted = Query(filters=query.filters, search=query.search, fields=("id",), page=Page(limit=0))
        return self.prepare_raw_list(content_type, counted, permissions)

    def sanitize(self, query: Query, definition: Definition, permissions: PermissionSet) -> Query:
        """A Query less what someone with these permissions may not touch. Raises InvalidParameter."""
        sanitized = Sanitizer(self.registry, finder(permissions), self._strictness).sanitize(query, definition)
        return replace(sanitized, hidden_drafts=self._hidden_drafts(permissions))

    def prepare_own_list(self, content_type: ContentType, query: Query, answer: Answer, locale: str) -> PreparedList:
        """A list in a shape of the door's own; the Query and those in the answer are sanitized."""
        asked = _narrowed(_live(_localized(query, locale)), content_type)
        planned = plan_answer(asked, content_type, self.registry, answer, many=True)
        return PreparedList(self._reader.prepare(planned), query.page or Page())

    def prepare_own_single(self, content_type: ContentType, query: Query, answer: Answer, locale: str) -> Prepared:
        """A single type's entry in a shape of the door's own."""
        asked = _narrowed(_live(_localized(query, locale)), content_type)
        planned = plan_answer(asked, content_type, self.registry, answer, many=False)
        return self._reader.prepare(planned)

    def prepare_own_one(self, content_type: ContentType, answer: Answer, permissions: PermissionSet) -> Prepared:
        """An entry by id in a shape of the door's own."""
        return self._prepare_own_by_id(content_type, answer, permissions, self._state_by_id(Query()))

    def prepare_own_answer(self, content_type: ContentType, answer: Answer, permissions: PermissionSet) -> Prepared:
        """The entry that a write makes or changes, draft or not, in a shape of the door's own."""
        return self._prepare_own_by_id(content_type, answer, permissions, None)

    def _prepare_own_by_id(
        self, content_type: ContentType, answer: Answer, permissions: PermissionSet, state: PublicationState | None
    ) -> Prepared:
        asked = Query(publication_state=state, hidden_drafts=self._hidden_drafts(permissions))
        return self._reader.prepare(plan_answer(asked, content_type, self.registry, answer, many=False, by_id=True))

    def check_size(self, size: int) -> None:
        """Refuse an answer made of several reads that is too large. Raises ValidationError."""
        self._reader.check_size(size)

    async def read_own(self, prepared: Prepared) -> bytes | None:
        """The JSON of an entry in a shape of the door's own, or None."""
        return await self._reader.read_one(prepared)

    async def read_own_one(self, prepared: Prepared, entry_id: int) -> bytes | None:
        """The JSON of the entry with that id in a shape of the door's own, or None."""
        return await self._reader.read_one(with_id(prepared, entry_id))

    def _sanitized(self, content_type: ContentType, query: Query, permissions: PermissionSet) -> Query:
        return _narrowed(self.sanitize(query, content_type, permissions), content_type)

    def _sanitized_raw(self, content_type: ContentType, query: Query, permissions: PermissionSet) -> Query:
        sanitized = self.sanitize(query, content_type, permissions)
        return replace(sanitized, publication_state=self._state_by_id(sanitized))

    def _state_by_id(self, query: Query) -> PublicationState | None:
        """The publication state where none is the habit of v4: the rule `draftsById` makes it what was asked for."""
        return None if self._drafts_by_id else query.publication_state or PublicationState.LIVE

    def _find_hidden_drafts(self, permissions: PermissionSet) -> frozenset[str]:
        """The content-types whose drafts are not for somebody with these permissions, by the rule `draftsById`."""
        if self._drafts_by_id:
            return frozenset()
        with_drafts = (uid for uid, item in self.registry.content_types.items() if item.draft_and_publish)
        return frozenset(uid for uid in with_drafts if not permissions.shows_drafts(uid))

    # Reading

    async def find(self, prepared: PreparedList) -> tuple[bytes, int | None]:
        """The JSON array of a page of entries, and the total where it is wanted."""
        return await self._reader.read_list(prepared.read)

    async def find_raw(self, prepared: Prepared) -> bytes:
        """The JSON array of a raw list."""
        return (await self._reader.read_list(prepared))[0]

    async def count(self, prepared: Prepared) -> int:
        """The number that `prepare_count` asks for."""
        return (await self._reader.read_list(prepared))[1] or 0

    async def find_single(self, prepared: Prepared) -> bytes:
        """The JSON of a single type's entry. Raises NotFoundError."""
        return _found(await self._reader.read_one(prepared))

    async def find_one(self, prepared: Prepared, entry_id: int) -> bytes:
        """The JSON of an entry. Raises NotFoundError."""
        return _found(await self._reader.read_one(with_id(prepared, entry_id)))

    # Writing

    async def create(
        self,
        content_type: ContentType,
        write: Write,
        answer: Prepared,
        actor: Actor,
        *,
        draft: bool = False,
        locale: str | None = None,
    ) -> bytes:
        """A new entry, as the answer shows it. `draft`, `locale`: unless the data says otherwise.

        Such a draft has to be as complete as if it were published. Raises ValidationError, ApplicationError.
        """
        write = self._writable(content_type, write, actor)

        async def work(unit: EntryUnit, data: Mapping[str, Any]) -> bytes:
            strict = draft and "publishedAt" not in data
            entry_id = await unit.create(
                content_type,
                data,
                actor_id=actor.creator_id,
                draft_default=draft,
                strict=strict,
                locale=locale,
                dates=write.dates,
            )
            return await self._answer(answer, entry_id, unit)

        return await self._write(content_type, write, work, actor)

    async def update(
        self,
        content_type: ContentType,
        entry_id: int,
        write: Write,
        answer: Prepared,
        actor: Actor,
        *,
        sharing: bool = False,
    ) -> bytes:
        """A changed entry, as the answer shows it. Raises NotFoundError, ValidationError.

        `sharing`: whether localizations that the answer shows take over from it what all of them share.
        """
        write = self._writable(content_type, write, actor)

        async def work(unit: EntryUnit, data: Mapping[str, Any]) -> bytes:
            if not await unit.update(content_type, entry_id, data, actor_id=actor.creator_id, dates=write.dates):
                raise NotFoundError
            entry = await self._answer(answer, entry_id, unit)  # with the siblings as they were (observed)
            if sharing and content_type.localized:
                await share_shown(unit, self.registry, content_type, entry)
            return entry

        return await self._write(content_type, write, work, actor, entry_id)

    async def delete(self, content_type: ContentType, entry_id: int, answer: Prepared) -> bytes:
        """Remove an entry; it is answered as it was. Raises NotFoundError."""

        async def work(unit: EntryUnit) -> bytes:
            entry = await self._answer(answer, entry_id, unit)
            await unit.delete(content_type, entry_id)
            return entry

        return await self._writer.run(work)

    async def single_id(
        self, content_type: ContentType, query: Query, locale: str, *, drafts: bool = True
    ) -> int | None:
        """The id of a single type's entry in the asked locale."""
        query = Query(
            locales=query.locales or (locale,),
            publication_state=None if drafts else query.publication_state or PublicationState.LIVE,
        )
        found = await self._reader.read_one(self._reader.prepare(plan_id(query, content_type, self.registry)))
        return None if found is None else int(found.strip(b'"'))

    async def check_no_single(self, content_type: ContentType) -> None:
        """Raise ValidationError when a single type has an entry in some locale: another is made as a localization."""
        planned = plan_id(Query(locales=(ALL_LOCALES,)), content_type, self.registry)
        if await self._reader.read_one(self._reader.prepare(planned)) is not None:
            raise ValidationError("singleType.alreadyExists")

    async def create_localization(self, content_type: ContentType, entry_id: int, write: Write, actor: Actor) -> bytes:
        """A new localization of an entry, raw and with its siblings, as the reference answers it over REST."""
        query = Query(populate=(Populate(name=LOCALIZATIONS, query=EVERYTHING),))
        sanitized = self.sanitize(query, content_type, actor.permissions)
        answer = self._reader.prepare(plan_one(sanitized, content_type, self.registry, by_id=True, raw=True))
        return await self.localize(content_type, entry_id, write, answer, actor)

    async def localize(
        self, content_type: ContentType, entry_id: int, write: Write, answer: Prepared, actor: Actor
    ) -> bytes:
        """A new localization of an entry, as the answer shows it. Raises NotFoundError, ApplicationError."""
        write = self._writable(content_type, write, actor)

        async def work(unit: EntryUnit, data: Mapping[str, Any]) -> bytes:
            added = await add_localization(
                unit, self._reader, self.locales, content_type, entry_id, data, actor.creator_id
            )
            entry = await self._answer(answer, added.id, unit)  # with the siblings as they were (observed)
            await share(unit, content_type, added)
            return entry

        return await self._write(content_type, write, work, actor)

    async def _write(
        self,
        content_type: ContentType,
        write: Write,
        work: Callable[[EntryUnit, Mapping[str, Any]], Awaitable[bytes]],
        actor: Actor,
        entry_id: int | None = None,
    ) -> bytes:
        """Store the files, then their rows and the entry in one transaction: all of it or nothing."""
        if not write.files:
            return await self._writer.run(lambda unit: work(unit, write.data))
        async with self._media.incoming([file for _, file in write.files]) as stored:

            async def with_files(unit: EntryUnit) -> bytes:
                ids = await stored.insert_sent(unit.connection, actor.creator_id)
                fields: dict[str, list[int]] = {}
                for (field, _), file_id in zip(write.files, ids, strict=True):
                    fields.setdefault(field, []).append(file_id)
                current = await self._current(content_type, fields, entry_id, unit)
                return await work(unit, place_files(write.data, fields, content_type, self.registry, current))

            return await self._writer.run(with_files)

    async def _current(
        self, content_type: ContentType, fields: Iterable[str], entry_id: int | None, unit: EntryUnit
    ) -> Mapping[str, Any] | None:
        """What files have to know of the entry they are added to; nothing when there is none."""
        query = current_query(fields, content_type, self.registry)
        if entry_id is None or not query.populate:
            return None
        prepared = self._reader.prepare(plan_one(query, content_type, self.registry, by_id=True, raw=True))
        entry = await self._reader.read_one(with_id(prepared, entry_id), unit.connection)
        return None if entry is None else cast(dict[str, Any], orjson.loads(entry))

    def _writable(self, content_type: ContentType, write: Write, actor: Actor) -> Write:
        may_find = finder(actor.permissions)
        return replace(write, data=WriteSanitizer(self.registry, may_find).sanitize(write.data, content_type))

    async def _answer(self, answer: Prepared, entry_id: int, unit: EntryUnit) -> bytes:
        return _found(await self._reader.read_one(with_id(answer, entry_id), unit.connection))


def finder(permissions: PermissionSet) -> Callable[[str], bool]:
    """Whether someone with these permissions may `find` entries of a type, by its UID."""
    return lambda uid: permissions.allows(f"{uid}.find")


def with_id(prepared: Prepared, entry_id: int) -> Prepared:
    """A read by id for this entry (value 0 is the id)."""
    return replace(prepared, values=(entry_id, *prepared.values[1:]))


def require(actor: Actor, content_type: ContentType, action: str) -> None:
    """Raise ForbiddenError unless the actor may take an action (`find`, `findOne`, `create` ...) on a content-type."""
    check(actor, f"{content_type.uid}.{action}")


def _found(entry: bytes | None) -> bytes:
    if entry is None:
        raise NotFoundError
    return entry


def _live(query: Query) -> Query:
    if query.publication_state is not None:
        return query
    return replace(query, publication_state=PublicationState.LIVE)


def _narrowed(query: Query, content_type: ContentType) -> Query:
    """Drafts that are hidden from somebody are not there, even if they are asked for."""
    if content_type.uid not in query.hidden_drafts:
        return query
    return replace(query, publication_state=PublicationState.LIVE)


def _localized(query: Query, locale: str) -> Query:
    return query if query.locales is not None else replace(query, locales=(locale,))
