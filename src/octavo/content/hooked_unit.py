"""HookedUnit: entries created, updated and deleted with the hooks of a project's code before and after.

Types without hooks go the road of every entry. Hooks before a write see its data as it is cast, with defaults, and may
change it: all rules are asked of what they leave. A required value may come from them, so it is not asked for before.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import partial
from typing import Any, Final, TypeVar

from octavo.content.automatic_values import NO_DATES
from octavo.content.input.column_values import plain
from octavo.content.input.password_hashing import without_passwords
from octavo.content.many_entries import ManyEntriesUnit
from octavo.content.schedules import kind_of_update, presence_of
from octavo.content.stored_entries import StoredEntries
from octavo.content.validation.body_validator import Validator
from octavo.content.validation.scalar_rules import Mode
from octavo.content.write_context import WriteContext
from octavo.content.write_locks import lock_entries, taken_entries
from octavo.core.clock import shown_moment, this_moment
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Transaction
from octavo.events.event import Event, Params, Written
from octavo.events.hook_calls import Telling, begin, hooks_of
from octavo.events.hooks import Hooks
from octavo.events.names import AFTER, AFTER_COMMIT, BEFORE, CREATE, DELETE, PUBLISH, UNPUBLISH, UPDATE
from octavo.project.naming import did_you_mean
from octavo.query.plan.present_state import FactRow
from octavo.schema.attributes import CREATED_AT, LOCALE, LOCALIZATIONS, PUBLISHED_AT, TIMESTAMPS, UPDATED_AT
from octavo.schema.content_types import ContentType
from octavo.schema.scalar_types import LARGEST_ID

_MOST_LENIENT: Final = Mode(creating=False, draft=True)
ResultT = TypeVar("ResultT")
_KINDS: Final = {ChangeKind.PUBLISH: PUBLISH, ChangeKind.UNPUBLISH: UNPUBLISH}


class HookedUnit(ManyEntriesUnit):
    """A unit of work that writes entries, and tells a project's hooks of it."""

    def __init__(
        self, context: WriteContext, hooks: Hooks, stored: StoredEntries, connection: Transaction, size: int = 0
    ) -> None:
        super().__init__(context, connection, size)
        self.hooks = hooks
        self._stored = stored
        self._quiet: frozenset[str] = frozenset()

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
        """As for `EntryUnit`. Raises HookFailed too, and what hooks raise for callers."""
        creating = partial(
            super().create,
            content_type,
            actor_id=actor_id,
            locale=locale,
            draft_default=draft_default,
            strict=strict,
            translates=translates,
        )
        told = begin(self, content_type.uid, Params(), quiet=self._quiet)
        given = None if told is None else await self._cast(content_type, data)
        if told is None or given is None:
            return _unhooked(told, await creating(data, dates=dates))
        moment = shown_moment(this_moment())
        asides = _asides(content_type, data)
        given |= {CREATED_AT: moment, UPDATED_AT: moment, **dates, **asides}
        if content_type.draft_and_publish:
            given[PUBLISHED_AT] = data.get(PUBLISHED_AT, None if draft_default else moment)
        if content_type.localized:
            given[LOCALE] = await self._locale(content_type, data.get(LOCALE, locale))
            given |= {LOCALIZATIONS: deepcopy(data[LOCALIZATIONS])} if LOCALIZATIONS in data else {}
        told.event.params = Params(data=_with_defaults(content_type, given), locale=given.get(LOCALE))
        await told.before(CREATE)
        body, changed_dates = _written(content_type, told, asides)
        told.event.id = entry_id = await creating(body, dates=changed_dates)
        await self._after(content_type, told, CREATE)
        return entry_id

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
        """As for `EntryUnit`. Raises HookFailed too, and what hooks raise for callers."""
        updating = partial(super().update, content_type, entry_id, actor_id=actor_id)
        told = begin(self, content_type.uid, Params(where={"id": entry_id}), entry_id, quiet=self._quiet)
        if told is None:
            return await updating(data, dates=dates, later=later)
        entry = await self._present(content_type, entry_id, data)
        if entry is None:
            return False
        given = await self._cast(content_type, data)
        if given is None:
            return _unhooked(told, await updating(data, dates=dates, later=later))
        asides = _asides(content_type, data)
        now = shown_moment(this_moment())
        given |= {UPDATED_AT: now, **dates, **asides}
        if PUBLISHED_AT in data and content_type.draft_and_publish:
            given[PUBLISHED_AT] = data[PUBLISHED_AT]
        told.event.params.data = given
        await told.before(UPDATE)
        publication = self._publication(content_type, entry, told.event.params.data)
        if publication is not None:
            await told.before(publication)
        body, changed_dates = _written(content_type, told, asides)
        later = later or (UPDATED_AT not in dates and changed_dates.get(UPDATED_AT) == now)
        if not await updating(body, dates=changed_dates, later=later):
            return False
        became = _KINDS.get(self.changes[-1].kind)
        await self._after(content_type, told, UPDATE, *([became] if became else []))
        return True

    async def delete(self, content_type: ContentType, entry_id: int) -> bool:
        """As for `EntryUnit`. Raises HookFailed too, and what hooks raise for callers."""
        told = begin(self, content_type.uid, Params(where={"id": entry_id}), entry_id, quiet=self._quiet)
        if told is None:
            return await super().delete(content_type, entry_id)
        if await self._present(content_type, entry_id) is None:
            return False
        await told.before(DELETE)
        if told.is_told(DELETE):
            told.event.result = await self._result(content_type.uid, entry_id)
        if not await super().delete(content_type, entry_id):
            return False
        await told.after(DELETE, data=None)
        return True

    async def create_many(self, content_type: ContentType, items: Sequence[Any], **options: Any) -> list[int]:
        """As for `ManyEntriesUnit`; hooks of many take the place of those of each entry at their moment."""
        given = [await self._cast(content_type, item) for item in items] if self._has_many(content_type, CREATE) else []
        data = [one for one in given if one is not None]
        if not given or len(data) < len(given):
            return await super().create_many(content_type, items, **options)
        async with self._many(content_type, CREATE, Params(data=data)) as event:
            ids = await super().create_many(content_type, [plain(item) for item in event.params.data], **options)
            event.result = {"count": len(ids), "ids": ids}
        return ids

    async def update_many(
        self, content_type: ContentType, ids: Iterable[int], data: Mapping[str, Any], *, actor_id: int | None = None
    ) -> int:
        """As for `ManyEntriesUnit`; hooks of many take the place of those of each entry at their moment."""
        wanted = list(ids)
        given = await self._cast(content_type, data) if self._has_many(content_type, UPDATE) else None
        if given is None:
            return await super().update_many(content_type, wanted, data, actor_id=actor_id)
        given |= {PUBLISHED_AT: data[PUBLISHED_AT]} if PUBLISHED_AT in data else {}
        async with self._many(content_type, UPDATE, Params(data=given, where={"id": {"$in": wanted}})) as event:
            count = await super().update_many(content_type, wanted, plain(event.params.data), actor_id=actor_id)
            event.result = {"count": count}
        return count

    async def delete_many(self, content_type: ContentType, ids: Iterable[int]) -> int:
        """As for `ManyEntriesUnit`; hooks of many take the place of those of each entry at their moment."""
        wanted = list(ids)
        if not self._has_many(content_type, DELETE):
            return await super().delete_many(content_type, wanted)
        async with self._many(content_type, DELETE, Params(where={"id": {"$in": wanted}})) as event:
            count = await super().delete_many(content_type, wanted)
            event.result = {"count": count}
        return count

    def _has_many(self, content_type: ContentType, action: str) -> bool:
        hooks = hooks_of(self, content_type.uid)
        return hooks is not None and hooks.wants(f"before_{action}_many", f"after_{action}_many")

    @asynccontextmanager
    async def _many(self, content_type: ContentType, action: str, params: Params) -> AsyncIterator[Event]:
        """Many changes: between their hooks those of each entry are silent at the same moment."""
        told = begin(self, content_type.uid, params)
        assert told is not None, "it has been looked for"
        moments = [moment for moment in (BEFORE, AFTER) if told.hooks.wants(f"{moment}{action}_many")]
        await told.before(f"{action}_many")
        before, self._quiet = self._quiet, frozenset(f"{moment}{action}" for moment in moments)
        try:
            yield told.event
        finally:
            self._quiet = before
        await told.after(f"{action}_many", data=None)

    async def tell(self, content_type: ContentType, entry_id: int, action: str, data: Mapping[str, Any]) -> None:
        """As for `EntryUnit`, for the hooks that there are."""
        await super().tell(content_type, entry_id, action, data)
        hooks = self.hooks.of(content_type.uid)
        if hooks is None or not hooks.wants(f"{AFTER_COMMIT}{action}"):
            return
        told = begin(self, content_type.uid, Params(data=dict(data), where={"id": entry_id}), entry_id, hooks=hooks)
        assert told is not None, "there are hooks"
        told.event.result = await self._result(content_type.uid, entry_id)
        await told.after(action, data=told.event.params.data)

    def goes_in_turn(self, content_type: ContentType, names: Iterable[str]) -> bool:
        """Hooks are called for one entry after the other."""
        return hooks_of(self, content_type.uid) is not None or super().goes_in_turn(content_type, names)

    async def _after(self, content_type: ContentType, told: Telling, *actions: str) -> None:
        """An entry is written: tell so."""
        if told.is_told(*actions):
            event = told.event
            event.result = await self._result(event.uid, int(event.id or 0))
            await told.after(*actions, data=without_passwords(self._registry, content_type, event.params.data))

    async def _result(self, uid: str, entry_id: int) -> Written | None:
        """An entry as it is now."""
        stored = await self._stored.read(uid, entry_id, self.connection)
        return None if stored is None else Written(uid, stored)

    async def _present(self, content_type: ContentType, entry_id: int, data: Any = None) -> FactRow | None:
        """The entry, if it is there; nobody else changes it until the end of the transaction."""
        if not 0 <= entry_id <= LARGEST_ID:
            return None
        await lock_entries(self.connection, {(content_type.uid, entry_id), *taken_entries(content_type, data)})
        fact = self.entry_fact(content_type, entry_id)
        return (await self._prefetch([fact])).entry(fact)

    def _publication(self, content_type: ContentType, entry: FactRow, data: Any) -> str | None:
        """Whether an update publishes an entry, or takes that back."""
        if not content_type.draft_and_publish or not isinstance(data, Mapping) or PUBLISHED_AT not in data:
            return None
        became, _ = self.publication(content_type, data[PUBLISHED_AT])
        return _KINDS.get(kind_of_update(presence_of(entry), became))

    async def _cast(self, content_type: ContentType, data: Any) -> dict[str, Any] | None:
        """The attributes of a body as they are cast; None where something is wrong that no hook can mend."""
        if not isinstance(data, Mapping):
            return None
        validator = Validator(self._registry, _MOST_LENIENT, listed_only=self._context.rules.listed_only)
        casting = partial(validator.entry, content_type, data)
        outcome = await self.compute(casting) if self.is_large else casting()
        return None if outcome.problems else dict(outcome.value)


