"""Call hooks for a change in its unit of work: before it, after it, and after the commit.

    event = begin(unit, uid, Params(data={...}))
    if event is not None:
        await event.before("create")
        ...                                   # write event.params.data, which hooks may have changed
        await event.after("create")

Rows of built-in types with separate statements go through `create_row`, `update_row` and `delete_row`.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from octavo.core.values import dataclass
from octavo.database.unit_of_work import CannotShareCommit, UnitOfWork
from octavo.events import origin
from octavo.events.after_commit import TOPIC, keep, ordering_key
from octavo.events.event import CREATE, DELETE, UPDATE, Event, Params, Written
from octavo.events.hooks import Hooks, TypeHooks
from octavo.project.naming import did_you_mean

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class HookCalls:
    """The hooks for one change of one or many entries. No hooks run for `quiet` events."""

    unit: UnitOfWork
    hooks: TypeHooks
    event: Event
    quiet: frozenset[str] = frozenset()

    async def before(self, action: str) -> None:
        """Call the hooks before the change. Their reads and writes belong to the unit. Raises HookFailed and their
        errors."""
        await self._call(f"before_{action}")

    def needs_entry(self, *actions: str) -> bool:
        """Return whether hooks need the entry before or after the change."""
        return any(self.hooks.wants(f"after_{action}", f"after_commit_{action}") for action in actions)

    async def after(self, *actions: str, data: Any) -> None:
        """Call the hooks after the change, and store those after the commit. `data` is the storable part of the
        event's."""
        for action in actions:
            await self._call(f"after_{action}")
        registry: Hooks = self.unit.hooks
        for hook in (hook for action in actions for hook in self.hooks.of(f"after_commit_{action}")):
            assert registry.outbox is not None, "a site has one"
            kept = keep(self.hooks, hook, self.event, data)
            await registry.outbox.add(self.unit, TOPIC, kept, ordering_key(self.event))

    async def _call(self, action: str) -> None:
        self.event.action = action
        if self.hooks.wants(action) and action not in self.quiet:
            with self.unit.ambient():
                await self.hooks.call(action, self.event)


def begin(
    unit: UnitOfWork,
    uid: str,
    params: Params,
    entry_id: int | None = None,
    *,
    quiet: frozenset[str] = frozenset(),
    hooks: TypeHooks | None = None,
) -> HookCalls | None:
    """Return the hook calls for a change, or None if its type has no hooks. Raises CannotShareCommit if it shares one.

    `hooks`: the hooks for an event that is not a change.
    """
    hooks = hooks or hooks_of(unit, uid)
    if hooks is None:
        return None
    unit.is_cautious = True  # hooks must not run again because of a check that was skipped
    event = Event(
        action="",
        uid=uid,
        id=entry_id,
        params=params,
        actor=origin.actor(),
        source=origin.source(),
        app=unit.hooks.app,
    )
    return HookCalls(unit, hooks, event, quiet)


def hooks_of(unit: UnitOfWork, uid: str) -> TypeHooks | None:
    """Return the hooks for a type's changes. Raises CannotShareCommit, because no other COMMIT waits for hooks."""
    hooks: TypeHooks | None = unit.hooks.of(uid) if unit.hooks else None
    if hooks is None or not hooks.writes:
        return None
    if unit.is_grouped:
        raise CannotShareCommit
    return hooks


async def create_row(unit: UnitOfWork, uid: str, data: Data, write: Callable[[Data], Awaitable[int]]) -> int:
    """Write a new row of a built-in type with the data from hooks, and return its id."""
    calls = begin(unit, uid, Params(data=dict(data)))
    if calls is None:
        return await write(data)
    await calls.before(CREATE)
    given = _changed(calls, data)
    calls.event.id = entry_id = await write(given)
    calls.event.result = Written(uid, {"id": entry_id, **given})
    await calls.after(CREATE, data=given)
    return entry_id


async def update_row(
    unit: UnitOfWork, uid: str, entry_id: int, data: Data, write: Callable[[Data], Awaitable[object]]
) -> None:
    """Update a row of a built-in type with the data from hooks."""
    calls = begin(unit, uid, Params(data=dict(data), where={"id": entry_id}), entry_id)
    if calls is None:
        await write(data)
        return
    await calls.before(UPDATE)
    given = _changed(calls, data)
    await write(given)
    calls.event.result = Written(uid, {"id": entry_id, **given})
    await calls.after(UPDATE, data=given)


async def delete_row(
    unit: UnitOfWork, uid: str, entry_id: int, was: Mapping[str, Any], remove: Callable[[], Awaitable[object]]
) -> None:
    """Delete a row of a built-in type. Hooks get its last state, `was`."""
    calls = begin(unit, uid, Params(where={"id": entry_id}), entry_id)
    if calls is None:
        await remove()
        return
    await calls.before(DELETE)
    calls.event.result = Written(uid, {"id": entry_id, **was})
    await remove()
    await calls.after(DELETE, data=None)


def _changed(calls: HookCalls, before: Data) -> Data:
    """Return the data that hooks have changed. Raises HookFailed for attributes that are not written."""
    data = calls.event.params.data
    if not isinstance(data, Mapping):
        raise calls.hooks.mistake(
            calls.event.action, f"event.params.data must be a dictionary, not {type(data).__name__}"
        )
    unknown = [name for name in data if name not in before]
    if unknown:
        hint = did_you_mean(unknown[0], before)
        raise calls.hooks.mistake(calls.event.action, f"unknown attribute {unknown[0]!r}{hint}")
    return {**before, **data}
