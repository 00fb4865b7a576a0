"""HookedUnit: entries created, updated and deleted with the hooks of a project's code before and after.

Types without hooks go the road of every entry. Hooks before a write see its data as it is cast, with defaults, and may
change it: all rules are asked of what they leave. A required value may come from them, so it is not asked for before.
"""

from collections.abc import Mapping
from copy import deepcopy
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import orjson

from octavo.authorization.actor import SYSTEM
from octavo.clock import this_moment
from octavo.content.entry_unit import NO_DATES, EntryUnit, WriteContext
from octavo.content.input.python_values import plain
from octavo.content.input.without_passwords import without_passwords
from octavo.content.validation.body_validator import Validator
from octavo.content.validation.scalar_rules import Mode
from octavo.database.change_feed import ChangeKind
from octavo.database.connection import Transaction
from octavo.database.unit_of_work import RunAlone
from octavo.events import origin
from octavo.events.after_commit import TOPIC, keep, ordering_key
from octavo.events.event import Event, Params, Written
from octavo.events.hooks import Hooks, TypeHooks, did_you_mean
from octavo.events.names import CREATE, DELETE, PUBLISH, UNPUBLISH, UPDATE
from octavo.plan.present_state import EntryFact, FactRow
from octavo.schema.automatic import CREATED_AT, LOCALE, PUBLISHED_AT, TIMESTAMPS, UPDATED_AT
from octavo.schema.content_types import ContentType
from octavo.schema.scalar_types import LARGEST_ID

_MOST_LENIENT: Final = Mode(creating=False, draft=True)
_KINDS: Final = {ChangeKind.PUBLISH: PUBLISH, ChangeKind.UNPUBLISH: UNPUBLISH}


class HookedUnit(EntryUnit):
    """A unit of work that writes entries, and tells a project's hooks of it."""

    def __init__(self, context: WriteContext, hooks: Hooks, connection: Transaction, size: int = 0) -> None:
        super().__init__(context, connection, size)
        self._hooks = hooks

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
    ) -> int:
        """As for `EntryUnit`. Raises HookFailed too, and what hooks raise for callers."""
        creating = partial(
            super().create, content_type, actor_id=actor_id, locale=locale, draft_default=draft_default, strict=strict
        )
        hooks = self._hooks_of(content_type)
        if hooks is None:
            return await creating(data, dates=dates)
        given = await self._cast(content_type, data)
        if given is None:
            await creating(data, dates=dates)
            raise AssertionError("what cannot be cast is refused")
        moment = shown_moment(this_moment())
        given |= {CREATED_AT: moment, UPDATED_AT: moment, **dates}
        if content_type.draft_and_publish:
            given[PUBLISHED_AT] = data.get(PUBLISHED_AT, None if draft_default else moment)
        if content_type.localized:
            given[LOCALE] = await self._locale(content_type, data.get(LOCALE, locale))
        event = self._event(content_type, Params(data=_with_defaults(content_type, given), locale=given.get(LOCALE)))
        await self._call(hooks, "before_create", event)
        body, changed_dates = _written(content_type, event, hooks)
        event.id = await creating(body, dates=changed_dates)
        await self._after(hooks, event, CREATE)
        return event.id

    async def update(
        self,
        content_type: ContentType,
        entry_id: int,
        data: Mapping[str, Any],
        *,
        actor_id: int | None = None,
        dates: Mapping[str, Any] = NO_DATES,
    ) -> bool:
        """As for `EntryUnit`. Raises HookFailed too, and what hooks raise for callers."""
        updating = partial(super().update, content_type, entry_id, actor_id=actor_id)
        hooks = self._hooks_of(content_type)
        if hooks is None:
            return await updating(data, dates=dates)
        entry = await self._present(content_type, entry_id)
        if entry is None:
            return False
        given = await self._cast(content_type, data)
        if given is None:
            await updating(data, dates=dates)
            raise AssertionError("what cannot be cast is refused")
        given |= {UPDATED_AT: shown_moment(this_moment()), **dates}
        if PUBLISHED_AT in data and content_type.draft_and_publish:
            given[PUBLISHED_AT] = data[PUBLISHED_AT]
        event = self._event(content_type, Params(data=given, where={"id": entry_id}), entry_id)
        await self._call(hooks, "before_update", event)
        publication = _publication(content_type, entry, event.params.data)
        if publication is not None:
            await self._call(hooks, f"before_{publication}", event)
        body, changed_dates = _written(content_type, event, hooks)
        if not await updating(body, dates=changed_dates):
            return False
        became = _KINDS.get(self.changes[-1].kind)
        await self._after(hooks, event, UPDATE, *([became] if became else []))
        return True

    async def delete(self, content_type: ContentType, entry_id: int) -> bool:
        """As for `EntryUnit`. Raises HookFailed too, and what hooks raise for callers."""
        hooks = self._hooks_of(content_type)
        if hooks is None:
            return await super().delete(content_type, entry_id)
        if await self._present(content_type, entry_id) is None:
            return False
        event = self._event(content_type, Params(where={"id": entry_id}), entry_id)
        await self._call(hooks, "before_delete", event)
        if _is_told(hooks, DELETE):
            event.result = await self._result(content_type.uid, entry_id)
        if not await super().delete(content_type, entry_id):
            return False
        await self._tell(hooks, event, DELETE)
        return True

    def _hooks_of(self, content_type: ContentType) -> TypeHooks | None:
        """The hooks of a type's writes; with any, nobody else waits for this unit's COMMIT. Raises RunAlone."""
        hooks = self._hooks.of(content_type.uid)
        if hooks is None or not hooks.writes:
            return None
        if self.is_grouped:
            raise RunAlone
        return hooks

    async def _call(self, hooks: TypeHooks, action: str, event: Event) -> None:
        """Call the hooks for an event; what they read and write belongs to this unit."""
        if hooks.wants(action):
            with self.ambient():
                await hooks.call(action, event)

    async def _after(self, hooks: TypeHooks, event: Event, *actions: str) -> None:
        """An entry is written: tell so."""
        if any(_is_told(hooks, action) for action in actions):
            assert event.id is not None, "it is written"
            event.result = await self._result(event.uid, event.id)
            await self._tell(hooks, event, *actions)

    async def _tell(self, hooks: TypeHooks, event: Event, *actions: str) -> None:
        for action in actions:
            await self._call(hooks, f"after_{action}", event)
        for hook in (hook for action in actions for hook in hooks.of(f"after_commit_{action}")):
            assert self._hooks.outbox is not None, "a site has one"
            data = without_passwords(self._registry, self._registry.content_types[event.uid], event.params.data)
            kept = keep(hooks, hook, event, data)
            await self._hooks.outbox.add(self, TOPIC, kept, ordering_key(event))

    async def _result(self, uid: str, entry_id: int) -> Written | None:
        """An entry as it is now."""
        image = await self.read_image(uid, entry_id)
        return None if image is None else Written(uid, orjson.loads(image))

    async def _present(self, content_type: ContentType, entry_id: int) -> FactRow | None:
        """The entry, if it is there; nobody else changes it until the end of the transaction."""
        if not 0 <= entry_id <= LARGEST_ID:
            return None
        await self.connection.lock(f"octavo: entry {content_type.uid} {entry_id}")
        fact = EntryFact(content_type=content_type, id=entry_id)
        return (await self._prefetch([fact])).entry(fact)

    async def _cast(self, content_type: ContentType, data: Any) -> dict[str, Any] | None:
        """The attributes of a body as they are cast; None where something is wrong that no hook can mend."""
        if not isinstance(data, Mapping):
            return None
        validator = Validator(self._registry, _MOST_LENIENT, listed_only=self._context.rules.listed_only)
        casting = partial(validator.entry, content_type, data)
        outcome = await self.compute(casting) if self.is_large else casting()
        return None if outcome.problems else dict(outcome.value)

    def _event(self, content_type: ContentType, params: Params, entry_id: int | None = None) -> Event:
        return Event(
            action="",
            uid=content_type.uid,
            id=entry_id,
            params=params,
            actor=origin.actor() or SYSTEM,
            source=origin.source(),
            app=self._hooks.app,
        )


