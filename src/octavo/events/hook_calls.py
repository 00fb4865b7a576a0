"""Telling hooks of a change inside its unit of work: before it, after it, and for after the commit.

    event = begin(unit, uid, Params(data={...}))
    if event is not None:
        await event.before("create")
        ...                                   # what event.params.data says by now is written
        await event.after("create")

Rows of built-in types that have statements of their own go through `create_row`, `update_row` and `delete_row`.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from octavo.core.values import dataclass
from octavo.database.unit_of_work import RunAlone, UnitOfWork
from octavo.events import origin
from octavo.events.after_commit import TOPIC, keep, ordering_key
from octavo.events.event import Event, Params, Written
from octavo.events.hooks import Hooks, TypeHooks
from octavo.events.names import CREATE, DELETE, UPDATE
from octavo.project.naming import did_you_mean

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Telling:
    """One change of one entry, or of many, and those who are told of it. Nobody is told of `quiet` events."""

    unit: UnitOfWork
    hooks: TypeHooks
    event: Event
    quiet: frozenset[str] = frozenset()

    async def before(self, action: str) -> None:
        """Call the hooks before it; what they read and write belongs to the unit. Raises HookFailed and theirs."""
        await self._call(f"before_{action}")

    def is_told(self, *actions: str) -> bool:
        """Whether what the entry is, or was, is wanted once it is written."""
        return any(self.hooks.wants(f"after_{action}", f"after_commit_{action}") for action in actions)

    async def after(self, *actions: str, data: Any) -> None:
        """Call the hooks after it, and see to those after the commit; `data` is what may be kept of the event's."""
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
) -> Telling | None:
    """What is about to happen, for the hooks of its type; None without any. Raises RunAlone in a shared COMMIT.

    `hooks`: those of what is no change.
    """
    hooks = hooks or hooks_of(unit, uid)
    if hooks is None:
        return None
    unit.is_cautious = True  # they are not called again for what could have been asked before
    event = Event(
        action="",
        uid=uid,
        id=entry_id,
        params=params,
        actor=origin.actor(),
        source=origin.source(),
        app=unit.hooks.app,
    )
    return Telling(unit, hooks, event, quiet)


def hooks_of(unit: UnitOfWork, uid: str) -> TypeHooks | None:
    """The hooks of a type's changes. Raises RunAlone: nobody else waits for them with a COMMIT."""
    hooks: TypeHooks | None = unit.hooks.of(uid) if unit.hooks else None
    if hooks is None or not hooks.writes:
        return None
    if unit.is_grouped:
        raise RunAlone
    return hooks


async def create_row(unit: UnitOfWork, uid: str, data: Data, write: Callable[[Data], Awaitable[int]]) -> int:
    """Write a new row of a built-in type, as hooks leave its data; its id."""
    told = begin(unit, uid, Params(data=dict(data)))
    if told is None:
        return await write(data)
    await told.before(CREATE)
    given = _changed(told, data)
    told.event.id = entry_id = await write(given)
    told.event.result = Written(uid, {"id": entry_id, **given})
    await told.after(CREATE, data=given)
    return entry_id


async def update_row(
    unit: UnitOfWork, uid: str, entry_id: int, data: Data, write: Callable[[Data], Awaitable[object]]
) -> None:
    """Change a row of a built-in type, as hooks leave its data."""
    told = begin(unit, uid, Params(data=dict(data), where={"id": entry_id}), entry_id)
    if told is None:
        await write(data)
        return
    await told.before(UPDATE)
    given = _changed(told, data)
    await write(given)
    told.event.result = Written(uid, {"id": entry_id, **given})
    await told.after(UPDATE, data=given)


async def delete_row(
    unit: UnitOfWork, uid: str, entry_id: int, was: Mapping[str, Any], remove: Callable[[], Awaitable[object]]
) -> None:
    """Remove a row of a built-in type, which hooks are shown as it `was`."""
    told = begin(unit, uid, Params(where={"id": entry_id}), entry_id)
    if told is None:
        await remove()
        return
    await told.before(DELETE)
    told.event.result = Written(uid, {"id": entry_id, **was})
    await remove()
    await told.after(DELETE, data=None)


def _changed(told: Telling, before: Data) -> Data:
    """What hooks have left of the data. Raises HookFailed for what is not written."""
    data = told.event.params.data
    if not isinstance(data, Mapping):
        raise told.hooks.mistake(told.event.action, f"event.params.data is {type(data).__name__}, no dictionary")
    unknown = [name for name in data if name not in before]
    if unknown:
        hint = did_you_mean(unknown[0], before)
        raise told.hooks.mistake(told.event.action, f"{unknown[0]!r} is not written here{hint}")
    return {**before, **data}
