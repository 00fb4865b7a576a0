"""HookedUnit: create, update and delete entries and run the hooks of a project's code before and after.

Types without hooks are written as usual. Hooks before a write see the converted data with defaults, and can change it.
Validation runs after them, and required values can come from them.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import partial
from typing import Any, Final, TypeVar

from octavo.content.automatic_values import NO_DATES
from octavo.content.entry_unit import EntryUnit
from octavo.content.input.column_values import plain
from octavo.content.input.password_hashing import without_passwords
from octavo.content.reader import PreparedRead
from octavo.content.schedules import kind_of_update, presence_of
from octavo.content.stored_entries import StoredEntries
from octavo.content.validation.body_validator import Validator
from octavo.content.validation.scalar_rules import Mode
from octavo.content.write_context import WriteContext
from octavo.content.write_locks import lock_entries, taken_entries
from octavo.core.clock import format_timestamp, this_moment
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Transaction
from octavo.events.event import (
    AFTER,
    AFTER_COMMIT,
    BEFORE,
    CREATE,
    DELETE,
    PUBLISH,
    UNPUBLISH,
    UPDATE,
    Event,
    Params,
    Written,
)
from octavo.events.hook_calls import HookCalls, begin, hooks_of
from octavo.events.hooks import Hooks
from octavo.project.naming import did_you_mean
from octavo.query.plan.present_state import FactRow
from octavo.schema.attributes import CREATED_AT, LOCALE, LOCALIZATIONS, PUBLISHED_AT, TIMESTAMPS, UPDATED_AT
from octavo.schema.content_types import ContentType
from octavo.schema.scalar_types import LARGEST_ID

_MOST_LENIENT: Final = Mode(creating=False, draft=True)
ResultT = TypeVar("ResultT")
_KINDS: Final = {ChangeKind.PUBLISH: PUBLISH, ChangeKind.UNPUBLISH: UNPUBLISH}


class HookedUnit(EntryUnit):
    """A unit of work that writes entries and runs a project's hooks."""

    def __init__(
        self, context: WriteContext, hooks: Hooks, stored: StoredEntries, connection: Transaction, size: int = 0
    ) -> None:
        super().__init__(context, connection, size)
        self.hooks = hooks
        self._stored = stored
        self._quiet: frozenset[str] = frozenset()

    def _ends_with_write(self, content_type: ContentType) -> bool:
        return self.hooks.of(content_type.uid) is None and super()._ends_with_write(content_type)

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
        """Create an entry as in `EntryUnit`. Also raises HookFailed and errors that hooks raise for callers."""
        creating = partial(
            super().create,
            content_type,
            actor_id=actor_id,
            locale=locale,
            draft_default=draft_default,
            strict=strict,
            translates=translates,
        )
        run = begin(self, content_type.uid, Params(), quiet=self._quiet)
        given = None if run is None else await self._cast(content_type, data)
        if run is None or given is None:
            return _unhooked(run, await creating(data, dates=dates))
        moment = format_timestamp(this_moment())
        asides = _asides(content_type, data)
        given |= {CREATED_AT: moment, UPDATED_AT: moment, **dates, **asides}
        if content_type.draft_and_publish:
            given[PUBLISHED_AT] = data.get(PUBLISHED_AT, None if draft_default else moment)
        if content_type.localized:
            given[LOCALE] = await self._locale(content_type, data.get(LOCALE, locale))
            given |= {LOCALIZATIONS: deepcopy(data[LOCALIZATIONS])} if LOCALIZATIONS in data else {}
        run.event.params = Params(data=_with_defaults(content_type, given), locale=given.get(LOCALE))
        await run.before(CREATE)
        body, changed_dates = _written(content_type, run, asides)
        run.event.id = entry_id = await creating(body, dates=changed_dates)
        await self._after(content_type, run, CREATE)
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
        """Update an entry as in `EntryUnit`. Also raises HookFailed and errors that hooks raise for callers."""
        updating = partial(super().update, content_type, entry_id, actor_id=actor_id)
        run = begin(self, content_type.uid, Params(where={"id": entry_id}), entry_id, quiet=self._quiet)
        if run is None:
            return await updating(data, dates=dates, later=later)
        entry = await self._present(content_type, entry_id, data)
        if entry is None:
            return False
        given = await self._cast(content_type, data)
        if given is None:
            return _unhooked(run, await updating(data, dates=dates, later=later))
        asides = _asides(content_type, data)
        now = format_timestamp(this_moment())
        given |= {UPDATED_AT: now, **dates, **asides}
        if PUBLISHED_AT in data and content_type.draft_and_publish:
            given[PUBLISHED_AT] = data[PUBLISHED_AT]
        run.event.params.data = given
        await run.before(UPDATE)
        publication = self._publication(content_type, entry, run.event.params.data)
        if publication is not None:
            await run.before(publication)
        body, changed_dates = _written(content_type, run, asides)
        later = later or (UPDATED_AT not in dates and changed_dates.get(UPDATED_AT) == now)
        if not await updating(body, dates=changed_dates, later=later):
            return False
        became = _KINDS.get(self.changes[-1].kind)
        await self._after(content_type, run, UPDATE, *([became] if became else []))
        return True

    def answers_delete(self, content_type: ContentType, read: PreparedRead) -> bool:
        """As in `EntryUnit`, for types without hooks."""
        return self.hooks.of(content_type.uid) is None and super().answers_delete(content_type, read)

    async def delete(self, content_type: ContentType, entry_id: int) -> bool:
        """Delete an entry as in `EntryUnit`. Also raises HookFailed and errors that hooks raise for callers."""
        run = begin(self, content_type.uid, Params(where={"id": entry_id}), entry_id, quiet=self._quiet)
        if run is None:
            return await super().delete(content_type, entry_id)
        if await self._present(content_type, entry_id) is None:
            return False
        await run.before(DELETE)
        if run.needs_entry(DELETE):
            run.event.result = await self._result(content_type.uid, entry_id)
        if not await super().delete(content_type, entry_id):
            return False
        await run.after(DELETE, data=None)
        return True

    async def create_many(self, content_type: ContentType, items: Sequence[Any], **options: Any) -> list[int]:
        """Create entries as in `EntryUnit`. Bulk hooks replace the hooks of each entry."""
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
        """Update entries as in `EntryUnit`. Bulk hooks replace the hooks of each entry."""
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
        """Delete entries as in `EntryUnit`. Bulk hooks replace the hooks of each entry."""
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
        """Run bulk hooks around the block; inside it, the corresponding hooks of each entry do not run."""
        run = begin(self, content_type.uid, params)
        assert run is not None, "it has been looked for"
        moments = [moment for moment in (BEFORE, AFTER) if run.hooks.wants(f"{moment}{action}_many")]
        await run.before(f"{action}_many")
        before, self._quiet = self._quiet, frozenset(f"{moment}{action}" for moment in moments)
        try:
            yield run.event
        finally:
            self._quiet = before
        await run.after(f"{action}_many", data=None)

    async def emit(self, content_type: ContentType, entry_id: int, action: str, data: Mapping[str, Any]) -> None:
        """Send an event as in `EntryUnit`, and run its hooks."""
        await super().emit(content_type, entry_id, action, data)
        hooks = self.hooks.of(content_type.uid)
        if hooks is None or not hooks.wants(f"{AFTER_COMMIT}{action}"):
            return
        run = begin(self, content_type.uid, Params(data=dict(data), where={"id": entry_id}), entry_id, hooks=hooks)
        assert run is not None, "there are hooks"
        run.event.result = await self._result(content_type.uid, entry_id)
        await run.after(action, data=run.event.params.data)

    def writes_one_by_one(self, content_type: ContentType, names: Iterable[str]) -> bool:
        """Return whether entries are written one by one: always with hooks."""
        return hooks_of(self, content_type.uid) is not None or super().writes_one_by_one(content_type, names)

    async def _after(self, content_type: ContentType, run: HookCalls, *actions: str) -> None:
        """Run the hooks after a write."""
        if run.needs_entry(*actions):
            event = run.event
            event.result = await self._result(event.uid, int(event.id or 0))
            await run.after(*actions, data=without_passwords(self._registry, content_type, event.params.data))

    async def _result(self, uid: str, entry_id: int) -> Written | None:
        """Return the current state of an entry."""
        stored = await self._stored.read(uid, entry_id, self.connection)
        return None if stored is None else Written(uid, stored)

    async def _present(self, content_type: ContentType, entry_id: int, data: Any = None) -> FactRow | None:
        """Return an entry, locked until the end of the transaction; None if it does not exist."""
        if not 0 <= entry_id <= LARGEST_ID:
            return None
        await lock_entries(self.connection, {(content_type.uid, entry_id), *taken_entries(content_type, data)})
        fact = self.entry_fact(content_type, entry_id)
        return (await self._prefetch([fact])).entry(fact)

    def _publication(self, content_type: ContentType, entry: FactRow, data: Any) -> str | None:
        """Return whether an update publishes or unpublishes an entry; None if neither."""
        if not content_type.draft_and_publish or not isinstance(data, Mapping) or PUBLISHED_AT not in data:
            return None
        became, _ = self.publication(content_type, data[PUBLISHED_AT])
        return _KINDS.get(kind_of_update(presence_of(entry), became))

    async def _cast(self, content_type: ContentType, data: Any) -> dict[str, Any] | None:
        """Return the converted attributes of a body; None if it has an error that no hook can fix."""
        if not isinstance(data, Mapping):
            return None
        validator = Validator(self._registry, _MOST_LENIENT, listed_only=self._context.rules.listed_only)
        casting = partial(validator.entry, content_type, data)
        outcome = await self.compute(casting) if self.is_large else casting()
        return None if outcome.problems else dict(outcome.value)


