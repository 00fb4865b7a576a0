"""Reads of content types with hooks in a project's code. Hooks before a read can narrow it; hooks after it can change
the result. Reads of other types are not affected.

GraphQL results use the client's aliases, so hooks after a read cannot run on them: such reads are refused.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from octavo.access.authorization.ability import Ability
from octavo.access.authorization.permissions import CODE, SERVICES
from octavo.content.reader import PreparedRead
from octavo.content.validation.body_validator import COMPONENT_KEY
from octavo.core.errors import ClosedError
from octavo.core.values import dataclass
from octavo.events import origin
from octavo.events.event import FIND_MANY, FIND_ONE, Event, Params
from octavo.events.hooks import Hooks, TypeHooks
from octavo.query.answer import Object
from octavo.query.ast import Query
from octavo.query.plan.planning import Value
from octavo.query.request import By, Form, Projection, ReadRequest
from octavo.schema.attributes import AnyAttribute, ComponentField, DynamicZone, Media, Relation
from octavo.schema.content_types import Definition
from octavo.schema.registry import Registry

_DATA: Final = frozenset({"data"})
Turn = Callable[[Any, Definition, Registry], Any]


class FlatEntry(dict[str, Any]):
    """A flat entry. `meta` is the entry's REST metadata besides the attributes."""

    meta: Any = None


def flat(entry: Mapping[str, Any], definition: Definition, registry: Registry) -> FlatEntry:
    """Convert `{"id", "attributes"}` to `{"id", ...}`, including relations."""
    entry_values = FlatEntry(id=entry.get("id"), **_each(entry["attributes"], definition, registry, _flat_link))
    entry_values.meta = entry.get("meta")
    return entry_values


def nested(entry: Mapping[str, Any], definition: Definition, registry: Registry) -> dict[str, Any]:
    """Convert `{"id", ...}` back to `{"id", "attributes"}`, with all changes."""
    values = {name: value for name, value in entry.items() if name != "id"}
    nested_entry = {"id": entry.get("id"), "attributes": _each(values, definition, registry, _nested_link)}
    if isinstance(entry, FlatEntry) and entry.meta is not None:
        nested_entry["meta"] = entry.meta
    return nested_entry


def _each(values: Mapping[str, Any], definition: Definition, registry: Registry, turn: Turn) -> dict[str, Any]:
    """Return the values of an entry or component, with related entries converted by `turn`."""
    attributes = definition.attributes
    return {name: _value(value, attributes.get(name), registry, turn) for name, value in values.items()}


def _value(value: Any, attribute: AnyAttribute | None, registry: Registry, turn: Turn) -> Any:
    if isinstance(attribute, Relation | Media):
        target = registry.target(attribute)
        return value if target is None else turn(value, target, registry)
    if not isinstance(attribute, ComponentField | DynamicZone):
        return value
    if isinstance(value, list):
        return [_value(item, attribute, registry, turn) for item in value]
    if not isinstance(value, Mapping):
        return value
    uid = attribute.component if isinstance(attribute, ComponentField) else value.get(COMPONENT_KEY)
    component = registry.components.get(str(uid))
    return value if component is None else _each(value, component, registry, turn)


def _flat_link(value: Any, target: Definition, registry: Registry) -> Any:
    data = value.get("data") if isinstance(value, Mapping) and value.keys() == _DATA else value
    if isinstance(data, list):
        return [flat(item, target, registry) for item in data]
    if isinstance(data, Mapping):
        return flat(data, target, registry) if "id" in data else value
    return data


def _nested_link(value: Any, target: Definition, registry: Registry) -> Any:
    if isinstance(value, list):
        return {"data": [nested(item, target, registry) for item in value]}
    if isinstance(value, Mapping):
        return value if value.keys() == _DATA else {"data": nested(value, target, registry)}
    return {"data": value}


Prepare = Callable[[ReadRequest, Ability, Query], PreparedRead]

_OF_MANY: Final = (By.LIST, By.COUNT)


@dataclass(frozen=True, slots=True)
class HookedRequest:
    """The request behind a read, and the hooks of its content type."""

    request: ReadRequest
    ability: Ability
    hooks: TypeHooks

    @property
    def action(self) -> str:
        """The action in event names."""
        return FIND_MANY if self.request.by in _OF_MANY else FIND_ONE


@dataclass(slots=True)
class HookedRead(PreparedRead):
    """A prepared read together with its request and hooks."""

    asked: HookedRequest | None = None

    def bind(self, **given: Value) -> PreparedRead:
        """Bind values as PreparedRead does."""
        return _join(PreparedRead.bind(self, **given), self.asked)


