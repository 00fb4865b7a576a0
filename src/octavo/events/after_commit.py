"""Hooks after the commit: stored in the outbox with the change, called after the commit, by any process.

A hook is identified by its file and name. Its arguments are stored: the entry as written, the caller, and the state set
by earlier hooks.
"""

from decimal import Decimal
from functools import partial
from typing import Any, Final

import orjson

from octavo.events.event import Event, Params, State, Written
from octavo.events.hooks import Hook, Hooks, TypeHooks
from octavo.events.messages import LONGEST_NAME, Message, Topic, Undeliverable
from octavo.events.origin import on_behalf_of, past_actor, serialize_actor
from octavo.events.state_snapshots import read_state, store_state

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