def _unhooked(run: HookCalls | None, result: ResultT) -> ResultT:
    """Return the result of a write without hooks: the type has none, or the data was not valid."""
    assert run is None, "what cannot be cast is refused"
    return result


def _with_defaults(content_type: ContentType, given: dict[str, Any]) -> dict[str, Any]:
    defaults = {
        scalar.name: deepcopy(scalar.default)
        for scalar in content_type.scalars
        if scalar.has_default and scalar.writable and scalar.name not in given
    }
    return {**given, **defaults}


def _asides(content_type: ContentType, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a body that are not attributes. They are not written, but hooks see them, as in v4."""
    known = {*content_type.attributes, *TIMESTAMPS, PUBLISHED_AT, LOCALE}
    return {name: deepcopy(value) for name, value in data.items() if name not in known}


def _written(
    content_type: ContentType, run: HookCalls, asides: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the data and dates that hooks left to write. Raises HookFailed for keys that are not attributes."""
    event, hooks = run.event, run.hooks
    data = event.params.data
    if not isinstance(data, Mapping):
        raise hooks.mistake(event.action, f"event.params.data must be a dictionary, not {type(data).__name__}")
    known = {*content_type.writable_names, *TIMESTAMPS}
    known |= {PUBLISHED_AT} if content_type.draft_and_publish else set()
    known |= {LOCALE, LOCALIZATIONS} if content_type.localized and event.id is None else set()
    for name in data:
        if name not in known and name not in asides:
            raise hooks.mistake(event.action, f"unknown or read-only attribute {name!r}{did_you_mean(name, known)}")
    body = {name: plain(value) for name, value in data.items() if name in known and name not in TIMESTAMPS}
    return body, {name: plain(data[name]) for name in TIMESTAMPS if name in data}