def _unhooked(told: Telling | None, result: ResultT) -> ResultT:
    """What came of a write of which no hook was told: there are none, or it was refused."""
    assert told is None, "what cannot be cast is refused"
    return result


def _with_defaults(content_type: ContentType, given: dict[str, Any]) -> dict[str, Any]:
    defaults = {
        scalar.name: deepcopy(scalar.default)
        for scalar in content_type.scalars
        if scalar.has_default and scalar.writable and scalar.name not in given
    }
    return {**given, **defaults}


def _asides(content_type: ContentType, data: Mapping[str, Any]) -> dict[str, Any]:
    """What a body says besides attributes: nothing of it is written, hooks may want to know of it, as in v4."""
    known = {*content_type.attributes, *TIMESTAMPS, PUBLISHED_AT, LOCALE}
    return {name: deepcopy(value) for name, value in data.items() if name not in known}


def _written(
    content_type: ContentType, told: Telling, asides: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What hooks have left to be written, and its times. Raises HookFailed for what is no attribute."""
    event, hooks = told.event, told.hooks
    data = event.params.data
    if not isinstance(data, Mapping):
        raise hooks.mistake(event.action, f"event.params.data is no dictionary but {type(data).__name__}")
    known = {*content_type.writable_names, *TIMESTAMPS}
    known |= {PUBLISHED_AT} if content_type.draft_and_publish else set()
    known |= {LOCALE, LOCALIZATIONS} if content_type.localized and event.id is None else set()
    for name in data:
        if name not in known and name not in asides:
            raise hooks.mistake(event.action, f"there is no attribute {name!r} to write{did_you_mean(name, known)}")
    body = {name: plain(value) for name, value in data.items() if name in known and name not in TIMESTAMPS}
    return body, {name: plain(data[name]) for name in TIMESTAMPS if name in data}