def shown_moment(milliseconds: int) -> str:
    """A moment as entries show it: `2024-05-01T12:00:00.000Z`."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return f"{moment.isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def _is_told(hooks: TypeHooks, action: str) -> bool:
    """Whether what an entry is, or was, is wanted once it is written."""
    return hooks.wants(f"after_{action}", f"after_commit_{action}")


def _with_defaults(content_type: ContentType, given: dict[str, Any]) -> dict[str, Any]:
    defaults = {
        scalar.name: deepcopy(scalar.default)
        for scalar in content_type.scalars
        if scalar.has_default and scalar.writable and scalar.name not in given
    }
    return {**given, **defaults}


def _publication(content_type: ContentType, entry: FactRow, data: Any) -> str | None:
    """Whether an update publishes an entry, or takes that back."""
    if not content_type.draft_and_publish or not isinstance(data, Mapping) or PUBLISHED_AT not in data:
        return None
    is_published = data[PUBLISHED_AT] is not None
    return None if bool(entry.owner) == is_published else PUBLISH if is_published else UNPUBLISH


def _written(content_type: ContentType, event: Event, hooks: TypeHooks) -> tuple[dict[str, Any], dict[str, Any]]:
    """What hooks have left to be written, and its times. Raises HookFailed for what is no attribute."""
    data = event.params.data
    if not isinstance(data, Mapping):
        raise hooks.mistake(event.action, f"event.params.data is no dictionary but {type(data).__name__}")
    known = {*content_type.writable_names, *TIMESTAMPS}
    known |= {PUBLISHED_AT} if content_type.draft_and_publish else set()
    known |= {LOCALE} if content_type.localized and event.id is None else set()
    for name in data:
        if name not in known:
            raise hooks.mistake(event.action, f"there is no attribute {name!r} to write{did_you_mean(name, known)}")
    body = {name: plain(value) for name, value in data.items() if name not in TIMESTAMPS}
    return body, {name: plain(data[name]) for name in TIMESTAMPS if name in data}
