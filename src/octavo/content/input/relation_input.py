"""Parse relation values in bodies, in all formats that clients send. Raises `InvalidRelations`.

A value is an id, a list of ids, an object with an `id`, or `{set, connect, disconnect}`. Ids can be text.
An impossible id (`"abc"`) stays text: it counts as an entry that does not exist.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from octavo.core.values import dataclass
from octavo.query.plan.changes import TypedTarget

TargetId = int | str
_ReadT = TypeVar("_ReadT")
_DIGITS = re.compile(r"\s*[+-]?\d{1,18}\s*", re.ASCII)


class TextId(int):
    """An id given as text. It means the same entry but is counted separately when entries are looked up (observed)."""


class StoredId(int):
    """A target's stored id. It counts once together with the same id in another form."""


class InvalidRelations(Exception):
    """The value has an unknown format; `path` is the path of the invalid part."""

    def __init__(self, message: str = "Invalid relations", path: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.path = path


@dataclass(frozen=True, slots=True)
class Connect:
    """A target to add and its position: `position` is the raw value, `place` one of before, after, start, end."""

    id: TargetId
    place: str = "end"
    anchor: TargetId | None = None
    position: Any = None


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A change of a relation: replace all targets (`replaces`), or connect some and disconnect others.

    Without `checked`, because a target is given as an object, only the database checks that targets exist (observed).
    With `strict`, a position next to a missing target is refused; otherwise it means the end.
    """

    replaces: tuple[TargetId, ...] | None = None
    connects: tuple[Connect, ...] = ()
    disconnects: frozenset[TargetId] = frozenset()
    checked: bool = True
    strict: bool = True

    @property
    def targets(self) -> Iterable[TargetId]:
        """The targets to link."""
        return self.replaces or tuple(connect.id for connect in self.connects)


def read_id(value: Any) -> TargetId:
    """Parse an id; a value that cannot be one is returned as text."""
    if isinstance(value, bool):
        if value:
            raise InvalidRelations
        return "false"
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else str(value)
    if isinstance(value, str):
        return TextId(value) if _DIGITS.fullmatch(value) else value
    if value is None:
        return "null"
    raise InvalidRelations


def _inside(step: str | int, read: Callable[[Any], _ReadT], value: Any) -> _ReadT:
    """Parse a part of a value. Raises InvalidRelations with its path."""
    try:
        return read(value)
    except InvalidRelations as error:
        raise InvalidRelations(error.message, (str(step), *error.path)) from None


def _read_target(value: Any) -> TargetId:
    """Parse a target in a list: an id, or an object with one."""
    if isinstance(value, Mapping):
        if "id" not in value:
            raise InvalidRelations
        return read_id(value["id"])
    if value is None:
        raise InvalidRelations
    return read_id(value)


def _read_targets(value: Any) -> tuple[TargetId, ...]:
    """Parse a list of targets. Duplicates count once, but not an id and an object with the same id (observed)."""
    if not isinstance(value, list):
        raise InvalidRelations
    targets: dict[tuple[object, ...], TargetId] = {}
    for index, item in enumerate(value):
        target = _inside(index, _read_target, item)
        targets[isinstance(item, Mapping), type(target), target] = target
    return tuple(targets.values())


def distinct(targets: Iterable[TargetId]) -> list[TargetId]:
    """Return each target once, in order; a number and a text are different targets."""
    forms = {(type(target), target): target for target in targets}
    given = {target for form, target in forms if form is not StoredId}
    return [target for (form, _), target in forms.items() if form is not StoredId or target not in given]


def _read_connect(value: Any) -> Connect:
    target = _read_target(value)
    position = value.get("position") if isinstance(value, Mapping) else None
    if not isinstance(position, Mapping):
        return Connect(target)
    for place in ("before", "after"):
        if position.get(place):
            return Connect(target, place, read_id(position[place]), position)
    return Connect(target, "start" if position.get("start") else "end", None, position)


def _read_connects(value: Any) -> tuple[Connect, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InvalidRelations
    distinct_connects: dict[tuple[object, ...], Connect] = {}
    for index, item in enumerate(value):
        connect = _inside(index, _read_connect, item)
        # duplicates count once, but not an id and an object with the same id (observed)
        distinct_connects[isinstance(item, Mapping), type(connect.id), connect.id, repr(connect.position)] = connect
    return tuple(distinct_connects.values())


def _read_disconnects(value: Any) -> frozenset[TargetId]:
    """Parse targets to disconnect. Invalid ones are ignored, because they cannot be linked."""
    ids = set()
    for item in value if isinstance(value, list) else [value]:
        try:
            ids.add(_read_target(item))
        except InvalidRelations:
            continue
    return frozenset(ids)


def read_links(value: Any) -> LinkChange | None:
    """Parse a relation value; None if it changes nothing, like `true` (observed)."""
    if value is None:
        return LinkChange(replaces=())
    if value is True:
        return None
    if isinstance(value, list):
        return LinkChange(replaces=_read_targets(value))
    if not isinstance(value, Mapping):
        return LinkChange(replaces=(read_id(value),))
    if "id" in value:
        target = read_id(value["id"])
        return LinkChange(replaces=(target,), checked=not isinstance(target, int))
    if value.get("set") is not None:
        return LinkChange(replaces=_inside("set", _read_targets, value["set"]))
    connects = _inside("connect", _read_connects, value.get("connect"))
    disconnects = _read_disconnects(value.get("disconnect")) if value.get("disconnect") is not None else frozenset()
    disconnects -= {connect.id for connect in connects}
    options = value.get("options")
    strict = not (isinstance(options, Mapping) and options.get("strict") is False)
    return LinkChange(connects=connects, disconnects=disconnects, strict=strict) if connects or disconnects else None


def read_replacing(value: Any) -> LinkChange:
    """Parse a relation that can only be replaced as a whole: media, and the inverse of a polymorphic relation.

    An object without `id` or `set`, or `true`, unlinks everything; targets in its `connect` must exist anyway.
    """
    if isinstance(value, Mapping) and "id" not in value and value.get("set") is None:
        return LinkChange(replaces=(), connects=_inside("connect", _read_connects, value.get("connect")))
    change = read_links(value)
    return change if change is not None else LinkChange(replaces=())


def named_targets(value: Any) -> Iterator[tuple[tuple[str, ...], TargetId]]:
    """Yield the targets that a valid value links, each with its path inside the value."""
    if value is True:
        return
    if not isinstance(value, Mapping):
        items = enumerate(value) if isinstance(value, list) else ()
        yield from (((str(index),), _read_target(item)) for index, item in items)
        if value is not None and not isinstance(value, list):
            yield (), read_id(value)
    elif "id" in value:
        yield (), read_id(value["id"])
    else:
        key = "set" if value.get("set") is not None else "connect"
        yield from (((key, *path), target) for path, target in named_targets(value.get(key)))


def read_typed(value: Any) -> TypedTarget:
    """Parse a target of a polymorphic relation: an object with `id` and `__type`."""
    if isinstance(value, Mapping):
        target, kind = value.get("id"), value.get("__type")
        number = read_id(target) if target is not None else "null"
        if isinstance(number, int) and isinstance(kind, str) and kind:
            return TypedTarget(kind, int(number))
    raise InvalidRelations


def read_typed_targets(value: Any) -> tuple[TypedTarget, ...]:
    """Parse the targets of a morphToMany relation."""
    if isinstance(value, Mapping) and "id" not in value:
        value = value.get("set")
    if value is None:
        return ()
    return tuple(dict.fromkeys(read_typed(item) for item in (value if isinstance(value, list) else [value])))
