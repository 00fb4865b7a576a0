"""Relation values of bodies: the forms clients send, read into what they mean. Refuses with `InvalidRelations`.

A value is an id, a list of ids, an object with an `id`, or `{set, connect, disconnect}`; ids may be texts of digits.
An id that can be none (`"abc"`) is kept as text: it counts as an entry that does not exist.
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
    """An id given as a text of digits: the same entry, yet it counts apart where entries are looked for (observed)."""


class StoredId(int):
    """The id of a target as it is stored: it counts once with the same id in another form."""


class InvalidRelations(Exception):
    """The value has none of the known forms; `path` leads to the part of it that has none."""

    def __init__(self, message: str = "Invalid relations", path: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.path = path


@dataclass(frozen=True, slots=True)
class Connect:
    """A target to add, and where: `position` as given, for the messages; `place` one of before, after, start, end."""

    id: TargetId
    place: str = "end"
    anchor: TargetId | None = None
    position: Any = None


@dataclass(frozen=True, slots=True)
class LinkChange:
    """What to do with a relation: replace all targets (`replaces`), or add some and take some away.

    Whether targets exist is not `checked` where one is given as an object: the database refuses it (observed). A place
    beside a target that is not there is refused if it is `strict`; otherwise it is the end.
    """

    replaces: tuple[TargetId, ...] | None = None
    connects: tuple[Connect, ...] = ()
    disconnects: frozenset[TargetId] = frozenset()
    checked: bool = True
    strict: bool = True

    @property
    def targets(self) -> Iterable[TargetId]:
        """The targets that shall be linked."""
        return self.replaces or tuple(connect.id for connect in self.connects)


def read_id(value: Any) -> TargetId:
    """An id; what cannot be one as text."""
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
    """A part of a value, read. Raises InvalidRelations with its path from the whole."""
    try:
        return read(value)
    except InvalidRelations as error:
        raise InvalidRelations(error.message, (str(step), *error.path)) from None


def _read_target(value: Any) -> TargetId:
    """A target in a list: an id, or an object that has one."""
    if isinstance(value, Mapping):
        if "id" not in value:
            raise InvalidRelations
        return read_id(value["id"])
    if value is None:
        raise InvalidRelations
    return read_id(value)


def _read_targets(value: Any) -> tuple[TargetId, ...]:
    """The targets of a list. The same said twice counts once, but not an id and an object that has it (observed)."""
    if not isinstance(value, list):
        raise InvalidRelations
    targets: dict[tuple[object, ...], TargetId] = {}
    for index, item in enumerate(value):
        target = _inside(index, _read_target, item)
        targets[isinstance(item, Mapping), type(target), target] = target
    return tuple(targets.values())


def distinct(targets: Iterable[TargetId]) -> list[TargetId]:
    """Each target once, in order: as a number and as a text it is another."""
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
        # the same said twice counts once, but not an id and an object that has it (observed)
        distinct_connects[isinstance(item, Mapping), type(connect.id), connect.id, repr(connect.position)] = connect
    return tuple(distinct_connects.values())


def _read_disconnects(value: Any) -> frozenset[TargetId]:
    """What cannot be a target is not linked either, so it may be named without harm."""
    found = set()
    for item in value if isinstance(value, list) else [value]:
        try:
            found.add(_read_target(item))
        except InvalidRelations:
            continue
    return frozenset(found)


def read_links(value: Any) -> LinkChange | None:
    """The change that a value asks for; None when it asks for none, as `true` does (observed)."""
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
    """The change of a relation that can only be replaced as a whole: media, and the inverse of a morph relation.

    An object without `id` or `set`, or `true`, takes everything away; what it connects has to exist all the same.
    """
    if isinstance(value, Mapping) and "id" not in value and value.get("set") is None:
        return LinkChange(replaces=(), connects=_inside("connect", _read_connects, value.get("connect")))
    change = read_links(value)
    return change if change is not None else LinkChange(replaces=())


def named_targets(value: Any) -> Iterator[tuple[tuple[str, ...], TargetId]]:
    """The targets that a value of a known form wants to link, each with its path inside the value."""
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
    """A target of a morph relation: an object with `id` and `__type`."""
    if isinstance(value, Mapping):
        target, kind = value.get("id"), value.get("__type")
        number = read_id(target) if target is not None else "null"
        if isinstance(number, int) and isinstance(kind, str) and kind:
            return TypedTarget(kind, int(number))
    raise InvalidRelations


def read_typed_targets(value: Any) -> tuple[TypedTarget, ...]:
    """The targets of a morphToMany relation."""
    if isinstance(value, Mapping) and "id" not in value:
        value = value.get("set")
    if value is None:
        return ()
    return tuple(dict.fromkeys(read_typed(item) for item in (value if isinstance(value, list) else [value])))
