"""Relation values of bodies: the forms clients send, read into what they mean. Refuses with `InvalidRelations`.

A value is an id, a list of ids, an object with an `id`, or `{set, connect, disconnect}`; ids may be texts of digits.
An id that can be none (`"abc"`) is kept as text: it counts as an entry that does not exist.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from octavo.plan.changes import TypedTarget

TargetId = int | str
_DIGITS = re.compile(r"\s*[+-]?\d{1,18}\s*", re.ASCII)


class TextId(int):
    """An id given as a text of digits: the same entry, yet it counts apart where entries are looked for (observed)."""


class InvalidRelations(Exception):
    """The value has none of the known forms."""

    def __init__(self, message: str = "Invalid relations") -> None:
        super().__init__(message)
        self.message = message


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

    Whether targets exist is not `checked` where one is given as an object: the database refuses it (observed).
    """

    replaces: tuple[TargetId, ...] | None = None
    connects: tuple[Connect, ...] = ()
    disconnects: frozenset[TargetId] = frozenset()
    checked: bool = True

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
    if not isinstance(value, list):
        raise InvalidRelations
    return tuple(distinct(_read_target(item) for item in value))


def distinct(targets: Iterable[TargetId]) -> list[TargetId]:
    """Each target once, in order: as a number and as a text it is another."""
    return list({(type(target), target): target for target in targets}.values())


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
    for item in value:
        connect = _read_connect(item)
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
    """The change that a value asks for; None when it asks for none."""
    if value is None:
        return LinkChange(replaces=())
    if isinstance(value, list):
        return LinkChange(replaces=_read_targets(value))
    if not isinstance(value, Mapping):
        return LinkChange(replaces=(read_id(value),))
    if "id" in value:
        target = read_id(value["id"])
        return LinkChange(replaces=(target,), checked=not isinstance(target, int))
    if value.get("set") is not None:
        return LinkChange(replaces=_read_targets(value["set"]))
    connects = _read_connects(value.get("connect"))
    disconnects = _read_disconnects(value.get("disconnect")) if value.get("disconnect") is not None else frozenset()
    disconnects -= {connect.id for connect in connects}
    return LinkChange(connects=connects, disconnects=disconnects) if connects or disconnects else None


def read_replacing(value: Any) -> LinkChange:
    """The change of a relation that can only be replaced as a whole: media, and the inverse of a morph relation.

    An object without `id` or `set` takes everything away; what it connects has to exist all the same.
    """
    if isinstance(value, Mapping) and "id" not in value and value.get("set") is None:
        return LinkChange(replaces=(), connects=_read_connects(value.get("connect")))
    change = read_links(value)
    return change if change is not None else LinkChange(replaces=())


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


class ConnectedTwice(Exception):
    """A target was to be put to several places."""

    def __init__(self, target: TargetId) -> None:
        super().__init__(target)
        self.target = target


class CircularAnchors(Exception):
    """Targets were to be put beside each other in a circle."""


class UnknownAnchor(Exception):
    """A target was to be put beside one that is not there."""

    def __init__(self, connect: Connect) -> None:
        super().__init__(connect.anchor)
        self.connect = connect


def place_targets(current: list[int], change: LinkChange) -> list[int]:
    """The targets in order after a change. Raises ConnectedTwice, CircularAnchors, UnknownAnchor.

    A target that is connected again moves; anchors that are connected in the same change come first.
    """
    if change.replaces is not None:
        return [int(target) for target in change.replaces if isinstance(target, int)]
    placed = [target for target in current if target not in change.disconnects]
    waiting: dict[TargetId, Connect] = {}
    for connect in change.connects:
        if waiting.setdefault(connect.id, connect) is not connect:
            raise ConnectedTwice(connect.id)
    floating = {connect.id: connect for connect in change.connects if connect.anchor not in placed}
    for connect in floating.values():
        _check_anchors(connect, floating)
    for connect in change.connects:
        _place(connect, placed, waiting)
    return placed


def _check_anchors(connect: Connect, connects: Mapping[TargetId, Connect]) -> None:
    """Follow anchors that are connected in the same change. Raises CircularAnchors."""
    seen = {connect.id}
    while connect.anchor is not None and connect.anchor in connects:
        if connect.anchor in seen:
            raise CircularAnchors
        seen.add(connect.anchor)
        connect = connects[connect.anchor]


def _place(connect: Connect, placed: list[int], waiting: dict[TargetId, Connect]) -> None:
    if waiting.pop(connect.id, None) is None or not isinstance(connect.id, int):
        return
    anchor = connect.anchor
    if anchor is not None and anchor not in placed and anchor in waiting:
        _place(waiting[anchor], placed, waiting)
    if connect.id in placed and connect.id != anchor:
        placed.remove(connect.id)
    if anchor is not None and (anchor not in placed or anchor == connect.id):
        raise UnknownAnchor(connect)
    match connect.place:
        case "before":
            at = placed.index(anchor)  # type: ignore[arg-type]
        case "after":
            at = placed.index(anchor) + 1  # type: ignore[arg-type]
        case "start":
            at = 0
        case _:
            at = len(placed)
    placed.insert(at, int(connect.id))
