"""Reads and writes of entries in hooks: the hooks of those entries run too, and may reject."""

from collections.abc import Iterable
from typing import Final

from octavo.core.values import dataclass
from octavo.schema.content_types import FILE, USER
from octavo.v4.code.code import Guard
from octavo.v4.javascript.source import Place

UNKNOWN: Final = "?"
"""The content type of a call without a literal UID."""
_FIND: Final = frozenset(("FindOne", "FindMany", "Count"))
_READS: Final = ("find", "findOne", "findMany", "findPage", "findWithCount", "count", "load", "loadPages", "search")
_EVENTS: Final = {
    **dict.fromkeys(_READS, _FIND),
    "create": frozenset(("Create",)) | _FIND,
    "update": frozenset(("Update",)) | _FIND,
    "delete": frozenset(("Delete",)) | _FIND,
    "createOrUpdate": frozenset(("Create", "Update")) | _FIND,
    "createMany": frozenset(("CreateMany",)),
    "updateMany": frozenset(("UpdateMany",)),
    "deleteMany": frozenset(("DeleteMany", "Delete")) | _FIND,
}
"""The actions of a call, as named in hooks. v4 reads an entry whenever it writes one."""
_USERS: Final = {"add": "create", "edit": "update", "remove": "delete", "fetch": "findOne", "fetchAll": "findMany"}
_FILES: Final = {
    **dict.fromkeys(("upload", "add", "uploadFileAndPersist"), "create"),
    **dict.fromkeys(("update", "updateFileInfo", "replace"), "update"),
    "remove": "delete",
}
_PLUGINS: Final = {("users-permissions", "user"): (USER, _USERS), ("upload", "upload"): (FILE, _FILES)}


@dataclass(frozen=True, slots=True)
class Nested:
    """A read or write in other code: the content type, the action, and the location."""

    uid: str
    events: frozenset[str]
    place: Place


@dataclass(frozen=True, slots=True)
class NestedHook:
    """A hook that runs for other code's reads and writes. `is_known`: it may reject, whatever it reads and writes.

    `position` is that of its finding.
    """

    uid: str
    event: str
    guard: Guard
    nested: tuple[Nested, ...]
    is_known: bool
    position: int

    @property
    def is_before(self) -> bool:
        """Return whether it runs before its operation, and can prevent it."""
        return self.event.startswith("before")

    def runs_at(self, nested: Nested) -> bool:
        """Return whether it runs for a read or write."""
        event = self.event.removeprefix("before").removeprefix("after")
        return event in nested.events and (not self.uid or nested.uid in (UNKNOWN, self.uid))


def nested_of(path: tuple[str, ...], first: str, place: Place) -> Nested | None:
    """Return what a call of `strapi` reads or writes. `first` is its first argument if it is a text."""
    match path:
        case ("entityService", name):
            return _nested(first, name, place)
        case ("query()", uid, name) | ("db", "query()", uid, name) | ("service()" | "services", uid, name):
            return _nested(uid, name, place)
        case ("api()" | "api", owner, "service()" | "services", service, name):
            return _nested(f"api::{owner}.{service}", name, place)
        case ("plugin()" | "plugins", owner, "service()" | "services", service, name):
            return _nested(f"plugin::{owner}.{service}", name, place)
    return None


def _nested(uid: str, name: str, place: Place) -> Nested | None:
    owner, _, service = uid.removeprefix("plugin::").partition(".")
    known, names = _PLUGINS.get((owner, service), (uid, {}))
    events = _EVENTS.get(names.get(name, name))
    return None if events is None else Nested(known, events, place)


def refused_by_others(hooks: Iterable[NestedHook]) -> list[tuple[NestedHook, Nested, NestedHook]]:
    """Return the hooks that other hooks may reject, each with the read or write and the first hook that runs for it."""
    refusing = [one for one in hooks if one.is_known]
    waiting = [one for one in hooks if not one.is_known and one.nested]
    refused: list[tuple[NestedHook, Nested, NestedHook]] = []
    while True:
        met = [(one, *first) for one in waiting if (first := _met(one, refusing)) is not None]
        if not met:
            return refused
        refused += met
        refusing += [one for one, _, _ in met]
        waiting = [one for one in waiting if one not in refusing]


def _met(hook: NestedHook, refusing: list[NestedHook]) -> tuple[Nested, NestedHook] | None:
    return next(((nested, other) for nested in hook.nested for other in refusing if other.runs_at(nested)), None)