def _join(read: PreparedRead, asked: HookedRequest | None) -> HookedRead:
    return HookedRead(
        read.statement, read.values, read.late, read.moments, read.page, read.renewal, read.given, asked=asked
    )


class HookedReads:
    """Runs hooks for reads. `prepare` prepares a read again with the filters and populates that hooks add."""

    def __init__(self, registry: Registry, hooks: Hooks, prepare: Prepare) -> None:
        self._registry = registry
        self._hooks = hooks
        self._prepare = prepare

    def join(self, read: PreparedRead, request: ReadRequest, ability: Ability | None) -> PreparedRead:
        """Return the read with its hooks, if any. Raises ClosedError if hooks cannot run on its result."""
        hooks = self._hooks.of(request.content_type.uid)
        if hooks is None or not hooks.reads or ability is None or request.projection is Form.ID:
            return read
        if not _has_own_names(request.projection) and hooks.wants(f"after_{FIND_ONE}", f"after_{FIND_MANY}"):
            raise ClosedError
        return _join(read, HookedRequest(request, ability, hooks))

    def are_for(self, uid: str) -> bool:
        """Return whether a content type has hooks for reads."""
        hooks = self._hooks.of(uid)
        return hooks is not None and bool(hooks.reads)

    async def before(self, read: HookedRead) -> tuple[PreparedRead, Event]:
        """Run the hooks before a read; return the changed read and its event. Raises their errors."""
        asked, event = self._begin(read)
        await asked.hooks.call(f"before_{asked.action}", event)
        wanted = {"filters": event.params.filters, "populate": event.params.populate}
        given = {name: value for name, value in wanted.items() if value}
        if not given:
            return read, event
        prepared = self._prepare(asked.request, asked.ability, self._hooks.parse_query(given))
        return prepared.bind(**read.given) if prepared.late else prepared, event

    async def after_many(self, read: HookedRead, event: Event, found: bytes) -> bytes:
        """Run the hooks after a list; return the entries."""
        asked = _asked(read)
        if not asked.hooks.wants(f"after_{FIND_MANY}"):
            return found
        event.result = [self._flat(asked, entry) for entry in orjson.loads(found)]
        await asked.hooks.call(f"after_{FIND_MANY}", event)
        if not isinstance(event.result, list):
            raise asked.hooks.mistake(event.action, "event.result must stay a list")
        return orjson.dumps([self._nested(asked, entry) for entry in event.result])

    async def after_one(self, read: HookedRead, event: Event, found: bytes | None) -> bytes | None:
        """Run the hooks after a single read; return the entry, or None if they remove it."""
        asked = _asked(read)
        if not asked.hooks.wants(f"after_{FIND_ONE}"):
            return found
        event.result = None if found is None else self._flat(asked, orjson.loads(found))
        await asked.hooks.call(f"after_{FIND_ONE}", event)
        return None if event.result is None else orjson.dumps(self._nested(asked, event.result))

    async def after_write(self, read: HookedRead, found: bytes | None) -> bytes | None:
        """Run the hooks for the response to a write, as for a read of the entry."""
        return await self.after_one(read, self._begin(read)[1], found)

    def _begin(self, read: HookedRead) -> tuple[HookedRequest, Event]:
        asked, given = _asked(read), dict(read.given)
        entry_id = given.get("id")
        event = Event(
            action=asked.action,
            uid=asked.hooks.uid,
            id=entry_id if isinstance(entry_id, int) else None,
            params=Params(where=given, locale=asked.request.locale),
            actor=origin.actor(),
            source="code" if asked.ability is CODE or asked.ability is SERVICES else origin.source(),
            app=self._hooks.app,
        )
        return asked, event

    def _flat(self, asked: HookedRequest, entry: Any) -> Any:
        is_rest = asked.request.projection is Form.REST
        return flat(entry, asked.request.content_type, self._registry) if is_rest else entry

    def _nested(self, asked: HookedRequest, entry: Any) -> Any:
        if asked.request.projection is not Form.REST:
            return entry
        if not isinstance(entry, dict):
            raise asked.hooks.mistake(
                f"after_{asked.action}", f"an entry must be a dictionary, not {type(entry).__name__}"
            )
        return nested(entry, asked.request.content_type, self._registry)


def _has_own_names(projection: Projection) -> bool:
    """Return whether hooks can run on the result: its keys are the attributes' names."""
    return isinstance(projection, Form) or (isinstance(projection, Object) and projection.own_names)


def _asked(read: HookedRead) -> HookedRequest:
    assert read.asked is not None, "it was made by `join`"
    return read.asked
