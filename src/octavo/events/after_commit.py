"""Hooks after the commit: stored in the outbox with the change, called after the commit, by any process.

A hook is identified by its file and name. Its arguments are stored: the entry as written, the caller, and the state set
by earlier hooks.

`event.state` is stored as JSON, with a few types of Python that JSON does not have.
"""

import logging
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final

import orjson

from octavo.events.event import Event, Params, State, Written
from octavo.events.hooks import Hook, Hooks, TypeHooks
from octavo.events.messages import LONGEST_NAME, Message, Topic, Undeliverable
from octavo.events.origin import on_behalf_of, past_actor, serialize_actor

logger = logging.getLogger("octavo.code")

LARGEST: Final = 1024**2
"""Maximum bytes of a state, as JSON."""
_TYPE: Final = "$octavo"
_SMALLEST_INT, _LARGEST_INT = -(2**63), 2**64 - 1
_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "decimal": Decimal,
    "int": lambda text: int(text, 16),
    "bytes": b64decode,
    "set": set,
    "frozenset": frozenset,
    "dict": lambda items: {_hashable(_read(key)): _read(value) for key, value in items},
}


def store_state(state: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the storable part of a state. `place` names the hooks in the log."""
    stored: dict[str, Any] = {}
    room = LARGEST
    for name, value in state.items():
        try:
            plain = _stored(value)
            size = len(orjson.dumps(plain))
        except (TypeError, RecursionError) as error:
            logger.warning("%s: event.state.%s is lost after the commit: %s", place, name, error)
            continue
        if size > room:
            message = "%s: event.state.%s is lost after the commit: the state can have at most %d bytes as JSON"
            logger.warning(message, place, name, LARGEST)
            continue
        room -= size
        stored[name] = plain
    return stored


def read_state(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state that was stored."""
    return {name: _read(value) for name, value in stored.items()}


def _stored(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, bool | float | None):
        return value
    if isinstance(value, int):
        fits = _SMALLEST_INT <= value <= _LARGEST_INT
        return int(value) if fits else {_TYPE: "int", "value": hex(value)}
    if isinstance(value, Mapping):
        return _stored_mapping(value)
    if isinstance(value, list | tuple):
        return [_stored(item) for item in value]
    if isinstance(value, set | frozenset):
        kind = "set" if isinstance(value, set) else "frozenset"
        return {_TYPE: kind, "value": [_stored(item) for item in value]}
    if isinstance(value, Decimal):
        return {_TYPE: "decimal", "value": str(value)}
    if isinstance(value, bytes | bytearray):
        return {_TYPE: "bytes", "value": b64encode(value).decode()}
    return orjson.loads(orjson.dumps(value))


def _stored_mapping(value: Mapping[Any, Any]) -> Any:
    if _TYPE in value or not all(isinstance(key, str) for key in value):
        return {_TYPE: "dict", "value": [[_stored(key), _stored(item)] for key, item in value.items()]}
    return {_stored(key): _stored(item) for key, item in value.items()}


def _read(value: Any) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get(_TYPE)
    if kind is None:
        return {key: _read(item) for key, item in value.items()}
    tag_values = value["value"]
    if kind in ("set", "frozenset"):
        tag_values = [_hashable(_read(one)) for one in tag_values]
    return _READ[kind](tag_values)


def _hashable(value: Any) -> Any:
    """Convert lists back to the tuples that they were before JSON."""
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


TOPIC: Final = "hooks"
SECONDS: Final = 30.0


def hooks_topic(hooks: Hooks) -> Topic:
    """Return the topic that calls the stored hooks of this site."""
    return Topic(TOPIC, partial(_deliver, hooks), seconds=SECONDS, is_active=lambda: hooks.has_after_commit)


def ordering_key(event: Event) -> str:
    """Return the key that makes hooks of one entry run in the order of its changes."""
    return f"{event.uid} {event.id}"[-LONGEST_NAME:]


def keep(hooks: TypeHooks, hook: Hook, event: Event, data: Any) -> bytes:
    """Return an event as JSON; `data` is the storable part of its data. Raises HookFailed for data that is not JSON."""
    kept = {
        "key": hook.key,
        "event": hook.event,
        "uid": event.uid,
        "id": event.id,
        "data": data,
        "where": event.params.where,
        "locale": event.params.locale,
        "result": event.result,
        "state": store_state(event.state, hook.function.place),
        "source": event.source,
        "actor": serialize_actor(event.actor),
    }
    try:
        return orjson.dumps(kept, default=_plain)
    except TypeError as error:
        raise hooks.mistake(hook.event, f"event.params must be JSON until then: {error}") from error


def _plain(value: Any) -> Any:
    """Return values that hooks put into data in the form of request bodies."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, set | frozenset):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not a JSON value")


async def _deliver(hooks: Hooks, message: Message) -> None:
    kept = message.payload
    uid, key, name = kept["uid"], kept["key"], kept["event"]
    of_type, hook = hooks.of(uid), hooks.find(uid, name, key)
    if of_type is None or hook is None:
        raise Undeliverable(f"the hook {key} for {name} of {uid} no longer exists")
    result = kept["result"]
    event = Event(
        action=name,
        uid=uid,
        id=kept["id"],
        params=Params(data=kept["data"], where=kept["where"], locale=kept["locale"]),
        actor=past_actor(kept["actor"]),
        source=kept["source"],
        app=hooks.app,
        result=None if result is None else Written(uid, result),
        state=State(read_state(kept["state"])),
    )
    with on_behalf_of(event.actor):
        await of_type.call_one(hook, event, SECONDS)
