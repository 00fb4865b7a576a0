"""EntryUnit: create, update and delete entries with their components and links in one transaction.

Frequent writes of single entries run prepared statements; all others are batches. If a link of one entry affects the
other side of a relation, several entries are written one by one. Raises ValidationError with the problems of all
entries, whose paths start with the entry's position in a list, from 0, and ApplicationError.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from octavo.content.automatic_values import NO_DATES, moment_of_change
from octavo.content.entry_batch import EntryBatch, NewBody, numbered_problems
from octavo.content.input.body_check import check_object
from octavo.content.localized_creates import create_translation, named_localizations
from octavo.content.prepared.creates import PlainCreate, Stamps
from octavo.content.prepared.deletes import PlainDelete
from octavo.content.prepared.updates import PlainUpdate
from octavo.content.reader import CompiledRead, PreparedRead
from octavo.content.validation.scalar_rules import Mode
from octavo.content.write_context import WriteContext
from octavo.content.write_locks import lock_entries, taken_entries
from octavo.core.clock import this_moment
from octavo.core.errors import OctavoError, Problem, ValidationError, problems_of
from octavo.database.change_feed import ChangeKind, Presence
from octavo.database.connection import Transaction
from octavo.query.plan.write import needs_turns
from octavo.schema.attributes import CREATED_AT, LOCALE, LOCALIZATIONS, PUBLISHED_AT, UPDATED_AT
from octavo.schema.content_types import ACCOUNTS, ContentType
from octavo.schema.scalar_types import LARGEST_ID

ResultT = TypeVar("ResultT")

MOST_CREATED: Final = 5_000
"""The maximum number of entries per call, because unique values are locked until the end of the transaction."""


class EntryUnit(EntryBatch):
    """A unit of work that writes entries."""

    def __init__(self, context: WriteContext, connection: Transaction, size: int = 0) -> None:
        super().__init__(context, connection, size)
        self.answering: PreparedRead | None = None
        """The read for the response to the next write, if a statement can return it directly."""
        self.is_last_write: Callable[[], bool] | None = None
        """Whether the caller sends no statement after the next write, except to read the response. None: unknown."""
        self._answered: bytes | None = None
        self._deletion: PlainDelete | None = None

    def take_answer(self) -> bytes | None:
        """Return and clear the response of the previous write, if its statement returned one."""
        answer, self._answered, self.answering = self._answered, None, None
        return answer

    def _ends_with_write(self, content_type: ContentType) -> bool:
        """Return whether a statement that returns the response is the last one of this unit."""
        observer = self._context.observer
        return (
            self.is_last_write is not None
            and self.is_last_write()
            and not self._context.feed.stores_changes()
            and (observer is None or not observer.writes())
        )

    def _shows(self) -> CompiledRead | None:
        """Return the statement for the response if it reads the written entry only."""
        read = self.answering
        return read.statement if read is not None and read.reads_by_id else None

    async def create(
        self,
        content_type: ContentType,
        data: Mapping[str, Any],
        *,
        actor_id: int | None = None,
        locale: str | None = None,
        draft_default: bool = False,
        strict: bool = False,
        dates: Mapping[str, Any] = NO_DATES,
        translates: int | None = None,
    ) -> int:
        """Create an entry and return its id.

        `locale` is the locale of a localized type if the data has none. `actor_id` is the administrator who creates it.
        With `draft_default` the entry is a draft unless the data says otherwise. With `strict`, drafts are validated
        like published entries. `dates` are a `createdAt` and `updatedAt` other than now. `translates` is the id of an
        entry that this is a localization of. Localizations in the data are linked.
        """
        if translates is None and named_localizations(content_type, data):
            self.is_last_write = None
            given: Any = {"actor_id": actor_id, "draft_default": draft_default, "strict": strict, "dates": dates}
            create = partial(EntryUnit.create, self, content_type, **given)
            code = await self._locale(content_type, data.get(LOCALE, locale))
            return await create_translation(self, self._context.families, content_type, data, code, create)
        mode, automatic = await self._new(content_type, data, locale, draft_default, strict)
        plain = None
        if not (self.is_cautious or self.is_large or dates or translates):
            stamps = Stamps(automatic[CREATED_AT], automatic[PUBLISHED_AT], automatic[LOCALE], actor_id)
            plain = self._context.creates.find_create(content_type, data, stamps, self._shows(), draft=mode.draft)
            if plain is not None and plain.prepared is not None:
                await lock_entries(self.connection, taken_entries(content_type, data))
                return await self._create_prepared(content_type, plain, stamps)
        new = NewBody(data, mode, {**automatic, **dates}, translates=translates)
        [row] = await self._insert(content_type, [new], actor_id)
        if plain is not None:
            await self._context.creates.learn(self.connection, plain, data, row, self._shows())
        return int(row.ref)

    async def _create_prepared(self, content_type: ContentType, plain: PlainCreate, stamps: Stamps) -> int:
        creating = self._context.creates.run(self.connection, plain)
        commits = plain.prepared is not None and plain.prepared.commits and self._ends_with_write(content_type)
        entry_id, answer = await (self.commit_with(content_type.uid, creating) if commits else creating)
        is_draft = content_type.draft_and_publish and stamps.published is None
        became = Presence.DRAFT if is_draft else Presence.LIVE
        self.record(content_type.uid, entry_id, ChangeKind.CREATE, locale=stamps.locale, became=became)
        self._answered = answer
        return entry_id

    async def _new(
        self, content_type: ContentType, data: Mapping[str, Any], locale: str | None, draft_default: bool, strict: bool
    ) -> tuple[Mode, dict[str, Any]]:
        """Return the validation mode for a new entry, and the values of its automatic attributes."""
        check_object(data)
        code = await self._locale(content_type, data.get(LOCALE, locale)) if content_type.localized else None
        moment = this_moment()
        published = data.get(PUBLISHED_AT, None if draft_default else moment)
        draft = content_type.draft_and_publish and published is None and not strict
        automatic = {CREATED_AT: moment, UPDATED_AT: moment, PUBLISHED_AT: published, LOCALE: code}
        return Mode(creating=True, draft=draft), automatic

    async def update(
        self,
        content_type: ContentType,
        entry_id: int,
        data: Mapping[str, Any],
        *,
        actor_id: int | None = None,
        dates: Mapping[str, Any] = NO_DATES,
        later: bool = False,
    ) -> bool:
        """Update the attributes in the data; return False if the entry does not exist.

        `updatedAt` always increases, so that changes can be detected. A date in `dates` is stored unchanged, unless
        `later` is set. `actor_id`: see `create`.
        """
        if content_type.localized and isinstance(data, list):
            data = {}  # a list changes nothing in a localized entry (observed)
        check_object(data)
        if not 0 <= entry_id <= LARGEST_ID:
            return False
        if content_type.uid in ACCOUNTS and self._context.accounts is not None:
            data = await self._context.accounts.before_update(self.connection, content_type.uid, entry_id, data)
        plain = None
        moment = moment_of_change(dates, later=later)
        if moment is not None and not (self.is_cautious or self.is_large or self._context.reads_before_updates):
            shown = self._shows()
            plain = self._context.updates.find_update(content_type, entry_id, data, moment, actor_id, shown)
        if plain is not None and plain.prepared is not None:
            return await self._update_prepared(content_type, entry_id, plain)
        if not await self._change(content_type, (entry_id,), data, actor_id=actor_id, dates=dates, later=later):
            return False
        if plain is not None:
            await self._context.updates.learn(self.connection, content_type, plain, data, self._shows())
        return True

    async def _update_prepared(self, content_type: ContentType, entry_id: int, plain: PlainUpdate) -> bool:
        updating = self._context.updates.run(self.connection, plain)
        commits = plain.prepared is not None and plain.prepared.answers and self._ends_with_write(content_type)
        updated = await (self.commit_with(content_type.uid, updating) if commits else updating)
        if updated is None:
            return False
        presence, locale, answer = updated
        self.record(content_type.uid, entry_id, ChangeKind.UPDATE, locale=locale, was=presence, became=presence)
        self._answered = answer
        return True

    async def delete(self, content_type: ContentType, entry_id: int) -> bool:
        """Delete an entry with its components and links; return False if it does not exist."""
        if not 0 <= entry_id <= LARGEST_ID:
            return False
        plain = self._take_deletion(content_type)
        await self.lock_entry(content_type, entry_id)  # prevents concurrent deletes, and updates that add components
        if plain is not None and plain.prepared is not None:
            return await self._delete_prepared(content_type, entry_id, plain)
        if not await self._remove(content_type, (entry_id,)):
            return False
        if plain is not None:
            await self._context.deletes.learn(self.connection, content_type, plain)
        return True

    def answers_delete(self, content_type: ContentType, read: PreparedRead) -> bool:
        """Return whether the statement of the next delete also returns the response, for `take_answer`."""
        self.answering = read
        self._deletion = plain = self._plain_delete(content_type)
        return plain is not None and plain.prepared is not None and plain.prepared.answers

    def _take_deletion(self, content_type: ContentType) -> PlainDelete | None:
        """Return how to delete an entry, as decided by `answers_delete` if it was called."""
        plain, self._deletion = self._deletion, None
        return self._plain_delete(content_type) if plain is None else plain

    def _plain_delete(self, content_type: ContentType) -> PlainDelete | None:
        if self.is_cautious or self.is_large or self._context.reads_before_updates or content_type.uid in ACCOUNTS:
            return None
        return self._context.deletes.find_delete(content_type, self._shows())

    async def _delete_prepared(self, content_type: ContentType, entry_id: int, plain: PlainDelete) -> bool:
        await self._before_delete(content_type, entry_id)
        deleted = await self._context.deletes.run(self.connection, plain, entry_id)
        if deleted is None:
            return False
        if deleted.scheduled:
            self._gone.setdefault(content_type.uid, []).append(entry_id)
        self.record(content_type.uid, entry_id, ChangeKind.DELETE, locale=deleted.locale, was=deleted.was)
        self._answered = deleted.answer
        return True

    async def create_many(
        self,
        content_type: ContentType,
        items: Sequence[Any],
        *,
        actor_id: int | None = None,
        locale: str | None = None,
        draft_default: bool = False,
        strict: bool = False,
    ) -> list[int]:
        """Create entries and return their ids, in order.

        Options: see `create`; `strict` only applies to items without `publishedAt`.
        """
        _check_count(len(items))
        if self.writes_one_by_one(content_type, {name for item in items if isinstance(item, Mapping) for name in item}):
            return [
                await _numbered(
                    number,
                    self.create(
                        content_type,
                        item,
                        actor_id=actor_id,
                        locale=locale,
                        draft_default=draft_default,
                        strict=strict and _has_default_state(item),
                    ),
                )
                for number, item in enumerate(items)
            ]
        entries = list[NewBody]()
        problems: list[Problem] = []
        for number, item in enumerate(items):
            try:
                is_strict = strict and _has_default_state(item)
                mode, automatic = await self._new(content_type, item, locale, draft_default, is_strict)
                entries.append(NewBody(item, mode, automatic, number))
            except OctavoError as error:
                problems += numbered_problems(number, problems_of(error))
        rows = await self._insert(content_type, entries, actor_id, problems)
        return [int(row.ref) for row in rows]

    async def update_many(
        self, content_type: ContentType, ids: Iterable[int], data: Mapping[str, Any], *, actor_id: int | None = None
    ) -> int:
        """Update these entries with the same data; return how many exist."""
        wanted = _wanted(ids)
        check_object(data)
        if content_type.uid in ACCOUNTS or self.writes_one_by_one(content_type, data):
            return sum([await self.update(content_type, one, data, actor_id=actor_id) for one in wanted])
        return await self._change(content_type, wanted, data, actor_id=actor_id)

    async def delete_many(self, content_type: ContentType, ids: Iterable[int]) -> int:
        """Delete these entries with their components and links; return how many existed."""
        wanted = _wanted(ids)
        if content_type.uid in ACCOUNTS or self.writes_one_by_one(content_type, ()):
            return sum([await self.delete(content_type, one) for one in wanted])
        await self.lock_entries(content_type, wanted)
        return await self._remove(content_type, wanted)

    def writes_one_by_one(self, content_type: ContentType, names: Iterable[str]) -> bool:
        """Return whether entries that change these attributes are written one by one."""
        return LOCALIZATIONS in names or needs_turns(content_type, names)


def _has_default_state(item: Any) -> bool:
    """Return whether new data does not say whether the entry is published."""
    return isinstance(item, Mapping) and PUBLISHED_AT not in item


async def _numbered(number: int, work: Awaitable[ResultT]) -> ResultT:
    try:
        return await work
    except OctavoError as error:
        raise ValidationError.from_problems(numbered_problems(number, problems_of(error))) from error


def _wanted(ids: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(one for one in ids if 0 <= one <= LARGEST_ID))


def _check_count(count: int) -> None:
    if count > MOST_CREATED:
        raise ValidationError(f"At most {MOST_CREATED} entries can be created at once, got {count}")
